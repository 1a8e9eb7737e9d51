/** Informs the first run of a stack how to pin the account. */
import type { Values } from "../properties/table";
import { phonePin, pinCommand, pinnable } from "../reads/account-pin";
import type { Service, Session } from "../session/session";

const informed = new WeakSet<Service>();

/** @param outs of a resource that was just created, which may have a phone number */
export async function informOfPin(session: Session, outs: Values): Promise<void> {
	const service = await session.service();
	const { config, client } = service;
	const isFirst = Object.values(session.memory).every(({ older }) => older.size === 0);
	const value = pinnable(client.accountId, phoneIn(outs));
	if (config.account !== undefined || !isFirst || value === undefined || informed.has(service)) return;
	informed.add(service);
	session.progress.inform(
		"not-pinned",
		`This stack isn't pinned to an account, so a run with another account's key may buy there. Pin it: \`${pinCommand(value)}\`.`,
	);
}

/** The phone number of a number, or the first one of a pool. */
function phoneIn({ phoneNumber, numbers }: Values): string | undefined {
	const found: unknown[] = Array.isArray(numbers) ? numbers.map((member) => member?.phoneNumber) : [phoneNumber];
	return found.flatMap((candidate) => (typeof candidate === "string" ? (phonePin(candidate) ?? []) : []))[0];
}
