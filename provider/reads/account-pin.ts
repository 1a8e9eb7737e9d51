/**
 * The pinned account, `telephony:account`: the id of the account, or the id or E.164 of one of its numbers. It is compared
 * once per process, before the first request of a resource, so it holds in every mode of the engine.
 */
import type { Client } from "../api/client";
import type { AccountRecord, NumberRecord } from "../api/contract";
import { configError, isTelephonyError, TelephonyError } from "../api/errors";
import type { MessageCode } from "../api/message-codes";
import { isReleasedOrFailed } from "../api/record";
import { unreadableIn } from "../api/response";
import { canonicalE164, writtenE164 } from "../properties/canonical";

export interface AccountPin {
	/** A phone number has its plus, and no separators. */
	readonly text: string;
	readonly isPhone: boolean;
	/** The setting that has it, for messages. */
	readonly from: string;
}

/** The value that states that nothing is pinned, such as for one run with another pin in its state. */
const unpinned = "none";

/** @returns undefined if nothing is pinned @throws TelephonyError Config */
export function accountPinIn(given: string | undefined, from: string): AccountPin | undefined {
	const text = given?.trim();
	if (text === undefined || text === unpinned) return undefined;
	const phone = phonePin(text);
	if (phone !== undefined) return { text: phone, isPhone: true, from };
	// Structured configuration arrives as JSON.
	if (/^[^\s+"'{}[\]][^\s"'{}[\]]{0,254}$/.test(text)) return { text, isPhone: false, from };
	throw configError(
		`${from} must be the account's id, or a number of the account in E.164 such as +31201234567, not ${JSON.stringify(given)}. Nothing was changed. Run \`pulumi config set telephony:account …\`, or set TELEPHONY_ACCOUNT.`,
	);
}

/** Returns a phone number as a pin; undefined if it isn't one, or isn't known yet. */
export function phonePin(number: string | null | undefined): string | undefined {
	const phone = writtenE164(number ?? "");
	return phone !== undefined && /^\+\d{7,15}$/.test(phone) ? phone : undefined;
}

/** Returns the first value that can be pinned, and that a shell takes as it is. */
export const pinnable = (...values: readonly (string | null | undefined)[]): string | undefined =>
	values.find((value): value is string => value != null && value !== unpinned && plainPin.test(value));

const plainPin = /^(\+[1-9]\d{6,14}|\w[\w.:@/-]{0,254})$/;

export const pinCommand = (value: string): string => `pulumi config set telephony:account ${value}`;

const isPhoneOf = ({ text }: AccountPin, { number }: { readonly number?: unknown }): boolean =>
	typeof number === "string" && canonicalE164(number) === text;

// ---- The comparison -----------------------------------------------------------------------------------------------------

/** Facts about the account, as far as they were read. */
export interface AccountFacts {
	readonly account?: AccountRecord | { readonly hiddenBecause: string };
	/** The pinned number. */
	readonly number?: "found" | "missing";
}

export type PinAction =
	| { readonly do: "read"; readonly what: "account" | "numberById" | "numberByPhone" }
	/** `isProof`: the account needs no other evidence. */
	| { readonly do: "accept"; readonly isProof: boolean }
	| { readonly do: "refuse"; readonly why: "number-missing" | "other-account" | "unknown-account" };

/** Decides what to read next, or if the account is the pinned one. */
export function decidePin({ text, isPhone }: Omit<AccountPin, "from">, { account, number }: AccountFacts): PinAction {
	if (isPhone) {
		if (number === undefined) return { do: "read", what: "numberByPhone" };
		return number === "found" ? { do: "accept", isProof: true } : { do: "refuse", why: "number-missing" };
	}
	if (account === undefined) return { do: "read", what: "account" };
	const isHidden = "hiddenBecause" in account;
	if (!isHidden && account.id === text) return { do: "accept", isProof: true };
	// Where ids of numbers are small integers, every account has them.
	const isOther = /^\d+$/.test(text) || number === "missing";
	if (isOther) return { do: "refuse", why: isHidden ? "unknown-account" : "other-account" };
	// Another account may have a number with this id.
	return number === undefined ? { do: "read", what: "numberById" } : { do: "accept", isProof: false };
}

/** Reads until the account is accepted. Returns true if it needs no other evidence. @throws TelephonyError */
export async function assertPinned(client: Client, pin: AccountPin, baseUrl: string): Promise<boolean> {
	const source = new PinSource(client, pin);
	let facts: AccountFacts = {};
	for (;;) {
		const action = decidePin(pin, facts);
		if (action.do === "accept") return action.isProof;
		if (action.do === "refuse") throw await refusal(action.why, { pin, baseUrl, source });
		facts = { ...facts, ...(await source[action.what]()) };
	}
}

// ---- Reads --------------------------------------------------------------------------------------------------------------

class PinSource {
	readonly #client: Client;
	readonly #pin: AccountPin;
	#account: AccountFacts["account"];
	/** A phone number of this account that the list has shown. */
	phone: string | undefined;

	constructor(client: Client, pin: AccountPin) {
		this.#client = client;
		this.#pin = pin;
	}

	async account(): Promise<{ readonly account: NonNullable<AccountFacts["account"]> }> {
		const { account } = this.#client;
		this.#account ??= this.#client.declaresLack("account")
			? { hiddenBecause: "declared by -account" }
			: await account.get().catch((error) => ({ hiddenBecause: reasonOf(error) }));
		return { account: this.#account };
	}

	async numberById(): Promise<AccountFacts> {
		const record = await this.#findNumber(this.#pin.text);
		return { number: record === undefined || isReleasedOrFailed(record) ? "missing" : "found" };
	}

	async numberByPhone(): Promise<AccountFacts> {
		const unnamed: NumberRecord[] = [];
		for await (const page of this.#client.numbers.pages()) {
			const live = page.filter((record) => !isReleasedOrFailed(record));
			const odd = unreadableIn(page).flatMap(({ fields }) => (isReleasedOrFailed(fields) ? [] : [fields]));
			if ([...live, ...odd].some((record) => isPhoneOf(this.#pin, record))) return { number: "found" };
			this.phone ??= live.flatMap(({ number }) => phonePin(number) ?? [])[0];
			unnamed.push(...live.filter(({ number }) => number === undefined));
		}
		for (const { id } of unnamed) {
			const record = await this.#findNumber(id);
			if (record !== undefined && isPhoneOf(this.#pin, record)) return { number: "found" };
		}
		return { number: "missing" };
	}

	#findNumber(id: string): Promise<NumberRecord | undefined> {
		return this.#client.numbers.get(id).catch((error) => {
			if (isTelephonyError(error) && missing.has(error.kind)) return undefined;
			throw error;
		});
	}
}

const absentStatuses: ReadonlySet<number | undefined> = new Set([404, 405, 410, 501]);
/** Kinds of errors that only the service itself returns. */
const missing: ReadonlySet<string> = new Set(["NotFound", "Unlisted", "NotOffered", "Forbidden", "Invalid"]);
const absences: ReadonlySet<string> = new Set([...missing, "ContractMismatch"]);

/** Returns why the service doesn't show the account. @throws the error of an outage, or of a rejected key */
function reasonOf(error: unknown): string {
	const isAbsence =
		isTelephonyError(error) &&
		(absences.has(error.kind) || (error.kind === "Unavailable" && absentStatuses.has(error.status)));
	if (!isAbsence) throw error;
	return error.text.replace(/\.$/, "");
}

// ---- Refusals -----------------------------------------------------------------------------------------------------------

type Why = Extract<PinAction, { do: "refuse" }>["why"];

interface RefusedPin {
	readonly pin: AccountPin;
	readonly baseUrl: string;
	readonly source: PinSource;
}

const unchanged = "Nothing was changed.";
const rightKey = "Check telephony:apiKey and telephony:baseUrl.";

/** YAML reads an unquoted phone number as a number. */
const plusHint = (text: string): string =>
	/^\d+$/.test(text) ? " E.164 needs its plus, and quotes in a YAML file." : "";

async function refusal(why: Why, { pin, baseUrl, source }: RefusedPin): Promise<TelephonyError> {
	const { text, from } = pin;
	const { account } = await source.account().catch(() => ({ account: { hiddenBecause: "it can't be read" } }));
	if (why === "unknown-account") {
		const reason = "hiddenBecause" in account ? account.hiddenBecause : "";
		return refusedBy(
			"not-offered",
			`The account at ${baseUrl} can't be compared with ${from} (${text}). The service doesn't show the account's id (${reason}), and no number has this id.${plusHint(text)} ${unchanged} Pin a number of the account in E.164 instead: \`${pinCommand("+31201234567")}\`.`,
			text,
		);
	}
	const id = "id" in account ? account.id : undefined;
	const others = [id && `the account is ${id}`, source.phone && `it has ${source.phone}`].filter(Boolean);
	const list = others.length === 0 ? "" : `: ${others.join(", and ")}`;
	const what =
		why === "number-missing"
			? `The account at ${baseUrl} has no number ${text}, which ${from} names${list}.`
			: `The API key at ${baseUrl} is for the account ${id}, and ${from} names ${text}.${plusHint(text)}`;
	const value = pinnable(id, source.phone);
	const repin =
		value === undefined
			? "If the account is the right one, pin it by a number that it has, or run `pulumi config rm telephony:account`."
			: `Only if this is the right account, run \`${pinCommand(value)}\`.`;
	return refusedBy("wrong-account", `${what} ${unchanged} ${rightKey}\n${repin}`, text, value);
}

const refusedBy = (messageCode: MessageCode, text: string, pinned: string, account?: string): TelephonyError =>
	new TelephonyError("Config", text, { messageCode, values: { pinned, account } });
