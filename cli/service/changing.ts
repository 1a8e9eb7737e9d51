/** Changes of objects that the check has made. */
import type { Json } from "../../provider/api/json";
import { type Attempt, isShown } from "./attempt";
import type { Checkup } from "./checkup";
import { type Exchange, isOk } from "./exchange";
import { tries } from "./names";
import { changedValues, longLabel, longReference, route } from "./samples";
import type { Change } from "./steps";
import type { Trial } from "./trial";

/** Lengths to try after a label is refused, characters. */
const shorterLabels = [40, 32, 20] as const;

/** A strict service refuses a field that it doesn't know, too. */
const malformed: readonly (number | undefined)[] = [400, 422];
export const isMalformed = ({ answer: { status } }: Exchange): boolean => malformed.includes(status);
const isInvalid = ({ failed }: Attempt): boolean => malformed.includes(failed?.status);

export async function changeNumber({ checkup, isInterrupted }: Trial, id: string): Promise<void> {
	const lacks = (field: string) => checkup.known.dialect.lacks("number", field);
	const change = (step: Change, body: Json) => checkup.change(step, id, body);
	const steps: readonly (() => Promise<unknown>)[] = [
		() => findChange(checkup, id),
		async () => {
			const both = await change("change", changedValues);
			if (isInvalid(both)) await change("change", { label: changedValues.label });
		},
		async () => {
			if (lacks("reference") || checkup.known.offers("reference") === false) return;
			await change("longReference", { reference: longReference });
		},
		async () => {
			if (lacks("label")) return;
			const long = await change("longLabel", { label: longLabel });
			for (const length of isInvalid(long) ? shorterLabels : [])
				if (!isInvalid(await change("longLabel", { label: longLabel.slice(0, length) }))) return;
		},
		async () => {
			if (lacks("routing") || lacks("routing.uri")) return;
			const routed = await change("routing", { routing: route });
			// A record shows the names of its routing only if it has one.
			if (checkup.known.allows("getNumber", "getById")) await checkup.ask("single", "getNumber", { segment: id });
			if (routed.failed === undefined) await change("unrouted", { routing: null });
			if (!isShown(routed.record?.routing, route)) await probeRouting(checkup, id);
		},
	];
	for (const step of steps) if (!isInterrupted() && canChange(checkup)) await step();
}

/** A property may have an operation of its own. */
const canChange = ({ known: { allows, dialect } }: Checkup): boolean =>
	allows("patchNumber", "patchNumber") || (dialect.ownOperations("number")?.writes.length ?? 0) > 0;

/** Finds the request of a change, unless the description states it. */
async function findChange(checkup: Checkup, id: string): Promise<void> {
	const { dialect, description } = checkup.known;
	if (description.operations?.patchNumber !== undefined || dialect.ownOperations("number") !== undefined) return;
	const request = { segment: id, body: changedValues };
	const both = await checkup.askAny("change", "patchNumber", ["PUT /numbers/{id}"], request);
	if (isMalformed(both))
		await checkup.ask("change", "patchNumber", { ...request, body: { label: changedValues.label } });
}

/** Reads where a service may have the routing, if no response shows it. */
async function probeRouting(checkup: Checkup, id: string): Promise<void> {
	if (checkup.known.dialect.ownOperations("number") !== undefined) return;
	for (const name of tries.routing) {
		const words = { operations: { getNumber: `GET /numbers/{id}/${name}` } };
		if (isOk(await checkup.ask("probe", "getNumber", { segment: id, words }))) return;
	}
}
