/** The stack as a Mermaid diagram: numbers → trunks → webhooks, the drifted ones marked. */
import { masked } from "../provider/resources/shown";
import { printable, type Report, type Seen } from "./report";

/** GitHub and GitLab draw no larger ones, and nobody reads them. */
const most = 40;

const columns = [
	["Number", "Numbers"],
	["SipTrunk", "Trunks"],
	["Webhook", "Webhooks"],
] as const;

interface Arrow {
	readonly from: Seen;
	readonly to: Seen;
	readonly label: string;
}

/** The drifted ones with what they are connected to; the others while there is room. */
export function diagramOf(seen: readonly Seen[], { resources }: Report): string {
	const kindOf = new Map(resources.map(({ id, type, kind }) => [`${type} ${id}`, kind]));
	const kind = ({ token, id }: Seen) => kindOf.get(`${token} ${id}`);
	// The same stack gives the same diagram.
	const drawable = columns.flatMap(([type]) => seen.filter((each) => each.type === type).sort(byName));
	const arrows = arrowsBetween(drawable);
	const neighbours = new Set(arrows.flatMap(({ from, to }) => (kind(from) || kind(to) ? [from, to] : [])));
	const importance = (each: Seen) => (kind(each) !== undefined ? 2 : neighbours.has(each) ? 1 : 0);
	const shownOnes = new Set([...drawable].sort((one, other) => importance(other) - importance(one)).slice(0, most));
	const names = new Map(drawable.filter((each) => shownOnes.has(each)).map((each, index) => [each, `n${index}`]));
	const lines = ["flowchart LR"];
	for (const [type, title] of columns) {
		const all = drawable.filter((each) => each.type === type);
		if (all.length === 0) continue;
		const inside = all.filter((each) => shownOnes.has(each));
		lines.push(`  subgraph ${title}`);
		for (const each of inside) lines.push(`    ${names.get(each)}["${label(each, kind(each))}"]`);
		if (inside.length < all.length) lines.push(`    more${title}["${all.length - inside.length} more"]`);
		lines.push("  end");
	}
	for (const { from, to, label: text } of arrows) {
		const [source, target] = [names.get(from), names.get(to)];
		if (source !== undefined && target !== undefined) lines.push(`  ${source} -->|${text}| ${target}`);
	}
	for (const [each, name] of names) {
		const its = kind(each);
		if (its !== undefined) lines.push(`  class ${name} ${its}`);
	}
	return [...lines, ...styles].join("\n");
}

const byName = (one: Seen, other: Seen): number => (`${one.name} ${one.urn}` < `${other.name} ${other.urn}` ? -1 : 1);

const styles = [
	"  classDef missing fill:#fdd,stroke:#c00,stroke-width:3px,color:#000",
	"  classDef problem fill:#fdd,stroke:#c00,color:#000",
	"  classDef changed fill:#fe9,stroke:#b80,stroke-width:2px,color:#000",
	"  classDef waiting fill:#def,stroke:#69c,stroke-dasharray:4,color:#000",
];

/** As the program declares it: a number's calls go to a trunk or webhook, and so do its messages. */
function arrowsBetween(seen: readonly Seen[]): Arrow[] {
	const trunks = new Map(seen.flatMap((each) => (each.type === "SipTrunk" ? [[each.id, each]] : [])));
	const webhooks = new Map(
		seen.flatMap((each): [unknown, Seen][] => {
			const { url } = each.declared.inputs;
			// Masked addresses are all alike.
			return each.type === "Webhook" && url !== masked ? [[url, each]] : [];
		}),
	);
	return seen.flatMap((from) => {
		if (from.type !== "Number") return [];
		const { routing, smsWebhookUrl } = from.declared.inputs;
		const first = (routing ?? {}) as Route;
		const found = [
			{ to: trunks.get(String(first.trunkId)) ?? webhooks.get(first.url), label: "calls" },
			{
				to: trunks.get(String(first.failover?.trunkId)) ?? webhooks.get(first.failover?.url),
				label: "failover",
			},
			{ to: webhooks.get(smsWebhookUrl), label: "sms" },
		];
		return found.flatMap(({ to, label }) => (to === undefined ? [] : [{ from, to, label }]));
	});
}

interface Route {
	readonly trunkId?: unknown;
	readonly url?: unknown;
	readonly failover?: Route;
}

const label = ({ name, e164 }: Seen, kind: string | undefined): string =>
	[escaped(name), escaped(e164 ?? ""), kind ?? ""].filter((line) => line !== "").join("<br/>");

/** Whatever Mermaid, Markdown or HTML could take for its own becomes an entity code: `1. x` would be a list. */
const escaped = (text: string): string => {
	const signs = [...printable(text)];
	const short = signs.length > 40 ? `${signs.slice(0, 39).join("")}…` : signs.join("");
	return short.replace(/[._+/-](?![\p{L}\p{N}])|[^\p{L}\p{N} ._+/…-]/gu, (sign) => `#${sign.codePointAt(0)};`);
};
