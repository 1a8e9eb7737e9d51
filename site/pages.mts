/**
 * Makes the site's pages from the repository's Markdown, which stays as GitHub shows it. The title and the description
 * go into a page's head. Links lead to pages of the site or to the repository. Fences with `tab="…"` become tabs.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { renderMermaidSVG } from "beautiful-mermaid";

const root = resolve(import.meta.dirname, "..");
const out = join(import.meta.dirname, "src/content/docs");
const images = "docs/images";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
	readonly homepage: string;
	readonly repository: { readonly url: string };
};
export const { homepage } = manifest;
export const repository = manifest.repository.url.replace(/^git\+|\.git$/g, "");

/** The registry's own pages, which are not part of the site. */
const registry = ["docs/_index.md", "docs/installation-configuration.md"];

/** Each page's file, and its path on the site. */
export const pages: ReadonlyMap<string, string> = new Map(
	[...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((file) => `docs/${file}`)]
		.filter((file) => file.endsWith(".md") && !registry.includes(file))
		.sort()
		.map((file) => [file, file === "docs/index.md" ? "" : file.slice("docs/".length, -".md".length)] as const)
		.concat([
			["CHANGELOG.md", "changelog"],
			[".github/SECURITY.md", "security"],
		]),
);

/** Where a link leads from a page: relative, so that the site may lie in any folder of a server. */
export function linkFrom(page: string, link: string): string {
	if (/^([a-z]+:|#)/i.test(link)) return link;
	const [path = "", hash] = link.split("#");
	const file = posix.join(posix.dirname(page), decodeURIComponent(path));
	const anchor = hash === undefined ? "" : `#${hash}`;
	const target = file === "README.md" ? "" : pages.get(file);
	if (target !== undefined) return `${posix.relative(pages.get(page) ?? "", target) || "."}/${anchor}`;
	const kind = statSync(join(root, file), { throwIfNoEntry: false })?.isDirectory() ? "tree" : "blob";
	return `${repository}/${kind}/main/${file}${anchor}`;
}

/** The text with what is outside of its fences changed by one function, and each fence by another. */
function parts(text: string, prose: (text: string) => string, fence: (info: string, code: string) => string): string {
	return text
		.split(/^(```[^\n]*\n[\s\S]*?^```$)/m)
		.map((part) => {
			const [, info, code] = /^```([^\n]*)\n([\s\S]*)^```$/m.exec(part) ?? [];
			return info === undefined || code === undefined ? prose(part) : fence(info, code);
		})
		.join("");
}

const attribute = (info: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(info)?.[1];

/** A fence as the site's highlighter takes it: attributes that are for tests alone are left out. */
function fenceOf(info: string, code: string): string {
	const [language = "text"] = info.split(" ");
	if (language === "mermaid") return diagramOf(code);
	const title = attribute(info, "title") ?? (info.includes('terminal="emulator"') ? "In another terminal" : undefined);
	return `\`\`\`${language}${title === undefined ? "" : ` title="${title}"`}\n${code}\`\`\``;
}

/** A diagram as a picture in the page's colors, which needs no JavaScript and no font of another host. */
function diagramOf(code: string): string {
	const text = "var(--sl-color-text)";
	const svg = renderMermaidSVG(code, {
		bg: "var(--sl-color-bg)",
		fg: text,
		muted: text,
		transparent: true,
		nodeSpacing: 40,
	})
		.replace(/@import url\('[^']*'\);/, "")
		.replace(/'Inter', system-ui, sans-serif/g, "var(--__sl-font)")
		.replace(/\s*\n\s*/g, " ");
	return `<figure class="wide diagram" role="img" aria-label="Diagram" tabindex="0">${svg}</figure>`;
}

/** Fences that follow each other, each with `tab="…"`: radio buttons, so that they work without JavaScript. */
function tabbed(text: string): string {
	const fence = '```[^\\n]* tab="[^\\n]*\\n[\\s\\S]*?^```\\n';
	let group = 0;
	return text.replace(new RegExp(`(?:^${fence}\\s*)+`, "gm"), (fences) => {
		group += 1;
		const blocks = [...fences.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)];
		const choices = blocks.map(([, info = ""], index) => {
			const tab = attribute(info, "tab") ?? "";
			const id = `tab-${group}-${index + 1}`;
			const checked = index === 0 ? " checked" : "";
			return `<input type="radio" name="tabs-${group}" id="${id}" value="${tab}"${checked}><label for="${id}">${tab}</label>`;
		});
		const panels = blocks.map(([, info = "", code = ""]) => `<div class="panel">\n\n${fenceOf(info, code)}\n\n</div>`);
		const legend = '<legend class="sr-only">Language</legend>';
		return `<fieldset class="tabs">${legend}${choices.join("")}\n${panels.join("\n")}\n</fieldset>\n\n`;
	});
}

const plain = (text: string) =>
	text
		.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
		.replace(/[*`]/g, "")
		.replace(/\s+/g, " ")
		.trim();

/** The first sentence of the first paragraph of prose. */
function descriptionOf(body: string): string {
	const paragraph = body.split(/\n\n+/).find((each) => /^\s*(?!```)[\p{L}`*[]/u.test(each)) ?? "";
	return /^.*?[.:!?](?=\s|$)/.exec(plain(paragraph))?.[0].replace(/:$/, ".") ?? plain(paragraph);
}

/** A page of the site, of a file of the repository. */
export function pageOf(file: string, text: string): string {
	const [, heading, body] = /^# (.*)\n([\s\S]*)$/.exec(text) ?? [];
	if (heading === undefined || body === undefined) throw new Error(`${file} must begin with its title: # …`);
	const title = plain(heading);
	const head = {
		title,
		description: descriptionOf(body),
		sidebar: { label: title.replace(/: .*/, "") },
	};
	const depth = relative(dirname(join(out, `${pages.get(file) || "index"}.md`)), join(root, images));
	const toImages = "../".repeat((pages.get(file) ?? "").split("/").filter(Boolean).length);
	const prose = (part: string) =>
		part
			// A table may be wider than a phone: then it scrolls, also by keyboard.
			.replace(
				/(?:^\|.*\n)+/gm,
				(table) => `<div class="wide" role="group" aria-label="Table" tabindex="0">\n\n${table}\n</div>\n`,
			)
			.replace(/<!--[\s\S]*?-->\n?/g, "")
			.replace(/(!\[[^\]]*\]\()[^)\s]*images\//g, `$1${depth}/`)
			.replace(/((?:src|srcset)=")(?:\.\.\/)*images\//g, `$1${toImages}images/`)
			.replace(/(?<!!)(\[(?:[^[\]]|!?\[[^\]]*\](?:\([^)]*\))?)*\]\()([^)\s]+)\)/g, (_, words: string, link: string) => {
				return `${words}${linkFrom(file, link)})`;
			});
	const front = Object.entries(head).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
	return `---\n${front.join("\n")}\n---\n${parts(tabbed(body), prose, fenceOf)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	rmSync(out, { recursive: true, force: true });
	for (const [file, path] of pages) {
		const to = join(out, `${path || "index"}.md`);
		mkdirSync(dirname(to), { recursive: true });
		writeFileSync(to, pageOf(file, readFileSync(join(root, file), "utf8")));
	}
	cpSync(join(root, images), join(import.meta.dirname, "public/images"), {
		recursive: true,
		filter: (each) => !each.endsWith(".png"),
	});
}
