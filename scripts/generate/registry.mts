/** The pages of Pulumi's registry, made of the site's: docs/_index.md and docs/installation-configuration.md. */
import { programsOf } from "./examples.mts";

interface Manifest {
	readonly description: string;
	readonly homepage: string;
}

const page = (title: string, description: string, body: string): string =>
	`---\n# Made by npm run generate.\ntitle: ${JSON.stringify(title)}\nmeta_desc: ${JSON.stringify(description)}\nlayout: package\n---\n\n${body}\n`;

/** The registry's tabs. */
function chooser(): string {
	const programs = programsOf("Number");
	const choices = programs.map(({ language, code }) => {
		const choice = `choosable language ${language}`;
		return `{{% ${choice} %}}\n\n\`\`\`${language}\n${code}\n\`\`\`\n\n{{% /choosable %}}`;
	});
	const all = programs.map(({ language }) => language).join(",");
	return `{{< chooser language "${all}" >}}\n\n${choices.join("\n\n")}\n\n{{< /chooser >}}`;
}

/** @param textOf the text of a file of this repository */
export function registryPages({ description, homepage }: Manifest, textOf: (file: string) => string) {
	/** The registry has none of our other pages, so links lead to the site. */
	const linked = (text: string, folder: string) =>
		text.replace(/\]\((?![a-z]+:)([^)#]+)(#[^)]*)?\)/g, (_, path: string, anchor = "") => {
			const url = new URL(path, `${homepage}${folder}`);
			const target = /\.md$/.test(url.pathname) ? url.href.replace(/\.md$/, "/") : homepage;
			return `](${target}${anchor})`;
		});
	const table = (file: string, folder: string) => {
		const [found] = /^\|[\s\S]*?(?=\n\n)/m.exec(textOf(file)) ?? [];
		if (found === undefined) throw new Error(`${file} has no table, which the registry's page needs.`);
		return linked(found, folder);
	};
	const [, intro = ""] = /^# .*\n\n([\s\S]*?)\n\n/.exec(textOf("docs/index.md")) ?? [];
	return {
		"docs/_index.md": page(
			"Telephony",
			description,
			[linked(intro, ""), "## Example", chooser(), `[The site](${homepage}) has guides, and the whole reference.`].join(
				"\n\n",
			),
		),
		"docs/installation-configuration.md": page(
			"Telephony: Installation & Configuration",
			"How to install the Telephony provider, and its settings.",
			[
				"## Installation",
				table("docs/guides/languages.md", "guides/"),
				`The engine downloads the plugin, which contains its Node.js. [Every language](${homepage}guides/languages/) says where else the engine finds it.`,
				"## Configuration",
				"The environment wins over the stack's configuration.",
				table("docs/reference/configuration.md", "reference/"),
			].join("\n\n"),
		),
	};
}
