/**
 * The closed set of errors, named by what to do about them. Every message says what failed, what the service reported
 * (its code, status and request_id) and the next step.
 *
 * No class has an `id` or a numeric `code`: the Pulumi host takes the first for "created but not initialised" and gRPC
 * takes the second for its status.
 */
import { type Feature, inUseCode, type OperationName, operations, kinds as serviceKinds, usedKinds } from "./contract";
import { codeHint, namesHint, savedConfigurationHint } from "./description/hint";
import { defined } from "./json";
import { coded, type MessageCode } from "./message-codes";

// A brand, not instanceof: an error made by another copy of this package must still be recognized.
const brand = Symbol.for("pulumi-telephony.error");

/** Each kind has its own next step: see {@link nextStep}. */
export type ErrorKind = keyof typeof kinds;

/** Facts about a failed request, besides its text. */
export interface Failure {
	/** The operation of the contract, such as `buyNumber`. */
	readonly operation?: OperationName;
	/** HTTP status; absent without a response. For an error object behind a 2xx, the status that its code stands for. */
	readonly status?: number;
	/** The service's error code, or `http_<status>` if the body was not its error object: see {@link isOwn}. */
	readonly errorCode?: string;
	/** For the service's support. */
	readonly requestId?: string;
	/** The error object's optional `details`. */
	readonly details?: unknown;
	/** True if the service replayed this response: the request had no effect, and won't have any under this key. */
	readonly replayed?: boolean;
	readonly feature?: Feature;
	/** The code at the end of the message. Default: the kind's own. */
	readonly messageCode?: MessageCode;
	/** Values of the message, such as ids, so that nothing has to parse it. Default: those of the cause. */
	readonly values?: Readonly<Record<string, unknown>>;
	/** The last sentences of the message. */
	readonly nextStep?: string;
	/** An error of the same kind gives this one its code, values, status, error code and request id, unless they are given. */
	readonly cause?: unknown;
}

export class TelephonyError extends Error {
	readonly [brand] = true;
	readonly kind: ErrorKind;
	readonly operation?: OperationName;
	readonly status?: number;
	readonly errorCode?: string;
	readonly requestId?: string;
	readonly details?: unknown;
	readonly replayed?: boolean;
	readonly feature?: Feature;
	readonly messageCode: MessageCode;
	readonly values?: Readonly<Record<string, unknown>>;
	/** The message without the next step and the code. */
	readonly text: string;
	readonly nextStep?: string;

	constructor(kind: ErrorKind, text: string, { cause, nextStep, ...details }: Failure = {}) {
		const same = isTelephonyError(cause, kind) ? cause : undefined;
		const messageCode = details.messageCode ?? same?.messageCode ?? kinds[kind][0];
		super(
			coded(nextStep === undefined ? text : `${text} ${nextStep}`, messageCode),
			cause === undefined ? undefined : { cause },
		);
		this.name = `${kind}Error`;
		this.kind = kind;
		const { status, errorCode, requestId } = same ?? {};
		const values = isTelephonyError(cause) ? cause.values : undefined;
		Object.assign(this, { values, status, errorCode, requestId }, nextStep === undefined ? {} : { nextStep }, details);
		this.messageCode = messageCode;
		this.text = text;
	}
}

export const configError = (text: string): TelephonyError => new TelephonyError("Config", text);

/** True for an error of ours (of the given kind), whichever copy of the package made it. */
export function isTelephonyError(error: unknown, kind?: ErrorKind): error is TelephonyError {
	return (
		typeof error === "object" &&
		error !== null &&
		(error as Record<symbol, unknown>)[brand] === true &&
		(kind === undefined || (error as TelephonyError).kind === kind)
	);
}

/** Adds to an error that a line of the service description may fix how a refresh or a destroy gets the line. */
export function withSavedConfiguration(error: unknown): unknown {
	if (!isTelephonyError(error, "ContractMismatch") && !isTelephonyError(error, "NotOffered")) return error;
	const { kind, text, operation, details, replayed, feature, nextStep } = error;
	const steps = nextStep === undefined ? savedConfigurationHint : `${nextStep}\n${savedConfigurationHint}`;
	return new TelephonyError(kind, text, {
		...defined({ operation, details, replayed, feature }),
		nextStep: steps,
		cause: error,
	});
}

/** True for 404 or 410 *with* the service's own code: a wrong path's plain 404 must not delete anything from a state. */
export function isNotFound(error: unknown): boolean {
	return isTelephonyError(error, "NotFound");
}

const transient: ReadonlySet<ErrorKind> = new Set(["Unavailable", "RateLimited", "Interrupted"]);

/** True if the same read may succeed in another run. */
export const isTransient = (error: unknown): error is TelephonyError =>
	isTelephonyError(error) && transient.has(error.kind);

/** True if the service itself reports the error, in its error object. A gateway's response proves only a failure. */
export const isOwn = ({ errorCode }: Failure): boolean => errorCode !== undefined && !/^http_\d+$/.test(errorCode);

const isNoSuchOperation = ({ errorCode }: Failure): boolean =>
	errorCode === "operation_not_offered" || errorCode === "method_not_allowed";

/** True if the service reports that it lacks the operation's feature. */
export const saysNotOffered = (error: TelephonyError): boolean =>
	error.kind === "NotOffered" && isNoSuchOperation(error);

/** Statuses of a gateway or a wrong address where nothing is found. */
const nothingThere = new Set([404, 405, 410, 501]);

interface FailedResponse extends Failure {
	readonly status: number;
	readonly errorCode: string;
	readonly message: string;
	/** As received, for the message. @default status */
	readonly httpStatus?: number;
	/** True for a JSON object that isn't the service's error object. */
	readonly isOtherObject?: boolean;
}

/** True for an object that is deleted, or missing from the list of a service without single reads. */
export const isAbsent = (error: unknown): boolean => isNotFound(error) || isTelephonyError(error, "Unlisted");

/**
 * Only the list can be read, and it doesn't show the object. No URN is named: the one in the state is an old one after a
 * rename, and a number of a pool has none.
 */
export const unlisted = (name: string, isOfPool = false): TelephonyError =>
	new TelephonyError(
		"Unlisted",
		`${name} is not in the account's list, which may lag. The state is unchanged. Check the service's dashboard. If it is there, run again later.${isOfPool ? "" : " If it was deleted, run `pulumi state delete` (`pulumi stack --show-urns` lists the URNs)."}`,
		{ feature: "getById" },
	);

export function errorOfResponse(doing: string, failure: FailedResponse): TelephonyError {
	const { message, httpStatus = failure.status, isOtherObject, ...details } = failure;
	const { errorCode, status, requestId, feature } = details;
	const kind = kindOf(failure);
	const [messageCode, remedy] = (Object.hasOwn(special, errorCode) && special[errorCode]) || kinds[kind];
	const reported = message.slice(0, 512).replace(/[\s.]+$/, "");
	const ids = `${errorCode}, HTTP ${httpStatus}, ${requestId === undefined ? "no request_id" : `request_id ${requestId}`}`;
	const missing = kind === "NotOffered" ? ` This service doesn't offer the feature ${feature}.` : "";
	const isMissing = kind === "Unavailable" && nothingThere.has(status);
	const hints = [
		isMissing &&
			(feature === undefined
				? "If this happens every time, check telephony:baseUrl (or TELEPHONY_BASE_URL)."
				: `If this happens every time, the service doesn't offer the feature ${feature}. Add -${feature} to \`telephony:features\`.`),
		((isOtherObject && status < 500) || kind === "NotOffered" || (isMissing && feature !== undefined)) && namesHint,
		kind === "ContractMismatch" && codeHint(errorCode),
	].filter(Boolean);
	return new TelephonyError(kind, `${doing} failed: ${reported} (${ids}).${missing}`, {
		...details,
		nextStep: hints.length === 0 ? remedy : `${remedy}\n${hints.join(" ")}`,
		messageCode,
	});
}

const kindsByStatus: Readonly<Record<number, ErrorKind>> = {
	401: "Unauthorized",
	402: "Forbidden",
	403: "Forbidden",
	408: "Unavailable",
	409: "Conflict",
	412: "Conflict",
	429: "RateLimited",
};

function kindOf(failure: FailedResponse): ErrorKind {
	const { operation, status, errorCode } = failure;
	const namesObject = operation === undefined || operations[operation].path.includes("{id}");
	if (namesObject && (errorCode === "not_found" || errorCode === "gone")) return "NotFound";
	if (status >= 500 && status !== 501) return "Unavailable";
	// The public description leaves the status of a rejected key open.
	if (errorCode === "unauthorized") return "Unauthorized";
	if (!nothingThere.has(status)) return kindsByStatus[status] ?? (status < 400 ? "Config" : "Invalid");
	return kindOfNothing(failure, namesObject);
}

/** There is no such object or operation at this address, or the address is wrong. */
function kindOfNothing(failure: FailedResponse, namesObject: boolean): ErrorKind {
	const { status, feature } = failure;
	if (!isOwn(failure)) return "Unavailable";
	// The operations that every service offers are missing only at a wrong address.
	if (feature === undefined) return "Config";
	// With an unknown code, either the object or the operation may be missing.
	const isUnclear = namesObject && (status === 404 || status === 410) && !isNoSuchOperation(failure);
	return isUnclear ? "ContractMismatch" : "NotOffered";
}

/** A single `up` would remove the object by its saved `onDelete`. */
export const handOverSteps =
	'in the program that claims it, set `onDelete: "retain"`, run `pulumi up`, remove it, and run `pulumi up` again';
export const handOver = `${handOverSteps}.`;

/** The code at the end of a message, and its next step. */
type Advice = readonly [code: MessageCode, remedy: string];

const kinds = {
	Config: [
		"config",
		"Check telephony:baseUrl (or TELEPHONY_BASE_URL): it must be the service's own address, with /v1.",
	],
	Unauthorized: [
		"rejected-key",
		"Nothing was changed. Set a valid key in TELEPHONY_API_KEY or `telephony:apiKey`, then run `pulumi up`.\nTELEPHONY_API_KEY wins. Without it, `pulumi refresh` and `destroy` use the key of the last `up`.",
	],
	Forbidden: [
		"account-refused",
		"Check the account's balance, status and key permissions in the service's dashboard, then run again.",
	],
	Invalid: ["invalid-input", "Correct the property and run again."],
	NotFound: ["not-found", "If it was removed outside Pulumi, `pulumi refresh` removes it from the state."],
	Unlisted: ["not-shown", "Check in the service's dashboard whether it still exists."],
	NotOffered: ["not-offered", "Remove what needs it, or correct `telephony:features`."],
	Conflict: [
		"conflict",
		"The service refused the request, so it changed nothing. Fix what it names, then run `pulumi up`.",
	],
	RateLimited: ["rate-limited", "Wait, then run again. `--parallel 4` sends fewer requests at once."],
	Unavailable: ["unavailable", "The state is unchanged. Run again later."],
	OutcomeUnknown: ["unconfirmed-write", "Check the account before you run again."],
	ContractMismatch: [
		"unreadable-response",
		"The service may have changed. Report this to the service's support, with the request_id.",
	],
	Claimed: ["claimed", `Remove it from this program, or keep it: ${handOver}`],
	Interrupted: ["interrupted", "Run `pulumi up` again to continue."],
	KycPending: ["kyc-pending", "Run `pulumi up` again to continue waiting."],
	KycRefused: ["kyc-rejected", "Submit the missing documents in the service's dashboard, then run `pulumi up` again."],
} as const satisfies Readonly<Record<string, Advice>>;

const inUseAdvice = Object.fromEntries(
	usedKinds.map((kind): [string, Advice] => {
		const { noun } = serviceKinds[kind];
		return [inUseCode(kind), ["in-use", `First give the numbers that use this ${noun} another ${noun}.`]];
	}),
);

/** Codes of the service with a better next step than their status. */
const special: Readonly<Record<string, Advice>> = {
	no_inventory: [
		"no-inventory",
		"Try another area or type, or ask the service when it has numbers again.\nIf the error then stays, change `generation`, because the service may repeat its refusal.",
	],
	unsupported_market: ["no-inventory", "The service sells no numbers in this country: choose another `country`."],
	release_protected: ["release-protected", "Set `releaseProtection: false`, run `pulumi up`, then release it."],
	...inUseAdvice,
	kyc_profile_locked: [
		"conflict",
		"Wait for the decision. If it is approved, declare a second profile and use its id as `kycProfileId`.",
	],
	requirements_missing: ["invalid-input", "Add what is missing, then run `pulumi up` again."],
	number_not_portable: [
		"invalid-input",
		"Correct `numbers`. If an interrupted run created an order for them, set `adopt` to its id.",
	],
	port_not_cancellable: ["conflict", "The order continues, and its numbers will arrive on this account."],
	invalid_reference: [
		"invalid-input",
		"The program refers to an object that isn't on the account. Use the `id` output of the resource that creates it.",
	],
	capability_missing: [
		"invalid-input",
		"This number has no SMS: remove `smsWebhookUrl`, or buy a number whose capabilities include sms.",
	],
	number_not_active: [
		"kyc-pending",
		"The service configures only active numbers. Run `pulumi up` again once the number is active.",
	],
	number_in_use: ["in-use", "The number is in use, for example by a call. Run again when it is free."],
	port_in_progress: ["in-use", "A port is in progress. Wait until it completes, or cancel it."],
	capacity_exceeded: ["account-refused", "Lower `capacity`, or ask the service for a higher limit."],
	limit_exceeded: [
		"account-refused",
		"Ask the service for a higher limit, or remove objects that the account doesn't need.",
	],
};

/** Codes of the service with a next step of their own. */
export const serviceCodes: readonly string[] = Object.keys(special);

/** The next step for a kind, for errors without a response of the service. */
export const nextStep = (kind: ErrorKind): string => kinds[kind][1];
