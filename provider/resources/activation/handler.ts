/** Waits until many numbers are active: one wait for a whole fleet. An Activation exists only in the state. */
import type { NumberRecord } from "../../api/contract";
import { isGone, TelephonyError } from "../../api/errors";
import { phaseOf, showsStatus, statusOf } from "../../api/record";
import type { DriftDefinition } from "../../drift/definition";
import type { Condition } from "../../drift/states";
import { configFailures, type Handler, handler, InitError } from "../../lifecycle/resource";
import { parseUrn } from "../../ownership/claim";
import { canonicalE164 } from "../../properties/canonical";
import { listed } from "../../properties/display";
import { openOutputs } from "../../properties/open";
import { writtenName } from "../../properties/phone";
import {
	changedProperties,
	checkProperties,
	declaredInputs,
	declaredOutputs,
	type Values,
} from "../../properties/table";
import type { Session } from "../../session/session";
import { findId } from "../number/candidates";
import { goOnWaiting, nothingToRepair, refusedKyc } from "../number/kyc";
import { gone, untilActive } from "./members";
import { activationOutputs, activationProperties } from "./properties";

interface NumberState {
	readonly id: string;
	readonly phoneNumber?: string;
	readonly status: string;
}

const statesIn = ({ numbers }: Values): NumberState[] => (Array.isArray(numbers) ? (numbers as NumberState[]) : []);

export function activationHandler(session: Session): Handler {
	/** A ported number is named by its E.164 until a refresh. */
	const idsIn = async ({ numberIds }: Values): Promise<string[]> => {
		const service = await session.service();
		const ids = Array.isArray(numberIds) ? numberIds.map(String) : [];
		return Promise.all(ids.map(async (id) => (await findId(service, id)) ?? writtenName(id)));
	};

	/** Waits for the numbers that aren't active yet. */
	async function activate(id: string, inputs: Values): Promise<Values> {
		const members = await look(session, await idsIn(inputs));
		assertPresent(members);
		try {
			const urn = String(inputs.resourceUrn ?? "");
			await untilActive(session, { urn, members, timeoutMs: Number(inputs.timeoutSeconds ?? 600) * 1000 });
			return outputsOf(inputs, members);
		} catch (error) {
			const saved = { ...outputsOf(inputs, members), ...openOutputs({ isDirty: true }), __provider: inputs.__provider };
			throw new InitError(id, saved, error);
		}
	}

	return handler(session, {
		properties: activationProperties,
		async check(_olds, news) {
			const { inputs, failures } = checkProperties(activationProperties, news);
			return { inputs, failures: [...failures, ...(await configFailures(session))] };
		},
		async diff(_id, olds, news) {
			const changed = changedProperties(activationProperties, olds, news);
			return { changes: changed.length > 0, replaces: [], deleteBeforeReplace: false };
		},
		condition,
		async create(inputs) {
			const id = parseUrn(String(inputs.resourceUrn)).name || "activation";
			return { id, outs: await activate(id, inputs) };
		},
		async read(id, props) {
			const outs = outputsOf(props, await look(session, await idsIn(props), props), statesIn(props));
			return { id, props: outs, inputs: declaredInputs(activationProperties, outs) };
		},
		update: async (id, _olds, news) => ({ outs: await activate(id, news) }),
		delete: async () => {},
	});
}

export const activationDrift: DriftDefinition = {
	properties: activationProperties,
	outputs: activationOutputs,
	kept: ["refused"],
	lost: () => ({ consequence: "in place", way: "`pulumi up --refresh` waits again" }),
	condition,
};

/** An update is always due while a number isn't active: an Activation has nothing else to do. */
function condition(outputs: Values): Condition | undefined {
	const refused = (outputs.refused ?? {}) as Readonly<Record<string, string>>;
	const phase = (state: NumberState) => (state.status === gone ? gone : phaseOf(state));
	const inactive = statesIn(outputs).filter((state) => !["active", "untold"].includes(phase(state)));
	if (inactive.length === 0) return undefined;
	const textOf = (states: readonly NumberState[]) =>
		listed(
			states.map(({ id, phoneNumber, status }) => `${phoneNumber ?? id} ${refused[id] ?? status}`),
			", ",
		);
	const stuck = inactive.filter((state) => refused[state.id] !== undefined || phase(state) !== "pending");
	const change = { path: "numbers", declared: "all active", live: textOf(inactive) };
	if (stuck.length === 0)
		return { kind: "waiting", isDue: true, change, consequence: nothingToRepair, ways: [goOnWaiting] };
	return {
		kind: "problem",
		isDue: true,
		change,
		consequence: `cannot be repaired by waiting: ${textOf(stuck)}`,
		ways: [
			"restore it: get these numbers active first. Then `pulumi up --refresh` continues to wait",
			"accept it: remove them from `numberIds`",
		],
	};
}

/** Reads all numbers at once, so that one scan serves them. `olds` are the outputs of the last run. */
async function look(session: Session, ids: readonly string[], olds: Values = {}): Promise<Map<string, NumberRecord>> {
	const { client, numbers } = await session.service();
	const states = new Map(statesIn(olds).map((state) => [state.id, state]));
	const read = async (id: string): Promise<[string, NumberRecord]> => {
		const state = states.get(id);
		const isKnown = state === undefined ? session.memory.number.holderOf(id) !== undefined : state.status !== gone;
		const wasActive = state !== undefined && phaseOf(state) === "active";
		// A response may lag behind the purchase, or behind the state.
		const isDoubtful = (record: NumberRecord | undefined) =>
			record === undefined ? isKnown : record.reconciling === true || (wasActive && phaseOf(record) === "pending");
		try {
			const record = await numbers.read(id, isDoubtful);
			// A list may show less than a single read.
			const isPartial = !showsStatus(record) && (state === undefined || showsStatus(state));
			return [id, isPartial && client.offers("getById") ? await numbers.reread(id) : record];
		} catch (error) {
			if (!isGone(error)) throw error;
			return [id, { id, status: gone }];
		}
	};
	return new Map(await Promise.all(ids.map(read)));
}

function assertPresent(members: ReadonlyMap<string, NumberRecord>): void {
	const missing = [...members].flatMap(([id, record]) => (record.status === gone ? [id] : []));
	if (missing.length === 0) return;
	throw new TelephonyError(
		"Invalid",
		`numberIds: the account has no number ${listed(missing, ", ")}. Remove it from the list, or use the \`id\` outputs of your Numbers. While a number is ported, run \`pulumi up\` again. If a Number was removed outside Pulumi, run \`pulumi refresh\` first.`,
		{ messageCode: missing.every((id) => id.startsWith("+")) ? "port-pending" : "not-found" },
	);
}

/** `olds` say what a response leaves out: the number that was deleted, or a status. */
function outputsOf(
	declared: Values,
	members: ReadonlyMap<string, NumberRecord>,
	olds: readonly NumberState[] = [],
): Values {
	const states = new Map(olds.map((state) => [state.id, state]));
	const refused = [...members].flatMap(([id, record]) => {
		const text = refusedKyc(record);
		return text === undefined ? [] : [[id, text]];
	});
	return {
		...declaredOutputs(activationProperties, declared, {}),
		numbers: [...members].map(([id, record]) => {
			const old = states.get(id);
			const number = record.number ?? old?.phoneNumber;
			const phoneNumber = number && (canonicalE164(number) ?? number);
			return { id, phoneNumber, status: (!showsStatus(record) && old?.status) || statusOf(record) };
		}),
		...(refused.length === 0 ? {} : { refused: Object.fromEntries(refused) }),
		resourceUrn: declared.resourceUrn,
		organization: declared.organization,
	};
}
