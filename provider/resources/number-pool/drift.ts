/** The drift of a pool: each of its numbers is compared as a Number is. */
import { changesOf } from "../../drift/changes";
import type { DriftDefinition, Observation, Part } from "../../drift/definition";
import { declaredInputs, type Values } from "../../properties/table";
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

function partsOf({ declared, live, ...observation }: Observation): Part[] {
	const found = new Map(live === undefined ? [] : membersIn(live.outputs).map((member) => [member.id, member]));
	const names = (declared.outputs.numbers ?? []) as readonly { readonly name: string }[];
	return membersIn(declared.outputs).map((member, at) => {
		const { name = "" } = names[at] ?? {};
		const current = found.get(member.id);
		const sides = { declared: sideOf(member), live: current && sideOf(current), ignored: [] };
		const warnings = observation.warnings.filter((text) => text.includes(name));
		const differs = sides.live !== undefined && changesOf(numberDrift, { ...sides, live: sides.live }).length > 0;
		return {
			id: member.id,
			definition: numberDrift,
			seen: { ...observation, ...sides, name, warnings, differs },
			takeOver: `accept it: name it in the pool's \`exclude\`, lower \`count\`, and declare it as a Number with \`adopt: ${JSON.stringify(member.id)}\``,
		};
	});
}

const sideOf = ({ outs }: Member): { readonly inputs: Values; readonly outputs: Values } => ({
	inputs: declaredInputs(numberProperties, outs),
	outputs: outs,
});
