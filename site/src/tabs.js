// Remembers the language that a reader has chosen, and chooses it in every group of tabs. Without it, the tabs work too.
document.addEventListener("DOMContentLoaded", () => {
	const radios = () => [...document.querySelectorAll(".tabs > input")];
	const choose = (language) => {
		for (const radio of radios()) if (radio.value === language) radio.checked = true;
	};
	try {
		choose(localStorage.getItem("language"));
		document.addEventListener("change", ({ target }) => {
			if (!target.matches(".tabs > input")) return;
			choose(target.value);
			localStorage.setItem("language", target.value);
		});
	} catch {
		// The browser keeps nothing for this site.
	}
});
