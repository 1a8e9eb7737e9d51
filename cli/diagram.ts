/** The stack as a Mermaid diagram: numbers → trunks → webhooks, the drifted ones marked. */

import { masked, shortenedValue } from "../provider/properties/display";
import { isObject } from "../provider/properties/form";
import type { Values } from "../provider/properties/table";
import { type Entry, printable, type Report, type Seen } from "./report";

/** GitHub and GitLab draw no larger diagrams, and nobody reads them. */
const most = 40;

const columns = [
	["Number", "Numbers"],
	["SipTrunk", "Trunks"],
	["Webhook", "Webhooks"],
] as const;

interface Arrow {
	readonly from: Seen;
	/** A resource of the stack, or words for what isn't one. */
	readonly to: Seen | string;
	readonly label: string;
	/** Mermaid's arrows: declared and live, declared only, live only. */
	readonly line: "-->" | "-.->" | "==>";
}

/** The drifted resources with what they are connected to; the others while there is room. */
export function diagramOf(seen: readonly Seen[], { resources }: Report): string {
	const entries = new Map(resources.map((entry) => [`${entry.type} ${entry.id}`, entry]));
	const entryOf = ({ token, id }: Seen) => entries.get(`${token} ${id}`);
	const kind = (each: Seen | string) => (typeof each === "string" ? undefined : entryOf(each)?.kind);
	// The same stack must give the same diagram.
	const drawable = columns.flatMap(([type]) => seen.filter((each) => each.type === type).sort(byName));
	const arrows = arrowsBetween(drawable, entryOf);
	const neighbours = new Set<Seen | string>(
		arrows.flatMap(({ from, to }) => (kind(from) || kind(to) ? [from, to] : [])),
	);
	const importance = (each: Seen) => (kind(each) !== undefined ? 2 : neighbours.has(each) ? 1 : 0);
	const shownOnes = new Set([...drawable].sort((one, other) => importance(other) - importance(one)).slice(0, most));
	const names = new Map<Seen | string, string>();
	for (const each of drawable) if (shownOnes.has(each)) names.set(each, `n${names.size}`);
	const elsewhere = arrows.flatMap(({ from, to }) => (typeof to === "string" && shownOnes.has(from) ? [to] : []));
	for (const [index, each] of [...new Set(elsewhere)].entries()) names.set(each, `x${index}`);
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
	if (elsewhere.length > 0) {
		lines.push("  subgraph Elsewhere");
		for (const each of new Set(elsewhere)) lines.push(`    ${names.get(each)}["${escaped(each)}"]`);
		lines.push("  end");
	}
	for (const { from, to, label: text, line } of arrows) {
		const [source, target] = [names.get(from), names.get(to)];
		if (source !== undefined && target !== undefined) lines.push(`  ${source} ${line}|${text}| ${target}`);
	}
	for (const [each, name] of names) {
		const its = typeof each === "string" ? "elsewhere" : kind(each);
		if (its !== undefined) lines.push(`  class ${name} ${its}`);
	}
	return [...lines, ...styles].join("\n");
}

const byName = (one: Seen, other: Seen): number => (`${one.name} ${one.urn}` < `${other.name} ${other.urn}` ? -1 : 1);

const styles = [
	"  classDef missing fill:#fdd,stroke:#c00,stroke-width:3px,color:#000",
	"  classDef problem fill:#fdd,stroke:#c00,color:#000",
	"  classDef changed fill:#fe9,stroke:#b80,stroke-width:2px,color:#000",
	"  classDef elsewhere fill:#fdd,stroke:#c00,color:#000",
	"  classDef waiting fill:#def,stroke:#69c,stroke-dasharray:4,color:#000",
];

/** Where a number's calls and messages go, as trunk, webhook or words: as the program declares it, and as it is now. */
function arrowsBetween(seen: readonly Seen[], entryOf: (each: Seen) => Entry | undefined): Arrow[] {
	const trunks = new Map(seen.flatMap((each) => (each.type === "SipTrunk" ? [[each.id, each]] : [])));
	const webhooks = new Map(
		seen.flatMap((each): [unknown, Seen][] => {
			const { url } = each.declared.inputs;
			// Masked addresses all look alike.
			return each.type === "Webhook" && url !== masked ? [[url, each]] : [];
		}),
	);
	const targets = ({ routing, smsWebhookUrl }: Values) => {
		const first = (routing ?? {}) as Route;
		const [calls, failover] = [first, first.failover ?? {}].map(
			(route) => trunks.get(String(route.trunkId)) ?? webhooks.get(route.url) ?? inWords(route),
		);
		return { calls, failover, sms: webhooks.get(smsWebhookUrl) ?? inWords({ url: smsWebhookUrl }) };
	};
	return seen.flatMap((from) => {
		if (from.type !== "Number") return [];
		const before = targets(from.declared.inputs);
		const now = targets(changedInputs(from, entryOf(from)));
		return (["calls", "failover", "sms"] as const).flatMap((label): Arrow[] => {
			const [declared, live] = [before[label], now[label]];
			// A destination elsewhere that the program itself declares is not a resource.
			const known = typeof declared === "object" ? declared : undefined;
			if (declared === live) return known === undefined ? [] : [{ from, to: known, label, line: "-->" }];
			return [
				...(known === undefined ? [] : [{ from, to: known, label: `${label} declared`, line: "-.->" } as const]),
				{ from, to: live ?? "nowhere", label: `${label} now`, line: "==>" },
			];
		});
	});
}

/** The declared inputs with the report's changes: the report shows no secret. */
function changedInputs({ declared }: Seen, entry: Entry | undefined): Values {
	const inputs = structuredClone(declared.inputs) as Values;
	if (entry?.kind === "missing") return inputs;
	for (const { path, live } of entry?.changes ?? []) {
		// Entries of `metadata` can have any name.
		if (!/^(routing(\.[a-zA-Z]+){0,2}|smsWebhookUrl)$/.test(path)) continue;
		const keys = path.split(".");
		const last = keys.pop() ?? "";
		let here: Values = inputs;
		for (const key of keys) {
			if (!isObject(here[key])) here[key] = {};
			here = here[key] as Values;
		}
		here[last] = live;
	}
	return inputs;
}

interface Route {
	readonly type?: unknown;
	readonly trunkId?: unknown;
	readonly url?: unknown;
	readonly uri?: unknown;
	readonly to?: unknown;
	readonly agentId?: unknown;
	readonly failover?: Route;
}

/** Words for where a route leads, if that is no resource of this stack; undefined if it leads nowhere. */
function inWords({ trunkId, url, uri, to, agentId, type }: Route): string | undefined {
	if (trunkId != null) return `trunk ${trunkId}`;
	if (agentId != null) return `agent ${agentId}`;
	const target = to ?? uri ?? url ?? type;
	return target == null ? undefined : String(shortenedValue(target));
}

const label = ({ name, e164 }: Seen, kind: string | undefined): string =>
	[escaped(name), escaped(e164 ?? ""), kind ?? ""].filter((line) => line !== "").join("<br/>");

/** Anything that Mermaid, Markdown or HTML could interpret becomes an entity code: `1. x` would be a list. */
const escaped = (text: string): string => {
	const signs = [...printable(text)];
	const short = signs.length > 40 ? `${signs.slice(0, 39).join("")}…` : signs.join("");
	return short.replace(/[._+/-](?![\p{L}\p{N}])|[^\p{L}\p{N} ._+/…-]/gu, (sign) => `#${sign.codePointAt(0)};`);
};
