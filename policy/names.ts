/** Policies for the names of resources. */
import { knownText, resourcePolicy, wholePatternOf } from "./define";

const pattern = (what: string) => ({
	type: "string" as const,
	default: "",
	description: `A regular expression that must fit the whole of ${what}; empty allows any.`,
});

export const names = resourcePolicy(
	{
		name: "names",
		description: "The names of resources and trunks, and labels, fit the team's patterns.",
		settings: {
			resource: pattern("a resource's name in the program"),
			label: pattern("a label"),
			trunk: pattern("a trunk's name at the service"),
			requireLabel: { type: "boolean", default: false, description: "True if numbers and trunks must have a label." },
		},
	},
	["Number", "NumberPool", "SipTrunk", "Webhook", "PortOrder"],
	({ kind, name, props }, { resource, label, trunk, requireLabel }) => [
		...misfit("Its name in the program", name, "resource", resource),
		...misfit("`label`", knownText(props, "label"), "label", label),
		...(kind === "SipTrunk" ? misfit("`name`", knownText(props, "name"), "trunk", trunk) : []),
		...(requireLabel === true && takesLabel.has(kind) && !("label" in props) ? ["It needs a `label`."] : []),
	],
);

const takesLabel: ReadonlySet<string> = new Set(["Number", "NumberPool", "SipTrunk"]);

function misfit(what: string, value: string | undefined, setting: string, given: unknown): readonly string[] {
	const wanted = wholePatternOf(setting, given);
	if (value === undefined || wanted === undefined || wanted.test(value)) return [];
	return [`${what} is "${value}", and must fit ${given}.`];
}
