/** Waits until many numbers are active: one wait for a whole fleet. An Activation exists only in the state. */
import type { NumberRecord, PurchaseRecord } from "../../api/contract";
import { isNotFound, isTelephonyError, TelephonyError } from "../../api/errors";
import { phaseOf, showsStatus, statusOf } from "../../api/record";
import { type Condition, conditionText, keepWaiting } from "../../drift/condition";
import type { DriftDefinition } from "../../drift/definition";
import { configFailures, type Handler, handler, InitError } from "../../lifecycle/resource";
import { parseUrn, stateIdentity } from "../../ownership/claim";
import { canonicalNumber } from "../../properties/canonical";
import { listed } from "../../properties/display";
import { openOutputs } from "../../properties/open";
import { writtenName } from "../../properties/phone";
import {
	changedProperties,
	checkProperties,
	declaredInputs,
	declaredOutputs,
	urnOf,
	type Values,
} from "../../properties/table";
import type { Service, Session } from "../../session/session";
import { findId } from "../number/candidates";
import { numberCondition } from "../number/kyc";
import { deleted, memberCondition, untilActive } from "./members";
import { activationOutputs, activationProperties } from "./properties";

interface NumberState {
	readonly id: string;
	readonly phoneNumber?: string;
	readonly status: string;
}

/** KYC of a number that it has refused, as the service shows it. */
type Refusal = Pick<NonNullable<PurchaseRecord["kyc"]>, "status" | "reasons">;

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
		const members = await readMembers(session, await idsIn(inputs));
		assertPresent(members);
		try {
			const urn = urnOf(inputs);
			await untilActive(session, { urn, members, timeoutMs: Number(inputs.timeoutSeconds ?? 600) * 1000 });
			return outputsOf(inputs, members);
		} catch (error) {
			const saved = { ...outputsOf(inputs, members), ...openOutputs({ isDirty: true }), __provider: inputs.__provider };
			throw new InitError(id, saved, error);
		}
	}

	return handler(session, {
		properties: activationProperties,
		async check(olds, news) {
			const { inputs, failures } = checkProperties(activationProperties, news, { held: olds });
			return { inputs, failures: [...failures, ...(await configFailures(session))] };
		},
		async diff(_id, olds, news) {
			const changed = changedProperties(activationProperties, olds, news);
			return { changes: changed.length > 0, replaces: [], deleteBeforeReplace: false };
		},
		condition,
		async create(inputs) {
			const id = parseUrn(urnOf(inputs)).name || "activation";
			return { id, outs: await activate(id, inputs) };
		},
		async read(id, props) {
			const outs = outputsOf(props, await readMembers(session, await idsIn(props), props), statesIn(props));
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
	ifDeleted: () => ({ consequence: "in place", fix: "`pulumi up --refresh` waits again" }),
	condition,
};

/** An update is always due while a number isn't active: an Activation has nothing else to do. */
function condition(outputs: Values): Condition | undefined {
	const refused = (outputs.refused ?? {}) as Readonly<Record<string, Refusal>>;
	const waiting: string[] = [];
	const stuck: string[] = [];
	for (const { id, phoneNumber, status } of statesIn(outputs)) {
		const found = memberCondition({ id, number: phoneNumber, status, kyc: refused[id] });
		if (found === undefined) continue;
		const list = found.kind === "problem" ? stuck : waiting;
		list.push(`${phoneNumber ?? id} ${conditionText(found)}`);
	}
	const live = listed([...stuck, ...waiting], ", ");
	const inactive = { isDue: true, goal: "active", change: { path: "numbers", declared: "all active", live } };
	if (stuck.length > 0)
		return {
			...inactive,
			kind: "problem",
			status: listed(stuck, ", "),
			fixes: [
				{ code: "restore", text: "get these numbers active first. Then `pulumi up --refresh` continues to wait" },
				{ code: "accept", text: "remove them from `numberIds`" },
			],
		};
	return waiting.length === 0 ? undefined : { ...inactive, kind: "waiting", status: live, fixes: [keepWaiting] };
}

/** Reads all numbers at once, so that one scan serves them. `olds` are the outputs of the last run. */
async function readMembers(
	session: Session,
	ids: readonly string[],
	olds: Values = {},
): Promise<Map<string, NumberRecord>> {
	const service = await session.service();
	const { numbers } = service;
	const states = new Map(statesIn(olds).map((state) => [state.id, state]));
	const read = async (id: string): Promise<[string, NumberRecord]> => {
		const state = states.get(id);
		const isKnown = state === undefined ? session.memory.number.holderOf(id) !== undefined : state.status !== deleted;
		const wasActive = state !== undefined && phaseOf(state) === "active";
		// A response may lag behind the purchase, or behind the state.
		const isDoubtful = (record: NumberRecord | undefined) =>
			record === undefined ? isKnown : record.reconciling === true || (wasActive && phaseOf(record) === "pending");
		const isPartial = (record: NumberRecord) => !showsStatus(record) && (state === undefined || showsStatus(state));
		try {
			return [id, await numbers.read(id, { isDoubtful, isPartial })];
		} catch (error) {
			if (!isNotFound(error)) throw error;
			return [id, { id, status: deleted }];
		}
	};
	const members = new Map(await Promise.all(ids.map(read)));
	await assertOwnAccount(service, members, olds);
	return members;
}

/**
 * Refuses an account that shows none of the numbers that the state has, unless it is proven otherwise.
 * @throws TelephonyError Config
 */
async function assertOwnAccount(
	{ account, client, config }: Service,
	members: ReadonlyMap<string, NumberRecord>,
	olds: Values,
): Promise<void> {
	const saved = statesIn(olds).filter(({ id, status }) => members.has(id) && status !== deleted);
	const isSame = ({ id, phoneNumber }: NumberState) => {
		const number = members.get(id)?.number;
		if (members.get(id)?.status === deleted) return false;
		return number == null || phoneNumber === undefined || canonicalNumber(number) === phoneNumber;
	};
	const others = saved.filter((state) => !isSame(state));
	if (others.length < saved.length) return;
	const claim = stateIdentity(olds, config, client.offers("reference"));
	const judge = ({ id, phoneNumber }: NumberState) =>
		account.judge({ kind: "number", id, claim, saved: { phoneNumber } }, async () => {
			const record = members.get(id);
			if (record !== undefined && record.status !== deleted) return record;
			throw new TelephonyError("NotFound", `${id} doesn't exist on the account.`);
		});
	for (const result of await Promise.allSettled(others.map(judge))) {
		if (result.status === "fulfilled" || isNotFound(result.reason)) continue;
		// An Activation releases nothing, so any object of the state is enough.
		if (!isTelephonyError(result.reason, "Config") || !(await account.showsState(claim))) throw result.reason;
	}
}

function assertPresent(members: ReadonlyMap<string, NumberRecord>): void {
	const missing = [...members].flatMap(([id, record]) => (record.status === deleted ? [id] : []));
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
	const refused: Record<string, Refusal> = {};
	for (const [id, record] of members) {
		const isRefused = phaseOf(record) === "pending" && numberCondition({}, record)?.kind === "problem";
		if (isRefused && record.kyc) refused[id] = { status: record.kyc.status, reasons: record.kyc.reasons };
	}
	return {
		...declaredOutputs(activationProperties, declared, {}),
		numbers: [...members].map(([id, record]) => {
			const old = states.get(id);
			const number = record.number ?? old?.phoneNumber;
			const phoneNumber = number && canonicalNumber(number);
			return { id, phoneNumber, status: (!showsStatus(record) && old?.status) || statusOf(record) };
		}),
		...(Object.keys(refused).length === 0 ? {} : { refused }),
		__resourceUrn: declared.__resourceUrn,
		organization: declared.organization,
	};
}
