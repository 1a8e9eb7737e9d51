/** Waits until many numbers are active: one wait for a whole fleet, whatever the engine does at the same time. */
import { z } from "zod";
import type { NumberRecord } from "../api/contract";
import { isGone, isTelephonyError, nextStep, TelephonyError } from "../api/errors";
import type { Found } from "../poller";
import type { Service, Session } from "../session";
import { canonicalE164 } from "./canonical";
import { parseUrn } from "./claim";
import type { DriftDefinition } from "./drift";
import { scalar, setOf } from "./form";
import { deadlineText, goOnWaiting, kycText, kycWords, nothingToRepair, refusalText, requestText } from "./kyc";
import {
	type CheckFailure,
	changedProperties,
	checkProperties,
	declaredInputs,
	declaredOutputs,
	type Properties,
	unknownValue,
	type Values,
} from "./properties";
import { nameOf, statusOf } from "./record";
import { type Handler, handler, InitError } from "./resource";
import { duration } from "./wait";

// ---- Types and properties -------------------------------------------------------------------------------------------

const idOfNumber = z.string().min(1, "must be the id of a number, such as num_01");

export const activationProperties: Properties = {
	numberIds: {
		type: z.array(idOfNumber).min(1, "must name at least one number").superRefine(refuseRepeated),
		required: true,
		form: setOf(scalar),
	},
	timeout: {
		type: z.int("must be a whole number of seconds").min(1, "must be at least 1 second"),
		default: 600,
	},
};

/** What is known of one of the numbers; "gone" where the service has no such number. */
type Member = NumberRecord | "gone";

/** An output: what a program sees of one of the numbers. */
interface NumberState {
	readonly id: string;
	readonly number?: string;
	readonly status: string;
}

export function activationHandler(session: Session): Handler {
	return handler(session, {
		// ---- Check ------------------------------------------------------------------------------------------------------

		async check(_olds, news) {
			const { inputs, failures } = checkProperties(activationProperties, news);
			return { inputs, failures: [...failures, ...(await missingConfig())] };
		},

		// ---- Diff -------------------------------------------------------------------------------------------------------

		async diff(_id, olds, news) {
			const changed = changedProperties(activationProperties, olds, news);
			const waits = statesIn(olds).some(({ status }) => status !== "active");
			return { changes: changed.length > 0 || waits, replaces: [], deleteBeforeReplace: false };
		},

		// ---- Create -----------------------------------------------------------------------------------------------------

		async create(inputs) {
			// It exists in the state alone, so any name does.
			const id = parseUrn(String(inputs.resourceUrn)).name || "activation";
			return { id, outs: await activate(id, inputs) };
		},

		// ---- Read -------------------------------------------------------------------------------------------------------

		async read(id, props) {
			const members = await look(await session.service(), idsIn(props));
			const outs = outputs(props, members, statesIn(props));
			return { id, props: outs, inputs: declaredInputs(activationProperties, outs) };
		},

		// ---- Update -----------------------------------------------------------------------------------------------------

		async update(id, _olds, news) {
			return { outs: await activate(id, news) };
		},

		// ---- Delete -----------------------------------------------------------------------------------------------------

		async delete() {
			// There is nothing at the service that is only its own.
		},
	});

	// ---- Helpers: the steps of create and update --------------------------------------------------------------------

	async function missingConfig(): Promise<CheckFailure[]> {
		try {
			await session.config();
			return [];
		} catch (error) {
			if (!isTelephonyError(error, "Config")) throw error;
			return [{ property: "", reason: error.message }];
		}
	}

	/** Waits for those that are not active yet; each refusal is told at once, and fails the wait at its end. */
	async function activate(id: string, inputs: Values): Promise<Values> {
		const service = await session.service();
		const urn = String(inputs.resourceUrn ?? "");
		const members = await look(service, idsIn(inputs));
		refuseMissing(members);
		const timeoutMs = Number(inputs.timeout ?? 600) * 1000;
		const refused = new Set<string>();
		const note = (memberId: string) => {
			const problem = problemOf(members.get(memberId));
			if (problem === undefined) return;
			refused.add(memberId);
			session.progress.warn(urn, problem);
		};
		for (const memberId of members.keys()) note(memberId);
		try {
			const ending = await service.waits.wait({
				open: () => [...members].flatMap(([memberId, member]) => (isWaiting(member) ? [memberId] : [])),
				see: (memberId, found) => {
					const member = memberOf(found);
					members.set(memberId, member);
					if (member === "gone") service.numbers.wrote(memberId);
					else service.numbers.wrote(memberId, member);
					note(memberId);
				},
				timeoutMs,
				report: (leftMs) => session.progress.status(urn, `${countText(members)}, ${duration(leftMs)} left`),
			});
			if (ending === "done" && refused.size === 0) return outputs(inputs, members);
			const time = ending === "late" ? ` after ${duration(timeoutMs)}` : "";
			const why = ending === "stopped" ? ` (${session.ending.reason})` : "";
			throw notActive(members, `${countText(members)}${time}${why}`);
		} catch (error) {
			throw new InitError(id, { ...outputs(inputs, members), __provider: inputs.__provider }, error);
		}
	}
}

export const activationDrift: DriftDefinition = {
	properties: activationProperties,
	outputs: { numbers: "`pending` is an update that waits; any other status than `active` is a warning" },
	lost: { consequence: "in place", way: "`pulumi up --refresh` waits again" },
	standing: (outputs) => {
		const open = statesIn(outputs).filter(({ status }) => status !== "active");
		if (open.length === 0) return undefined;
		const stuck = open.filter(({ status }) => status !== "pending");
		const change = { path: "numbers", declared: "all active", live: counted(open) };
		return stuck.length === 0
			? { kind: "waiting", change, consequence: nothingToRepair, ways: [goOnWaiting] }
			: {
					kind: "problem",
					change,
					consequence: `cannot be repaired by waiting: ${counted(stuck)}`,
					ways: [
						"put it back: see to these numbers first, then `pulumi up --refresh` goes on waiting",
						"take it over: take them out of `numberIds`",
					],
				};
	},
};

// ---- Helpers ----------------------------------------------------------------------------------------------------------

/** Of unknown ones nobody can tell yet. */
function refuseRepeated(ids: readonly string[], context: z.RefinementCtx): void {
	for (const [index, id] of ids.entries()) {
		const first = ids.indexOf(id);
		if (first === index || id === unknownValue) continue;
		context.addIssue({ code: "custom", path: [index], message: `must not repeat numberIds[${first}]` });
	}
}

const idsIn = ({ numberIds }: Values): string[] => (Array.isArray(numberIds) ? numberIds.map(String) : []);

const statesIn = ({ numbers }: Values): NumberState[] => (Array.isArray(numbers) ? (numbers as NumberState[]) : []);

/** All at once: they are answered from one scan. */
async function look({ numbers }: Service, ids: readonly string[]): Promise<Map<string, Member>> {
	const members = await Promise.all(
		ids.map(async (id): Promise<[string, Member]> => {
			try {
				return [id, await numbers.read(id)];
			} catch (error) {
				return [id, memberOf({ error })];
			}
		}),
	);
	return new Map(members);
}

function memberOf(found: Found<NumberRecord>): Member {
	if ("record" in found) return found.record;
	if (!isGone(found.error)) throw found.error;
	return "gone";
}

function refuseMissing(members: ReadonlyMap<string, Member>): void {
	const missing = [...members].flatMap(([id, member]) => (member === "gone" ? [id] : []));
	if (missing.length === 0) return;
	throw new TelephonyError(
		"Invalid",
		`numberIds: the account has no number ${listed(missing, ", ")}. Take ${missing.length > 1 ? "them" : "it"} out of the list, or use the \`id\` outputs of the Numbers meant (after a \`pulumi refresh\`, if they were removed outside Pulumi). Nothing was waited for.`,
	);
}

const isWaiting = (member: Member): boolean =>
	member !== "gone" && statusOf(member) !== "active" && problemOf(member) === undefined;

/** Why waiting can't make it active; undefined while it can, or has. */
function problemOf(member: Member | undefined): string | undefined {
	if (member === undefined) return undefined;
	if (member === "gone") return "One of the numbers was released while it was waited for.";
	const refusal = refusalText(member);
	if (refusal !== undefined) return `${nameOf(member)} ${refusal}${requestText(member)}`;
	const status = statusOf(member);
	// KYC is over: somebody else has to act.
	return status === "suspended" || status === "porting_out" ? `${nameOf(member)} is ${status}` : undefined;
}

const counted = (states: readonly NumberState[]): string =>
	listed(
		states.map(({ id, number, status }) => `${number ?? id} ${status}`),
		", ",
	);

/** `37 of 40 active, 2 in review, 1 rejected`. */
function countText(members: ReadonlyMap<string, Member>): string {
	const counts = new Map<string, number>();
	for (const member of members.values()) {
		const word = wordOf(member);
		counts.set(word, (counts.get(word) ?? 0) + 1);
	}
	const { active = 0, ...others } = Object.fromEntries(counts);
	return [`${active} of ${members.size} active`, ...Object.entries(others).map(([word, n]) => `${n} ${word}`)].join(
		", ",
	);
}

function wordOf(member: Member): string {
	if (member === "gone") return "gone";
	const status = statusOf(member);
	const kyc = member.kyc?.status;
	return status === "pending" && kyc !== undefined ? kycWords(kyc) : status.replaceAll("_", " ");
}

function notActive(members: ReadonlyMap<string, Member>, count: string): TelephonyError {
	const refused: string[] = [];
	const waiting: string[] = [];
	for (const [id, member] of members) {
		if (member === "gone") refused.push(`${id} is gone`);
		else if (isWaiting(member)) waiting.push(`${nameOf(member)} ${kycText(member)}${deadlineText(member)}`);
		else if (statusOf(member) !== "active") refused.push(problemOf(member) ?? nameOf(member));
	}
	const parts = [
		`${count}.`,
		...(refused.length === 0 ? [] : [`Refused: ${listed(refused, "; ")}. ${nextStep("KycRefused")}`]),
		...(waiting.length === 0 ? [] : [`Waiting: ${listed(waiting, "; ")}. ${nextStep("KycPending")}`]),
	];
	return new TelephonyError(refused.length > 0 ? "KycRefused" : "KycPending", parts.join(" "));
}

/** A fleet would fill the screen. */
const listed = (items: readonly string[], separator: string): string =>
	items.length <= 10 ? items.join(separator) : `${items.slice(0, 10).join(separator)} and ${items.length - 10} more`;

/** `olds` know the E.164 of what is gone. */
function outputs(declared: Values, members: ReadonlyMap<string, Member>, olds: readonly NumberState[] = []): Values {
	return {
		...declaredOutputs(activationProperties, declared, {}),
		numbers: [...members].map(([id, member]) =>
			member === "gone"
				? { ...olds.find((old) => old.id === id), id, status: "gone" }
				: {
						id,
						number: member.number == null ? undefined : (canonicalE164(member.number) ?? member.number),
						status: statusOf(member),
					},
		),
		resourceUrn: declared.resourceUrn,
		organization: declared.organization,
	};
}
