/** What a difference in a pool means to people: each of its numbers is looked at as a Number is. */
import { changesOf } from "../../drift/changes";
import type { DriftDefinition, Observation, Part } from "../../drift/definition";
import type { Values } from "../../properties/table";
import { numberDrift } from "../number/handler";
import { numberProperties } from "../number/properties";
import { driftedPaths, type Member, membersIn } from "./members";
import { poolOutputs, poolProperties } from "./properties";

export const poolDrift: DriftDefinition = {
	properties: poolProperties,
	outputs: poolOutputs,
	kept: ["members"],
	isBought: true,
	lost: () => ({
		consequence: "buys new numbers",
		way: "ask the service to restore the lost numbers, or run `pulumi up --refresh` to buy new ones",
	}),
	drifted: driftedPaths,
	parts: partsOf,
};

function partsOf({ declared, live, ...seen }: Observation): Part[] {
	const now = new Map(live === undefined ? [] : membersIn(live.outputs).map((member) => [member.id, member]));
	const names = (declared.outputs.numbers ?? []) as readonly { readonly name: string }[];
	return membersIn(declared.outputs).map((member, at) => {
		const { name = "" } = names[at] ?? {};
		const [before, found] = [sideOf(member), now.get(member.id)];
		const after = found && sideOf(found);
		const part = {
			...seen,
			name,
			declared: before,
			live: after,
			ignored: [],
			warnings: seen.warnings.filter((text) => text.includes(name)),
		};
		const differs =
			after !== undefined && changesOf(numberDrift, { declared: before, live: after, ignored: [] }).length > 0;
		return {
			id: member.id,
			definition: numberDrift,
			seen: { ...part, differs },
			takeOver: `accept it: name it in the pool's \`exclude\`, lower \`count\`, and declare it as a Number with \`adopt: ${JSON.stringify(member.id)}\``,
		};
	});
}

const sideOf = ({ outs }: Member): { readonly inputs: Values; readonly outputs: Values } => ({
	inputs: Object.fromEntries(
		Object.keys(numberProperties).flatMap((key) => (outs[key] == null ? [] : [[key, outs[key]]])),
	),
	outputs: outs,
});
