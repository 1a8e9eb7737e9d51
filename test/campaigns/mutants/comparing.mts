/** Faults by which a drift would be missed, or reported where there is none. */
import type { Mutant } from "./mutant.mts";

export const comparing: readonly Mutant[] = [
	{
		name: "metadata not compared",
		search: 'form.kind === "map" ? value : mapValues',
		replace: 'form.kind === "map" ? {} : mapValues',
		hunt: "drift",
	},
	{
		name: "URL compared as it is spelled",
		search: 'const path = url.pathname === "/"',
		replace: 'if (text !== "") return text;\n	const path = url.pathname === "/"',
		hunt: "drift",
	},
	{
		name: "service's default counts as a change",
		search: "if (field.serverDefault && isUnset(declared[key])) return true;",
		replace: "",
		hunt: "drift",
	},
	{
		name: "order of a set counts",
		search: "[...byText].sort(byKey).map(([, item]) => item);",
		replace: "[...items].map(([, item]) => item);",
		hunt: "drift",
	},
	{
		name: "another password not noticed",
		search:
			"return marker !== undefined && before !== undefined && !sameMarker(marker, before) && !isAdoptedUnknown(secret, outs);",
		replace: "return false && isAdoptedUnknown(secret, outs);",
		hunt: "drift",
	},
	{
		name: "webhook that the service switched off not noticed",
		search: 'record.status === "disabled" ? { enabled: false } : {}',
		replace: 'record.status === "off" ? { enabled: false } : {}',
		hunt: "drift",
	},
	{
		name: "a single read for each object",
		search: "|| this.#list.pages < maxPages(this.#asked.size);",
		replace: ";",
		hunt: "drift",
	},
	{
		name: "failover not compared",
		search: "failover: { ...failover, description:",
		replace: "failover: { ...failover, writeOnly: true, description:",
		hunt: "drift",
	},
	{
		name: "codecs compared always different",
		search: ".filter(([key, property]) => !sameDeclaration(",
		replace: '.filter(([key, property]) => (key === "codecs" && olds[key] !== undefined) || !sameDeclaration(',
		hunt: "drift",
	},
];
