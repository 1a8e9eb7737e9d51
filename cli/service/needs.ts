/** The parts of a service that a stack's program needs, by the resources in its state. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { recordOf } from "../../provider/lifecycle/described";
import { snake } from "../../provider/properties/form";
import { kindOf, resources } from "../../provider/resources";
import { accountConfig, addressIn } from "../engine/config";
import { findTelephonyType } from "../engine/events";
import type { Place } from "../engine/process";
import { type SavedResource, savedState, selectedStack } from "../engine/state";
import { UsageError } from "../report/usage";
import type { Subject } from "./finding";

/** The properties that the program declares, in the service's spelling, by kind of object. */
export type Needs = ReadonlyMap<string, ReadonlySet<string>>;

/** Kinds that no command tests, because a person works on them, and the account. They count only if the program needs them. */
const optional: ReadonlySet<string> = new Set(["kyc_profile", "port_order", "account"]);

/** Returns the stack that is selected in a folder; undefined in a folder without one, where no stack needs anything yet. */
export async function findSelected(cwd: string): Promise<string | undefined> {
	if (!existsSync(join(cwd, "Pulumi.yaml"))) return undefined;
	return selectedStack(cwd).catch((error: unknown) => {
		if (error instanceof UsageError) return undefined;
		throw error;
	});
}

/** Returns undefined if there is no state with resources of ours: then everything counts. @throws UsageError */
export const findNeeds = async ({ cwd, stack }: Place): Promise<Needs | undefined> =>
	stack === undefined ? undefined : needsOf((await savedState(stack, cwd)).resources);

/** Returns the account that the stack pins, as a variable. The pin of a stack of another service says nothing here. */
export async function findPin({ cwd, stack }: Place): Promise<NodeJS.ProcessEnv | undefined> {
	if (stack === undefined) return undefined;
	const { config, settings } = await accountConfig(cwd, stack, process.env);
	const configured = addressIn(config("telephony:baseUrl") || undefined);
	const used = addressIn(process.env.TELEPHONY_BASE_URL);
	const { TELEPHONY_ACCOUNT } = settings;
	return TELEPHONY_ACCOUNT !== undefined && (configured ?? used) === used ? { TELEPHONY_ACCOUNT } : undefined;
}

export function needsOf(saved: readonly SavedResource[]): Needs | undefined {
	const needs = new Map<string, Set<string>>();
	for (const { type, inputs = {} } of saved) {
		const resource = findTelephonyType(type);
		if (resource === undefined || !(resource in resources)) continue;
		const record = recordOf(kindOf(resource));
		const declared = Object.keys(inputs).filter((key) => inputs[key] !== null);
		needs.set(record, new Set([...(needs.get(record) ?? []), ...declared.map(snake)]));
	}
	return needs.size === 0 ? undefined : needs;
}

/** True if the program depends on the subject. */
export function isNeeded(subject: Subject | undefined, needs: Needs | undefined): boolean {
	if (subject === undefined) return true;
	if (needs === undefined) return !optional.has(subject.record);
	const fields = needs.get(subject.record);
	return fields !== undefined && (subject.field === undefined || fields.has(subject.field));
}

/** `number (label, routing), trunk`. */
export const needsText = (needs: Needs): string =>
	[...needs]
		.map(([record, fields]) => (fields.size === 0 ? record : `${record} (${[...fields].join(", ")})`))
		.join(", ");
