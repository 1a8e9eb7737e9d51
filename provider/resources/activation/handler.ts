/** Waits until many numbers are active: one wait for a whole fleet, no matter what else the engine is doing. */
import type { NumberRecord } from "../../api/contract";
import { TelephonyError } from "../../api/errors";
import { showsStatus, statusOf } from "../../api/record";
import type { DriftDefinition } from "../../drift/definition";
import type { Condition } from "../../drift/states";
import { configFailures, type Handler, handler, InitError } from "../../lifecycle/resource";
import { parseUrn } from "../../ownership/claim";
import { canonicalE164, compareTimes } from "../../properties/canonical";
import { listed } from "../../properties/display";
import { openOutputs } from "../../properties/open";
import {
	changedProperties,
	checkProperties,
	declaredInputs,
	declaredOutputs,
	type Values,
} from "../../properties/table";
import type { Session } from "../../session/session";
import { idsOf } from "../number/adopt";
import { goOnWaiting, nothingToRepair, refusedKyc } from "../number/kyc";
import { type AwaitedNumber, look, type NumberState, phaseIn, statesIn, untilActive } from "./members";
import { activationOutputs, activationProperties } from "./properties";

export function activationHandler(session: Session): Handler {
	return handler(session, {
		// ---- Check ------------------------------------------------------------------------------------------------------

		async check(_olds, news) {
			const { inputs, failures } = checkProperties(activationProperties, news);
			return { inputs, failures: [...failures, ...(await configFailures(session))] };
		},

		// ---- Diff -------------------------------------------------------------------------------------------------------

		async diff(_id, olds, news) {
			const changed = changedProperties(activationProperties, olds, news);
			return { changes: changed.length > 0, replaces: [], deleteBeforeReplace: false };
		},

		condition,

		// ---- Create -----------------------------------------------------------------------------------------------------

		async create(inputs) {
			// It exists only in the state, so any name will do.
			const id = parseUrn(String(inputs.resourceUrn)).name || "activation";
			return { id, outs: await activate(id, inputs) };
		},

		// ---- Read -------------------------------------------------------------------------------------------------------

		async read(id, props) {
			const members = await look(session, await idsIn(session, props), props);
			const outs = { ...membersOutputs(props, members, statesIn(props)), createdAt: props.createdAt };
			return { id, props: outs, inputs: declaredInputs(activationProperties, outs) };
		},

		// ---- Update -----------------------------------------------------------------------------------------------------

		async update(id, _olds, news) {
			return { outs: await activate(id, news) };
		},

		// ---- Delete -----------------------------------------------------------------------------------------------------

		async delete() {
			// It has nothing of its own at the service.
		},
	});

	// ---- Helpers: the steps of create and update --------------------------------------------------------------------

	/** Waits for the numbers that are not active yet. Each refusal is reported at once, and fails the wait at its end. */
	async function activate(id: string, inputs: Values): Promise<Values> {
		const urn = String(inputs.resourceUrn ?? "");
		const members = await look(session, await idsIn(session, inputs));
		refuseMissing(members);
		try {
			await untilActive(session, { urn, members, timeoutMs: Number(inputs.timeoutSeconds ?? 600) * 1000 });
			return membersOutputs(inputs, members);
		} catch (error) {
			const marked = {
				...membersOutputs(inputs, members),
				...openOutputs({ unseen: [] }),
				__provider: inputs.__provider,
			};
			throw new InitError(id, marked, error);
		}
	}
}

export const activationDrift: DriftDefinition = {
	properties: activationProperties,
	outputs: activationOutputs,
	kept: ["refused"],
	lost: () => ({ consequence: "in place", way: "`pulumi up --refresh` waits again" }),
	condition,
};

// ---- Helpers ----------------------------------------------------------------------------------------------------------

function condition(outputs: Values): Condition | undefined {
	const refused = (outputs.refused ?? {}) as Readonly<Record<string, string>>;
	const open = statesIn(outputs)
		.filter((state) => !["active", "untold"].includes(phaseIn(state) ?? ""))
		.map((state) => ({ ...state, status: refused[state.id] ?? state.status }));
	if (open.length === 0) return undefined;
	const stuck = open.filter((state) => refused[state.id] !== undefined || phaseIn(state) !== "pending");
	const change = { path: "numbers", declared: "all active", live: counted(open) };
	if (stuck.length === 0)
		return { kind: "waiting", isDue: true, change, consequence: nothingToRepair, ways: [goOnWaiting] };
	return {
		kind: "problem",
		isDue: true,
		change,
		consequence: `cannot be repaired by waiting: ${counted(stuck)}`,
		ways: [
			"restore it: get these numbers active first. Then `pulumi up --refresh` continues to wait",
			"accept it: remove them from `numberIds`",
		],
	};
}

/** A number that was ported is named by its E.164 until a refresh. */
const idsIn = async (session: Session, { numberIds }: Values): Promise<readonly string[]> =>
	idsOf(await session.service(), Array.isArray(numberIds) ? numberIds.map(String) : []);

function refuseMissing(members: ReadonlyMap<string, AwaitedNumber>): void {
	const missing = [...members].flatMap(([id, member]) => (member === "gone" ? [id] : []));
	if (missing.length === 0) return;
	const isPorting = missing.every((id) => id.startsWith("+"));
	if (isPorting)
		throw new TelephonyError(
			"Invalid",
			`numberIds: ${listed(missing, ", ")} ${missing.length > 1 ? "are" : "is"} not on the account yet. Run \`pulumi up\` again when the port is complete.`,
			{ messageCode: "port-pending" },
		);
	throw new TelephonyError(
		"Invalid",
		`numberIds: the account has no number ${listed(missing, ", ")}. Remove ${missing.length > 1 ? "them" : "it"} from the list, or use the \`id\` outputs of your Numbers. If a Number was removed outside Pulumi, run \`pulumi refresh\` first.`,
		{ messageCode: "not-found" },
	);
}

const counted = (states: readonly NumberState[]): string =>
	listed(
		states.map(({ id, phoneNumber, status }) => `${phoneNumber ?? id} ${status}`),
		", ",
	);

/** `olds` hold what is known of numbers that are gone, or of which an answer says too little. */
function membersOutputs(
	declared: Values,
	members: ReadonlyMap<string, AwaitedNumber>,
	olds: readonly NumberState[] = [],
): Values {
	const records = [...members.values()].filter((member) => member !== "gone");
	const refused = records.flatMap((record) => {
		const text = refusedKyc(record);
		return text === undefined ? [] : [[record.id, text]];
	});
	return {
		...declaredOutputs(activationProperties, declared, {}),
		numbers: [...members].map(([id, member]) =>
			member === "gone"
				? { ...olds.find((old) => old.id === id), id, status: "gone" }
				: {
						id,
						phoneNumber: member.number == null ? undefined : (canonicalE164(member.number) ?? member.number),
						// An answer without a status says nothing of it.
						status: (!showsStatus(member) && olds.find((old) => old.id === id)?.status) || statusOf(member),
					},
		),
		...(refused.length === 0 ? {} : { refused: Object.fromEntries(refused) }),
		createdAt: lastBought(records),
		resourceUrn: declared.resourceUrn,
		organization: declared.organization,
	};
}

/** When the newest of them was made; a list may not show it yet. */
const lastBought = (records: readonly NumberRecord[]): string | undefined =>
	records
		.flatMap(({ created_at }) => created_at ?? [])
		.sort((a, b) => compareTimes(a, b) || 0)
		.at(-1);
