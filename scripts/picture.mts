/** `node scripts/picture.mts`: runs the demo, and makes the README's picture of it in docs/images/, light and dark. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

interface Line {
	readonly text: string;
	readonly color: "text" | "muted" | "good" | "changed" | "bad";
}

/** Lines of the picture. Each step shows the demo's lines that match, without the types' long prefix. */
const steps: readonly { readonly step: RegExp; readonly command: string; readonly shows: RegExp }[] = [
	{ step: /^telephony plan/, command: "$ telephony plan", shows: /^(plan|cost):|^count |^\+1 |^Creates / },
	{ step: /^pulumi up:/, command: "$ pulumi up", shows: /^ \+ .* created \S+ *$|^ {4}\+ \d+ created/ },
	{ step: /^outside Pulumi/, command: "# Someone edits two objects in the dashboard:", shows: /^✓ capacity/ },
	{ step: /^telephony drift/, command: "$ telephony drift", shows: /^drift:|^severity|^high|^medium|^Restore/ },
	{
		step: /^pulumi up --refresh/,
		command: "$ pulumi up --refresh",
		shows: /^ ~ .* updated |^ {4}~ \d+ updated|^✓ capacity/,
	},
];

const colors: readonly (readonly [RegExp, Line["color"]])[] = [
	[/^#/, "muted"],
	[/^\+/, "good"],
	[/^~|^medium/, "changed"],
	[/^high/, "bad"],
	[/^✓ capacity 30,/, "good"],
];

/** Removes what differs from run to run, or is too long for a picture: times, and the types' prefix. */
const shortened = (line: string): string =>
	line
		.replace("pulumi-nodejs:dynamic/telephony:", "")
		.replace("pulumi:pulumi:", "")
		.replace(/ \(\d+(\.\d+)? ?m?s\)/, "")
		.replace(/ `--output drift.md`.*/, "")
		.trim();

/** Returns the picture's lines. Throws if a step of the demo shows none of its lines. */
export function picturedLines(output: string): Line[] {
	const sections = output.split(/^▸ /m);
	const lines: Line[] = [];
	for (const { step, command, shows } of steps) {
		const section = sections.find((text) => step.test(text)) ?? "";
		const texts = section.split("\n").slice(1);
		const matching = texts.map((text) => text.replace(/^ {4}|^ {2}(?=✓)/, "")).filter((text) => shows.test(text));
		if (matching.length === 0) throw new Error(`The demo's output has nothing for "${command}".`);
		if (lines.length > 0) lines.push({ text: "", color: "text" });
		for (const text of [command, ...matching.map(shortened)])
			lines.push({ text, color: colors.find(([sign]) => sign.test(text))?.[1] ?? "text" });
	}
	return lines;
}

const themes = {
	light: { back: "#f6f8fa", text: "#1f2328", muted: "#59636e", good: "#116329", changed: "#7d4e00", bad: "#a40e26" },
	dark: { back: "#151b23", text: "#e6edf3", muted: "#9198a1", good: "#56d364", changed: "#e3b341", bad: "#ff7b72" },
} as const;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const size = { font: 11, line: 16, character: 6.62, margin: 14 };

function drawing(lines: readonly Line[], theme: keyof typeof themes): string {
	const palette = themes[theme];
	const width = Math.ceil(Math.max(...lines.map(({ text }) => text.length)) * size.character) + 2 * size.margin;
	const height = lines.length * size.line + 2 * size.margin;
	const rows = lines.map(({ text, color }, row) => {
		const weight = text.startsWith("$") ? ' font-weight="bold"' : "";
		const y = size.margin + (row + 0.75) * size.line;
		return `<text x="${size.margin}" y="${y}" fill="${palette[color]}"${weight} xml:space="preserve">${escaped(text)}</text>\n`;
	});
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${size.font}">
<title>A run of the demo: plan, up, drift and repair</title>
<rect width="${width}" height="${height}" rx="6" fill="${palette.back}"/>
${rows.join("")}</svg>
`;
}

if (import.meta.main) {
	const output = execFileSync("node", [join(root, "scripts/demo.mts")], {
		encoding: "utf8",
		stdio: ["ignore", "pipe", "inherit"],
	});
	const lines = picturedLines(output);
	for (const theme of ["light", "dark"] as const)
		writeFileSync(join(root, `docs/images/demo-${theme}.svg`), drawing(lines, theme));
}
