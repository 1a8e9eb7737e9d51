import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns Idiomorph, which merges a new page into the open one, so that focus, scrolling and half-filled forms stay. */
export function morphing(): string {
	// The published package has a copy beside its bundles.
	const copy = join(__dirname, "idiomorph.min.js");
	return readFileSync(existsSync(copy) ? copy : require.resolve("idiomorph/dist/idiomorph.min.js"), "utf8");
}

/** Makes the console live; it also works without this script. */
export const script = `"use strict";
// Chromium 156 crashes when Idiomorph moves the row that has the focus with moveBefore.
delete Element.prototype.moveBefore;
const byId = (id) => document.getElementById(id);

// The reader's own input, opened boxes and the running clock stay.
const isEdited = ({ nodeName, type, value, defaultValue, checked, defaultChecked, options }) => {
	if (nodeName === "SELECT") return [...options].some(({ selected, defaultSelected }) => selected !== defaultSelected);
	if (nodeName !== "INPUT" && nodeName !== "TEXTAREA") return false;
	return type === "checkbox" ? checked !== defaultChecked : value !== defaultValue;
};
const callbacks = {
	beforeNodeMorphed: (old) => !isEdited(old),
	beforeAttributeUpdated: (name) => name !== "open",
	beforeNodeRemoved: ({ parentNode }) => !parentNode.hasAttribute("data-ticks"),
};

// If the focused element disappears, the focus moves to the same button of the next row, or to the start of the page.
const rememberFocus = () => {
	const focused = document.activeElement;
	const row = focused && focused.closest("tbody tr");
	if (!row) return () => { if (focused && focused !== document.body && !focused.isConnected) byId("main").focus(); };
	const body = row.parentNode;
	const index = [...body.children].indexOf(row);
	const { value } = focused;
	return () => {
		if (focused.isConnected) return;
		const next = body.isConnected && body.children[Math.min(index, body.children.length - 1)];
		const button = next && [...next.querySelectorAll("button")].find((button) => button.value === value);
		(button || byId("main")).focus();
	};
};

const show = (parts) => {
	const settle = rememberFocus();
	Idiomorph.morph(byId("page"), parts, { callbacks });
	settle();
	tick();
};

const parse = (text) => new DOMParser().parseFromString(text, "text/html");

const say = (text, bad) => {
	const notice = byId("notice");
	notice.setAttribute("role", bad ? "alert" : "status");
	notice.dataset.tone = bad ? "bad" : "good";
	notice.textContent = text;
};

// Updates a running clock between two pages.
const tick = () => {
	for (const time of document.querySelectorAll("time[data-ticks]")) {
		const text = new Date(Date.now() + Number(time.dataset.ticks)).toISOString().slice(0, 19).replace("T", " ") + " UTC";
		if (time.textContent !== text) time.textContent = text;
	}
};
setInterval(tick, 1000);

document.addEventListener("submit", async (event) => {
	const form = event.target;
	if (form.method !== "post") return;
	event.preventDefault();
	const body = new URLSearchParams(new FormData(form, event.submitter));
	try {
		const response = await fetch(form.getAttribute("action"), { method: "POST", body });
		const page = parse(await response.text());
		if (response.redirected && new URL(response.url).pathname !== location.pathname) {
			location.assign(response.url);
			return;
		}
		if (response.ok) {
			form.reset();
			const box = form.closest("details");
			if (box) box.open = false;
		}
		show(page.getElementById("page"));
		const notice = page.getElementById("notice");
		say(notice.textContent, notice.dataset.tone === "bad");
	} catch {
		say("The emulator doesn’t respond. Start it again.", true);
	}
});

document.addEventListener("keydown", (event) => {
	const busy = event.target.closest("input, textarea, select");
	if (event.key === "Escape" && event.target.closest("details[open]")) {
		const box = event.target.closest("details[open]");
		box.open = false;
		box.querySelector("summary").focus();
	}
	if (event.key !== "/" || busy || event.ctrlKey || event.metaKey || event.altKey) return;
	const search = document.querySelector("input[type=search]");
	if (!search) return;
	event.preventDefault();
	search.select();
});

const source = new EventSource("/_console/live?at=" + encodeURIComponent(location.pathname + location.search));
source.addEventListener("page", (event) => {
	const parts = document.createElement("div");
	parts.id = "page";
	parts.append(...parse(event.data).body.childNodes);
	show(parts);
});
source.addEventListener("open", () => { byId("live").hidden = false; });
source.addEventListener("error", () => { byId("live").hidden = true; });
addEventListener("pagehide", () => source.close());
`;
