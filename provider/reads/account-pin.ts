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
import { unless } from "./shared";

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

/** Compares the account with the pin. Returns true if it needs no other evidence. @throws TelephonyError */
export async function assertPinned(client: Client, pin: AccountPin, baseUrl: string): Promise<boolean> {
	const { text, isPhone, from } = pin;
	if (isPhone) return assertPhone(client, pin, baseUrl);
	const account = await readAccount(client);
	const isHidden = "hiddenBecause" in account;
	if (!isHidden && account.id === text) return true;
	// Where ids of numbers are small integers, every account has them.
	const record = /^\d+$/.test(text) ? undefined : await findNumber(client, text);
	// Another account may have a number with this id.
	if (record !== undefined && !isReleasedOrFailed(record)) return false;
	if (!isHidden)
		throw otherAccount(
			pin,
			`The API key at ${baseUrl} is for the account ${account.id}, and ${from} names ${text}.${plusHint(text)}`,
			account.id,
		);
	throw refusedBy(
		"not-offered",
		`The account at ${baseUrl} can't be compared with ${from} (${text}). The service doesn't show the account's id (${account.hiddenBecause}), and no number has this id.${plusHint(text)} ${unchanged} Pin a number of the account in E.164 instead: \`${pinCommand("+31201234567")}\`.`,
		text,
	);
}

/** Returns true for an account that has the pinned number. @throws TelephonyError */
async function assertPhone(client: Client, pin: AccountPin, baseUrl: string): Promise<true> {
	const { isFound, phone } = await findPhone(client, pin);
	if (isFound) return true;
	const account = await readAccount(client).catch(() => ({}));
	const id = "id" in account ? account.id : undefined;
	const others = [id && `the account is ${id}`, phone && `it has ${phone}`].filter(Boolean);
	const list = others.length === 0 ? "" : `: ${others.join(", and ")}`;
	const text = `The account at ${baseUrl} has no number ${pin.text}, which ${pin.from} names${list}.`;
	throw otherAccount(pin, text, id, phone);
}

// ---- Reads --------------------------------------------------------------------------------------------------------------

/** Looks for the pinned number. `phone` is another one that the list has shown. */
async function findPhone(
	client: Client,
	pin: AccountPin,
): Promise<{ readonly isFound: boolean; readonly phone?: string | undefined }> {
	let phone: string | undefined;
	const unnamed: NumberRecord[] = [];
	for await (const page of client.numbers.pages()) {
		const live = page.filter((record) => !isReleasedOrFailed(record));
		const unreadable = unreadableIn(page)
			.map(({ fields }) => fields)
			.filter((fields) => !isReleasedOrFailed(fields));
		if ([...live, ...unreadable].some((record) => isPhoneOf(pin, record))) return { isFound: true };
		phone ??= live.flatMap(({ number }) => phonePin(number) ?? [])[0];
		unnamed.push(...live.filter(({ number }) => number === undefined));
	}
	for (const { id } of unnamed) {
		const record = await findNumber(client, id);
		if (record !== undefined && isPhoneOf(pin, record)) return { isFound: true };
	}
	return { isFound: false, phone };
}

const findNumber = (client: Client, id: string): Promise<NumberRecord | undefined> =>
	unless((error) => isTelephonyError(error) && missing.has(error.kind), client.numbers.get(id));

async function readAccount(client: Client): Promise<AccountRecord | { readonly hiddenBecause: string }> {
	if (client.declaresLack("account")) return { hiddenBecause: "declared by -account" };
	return client.account.get().catch((error) => ({ hiddenBecause: reasonOf(error) }));
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

const unchanged = "Nothing was changed.";
const rightKey = "Check telephony:apiKey and telephony:baseUrl.";

/** YAML reads an unquoted phone number as a number. */
const plusHint = (text: string): string =>
	/^\d+$/.test(text) ? " E.164 needs its plus, and quotes in a YAML file." : "";

/** `id` and `phone` are those of the account in use, as far as it shows them. */
function otherAccount({ text: pinned }: AccountPin, text: string, id?: string, phone?: string): TelephonyError {
	const value = pinnable(id, phone);
	const repin =
		value === undefined
			? "If the account is the right one, pin it by a number that it has, or run `pulumi config rm telephony:account`."
			: `Only if this is the right account, run \`${pinCommand(value)}\`.`;
	return refusedBy("wrong-account", `${text} ${unchanged} ${rightKey}\n${repin}`, pinned, value);
}

const refusedBy = (messageCode: MessageCode, text: string, pinned: string, account?: string): TelephonyError =>
	new TelephonyError("Config", text, { messageCode, values: { pinned, account } });
