/** The end of a number: released once, when nothing speaks against it, for it may be gone for ever. */
import type { NumberRecord } from "../api/contract";
import { isGone, isTelephonyError, TelephonyError } from "../api/errors";
import type { Service, Session } from "../session";
import { numberClaim } from "./number-properties";
import type { Values } from "./properties";
import { isOver, nameOf } from "./record";
import { claimFor, mayRemove } from "./resource";
import { settled } from "./settled";

/** What `destroy`, a removed declaration and a replacement ask for: the number goes, unless something speaks against it. */
export async function releaseNumber(session: Session, id: string, props: Values): Promise<void> {
	const service = await session.service();
	const urn = String(props.resourceUrn ?? "");
	let record: NumberRecord;
	try {
		record = await settled(session, service, props, () => service.client.numbers.get(id));
	} catch (error) {
		if (isGone(error)) return;
		throw error;
	}
	if (isOver(record)) return;
	const what = `number ${nameOf(record)}`;
	const offered = service.client.offers("reference");
	const holder = session.memory.holderOf(id) ?? "";
	// Without references, only this run knows that another declaration has taken the number over.
	const token = session.declared.has(holder) ? holder : props.token;
	const claim = claimFor(numberClaim, props, service);
	if (!mayRemove(session, claim, { ...props, token }, record, offered, what)) {
		// A replacement may delete first, and then create: it finds the number here.
		if (typeof token === "string" && session.declared.has(token)) session.memory.own(token, id);
		return;
	}
	if (props.onDelete === "retain") {
		if (offered && record.reference != null) await service.client.numbers.patch(id, { reference: null });
		service.numbers.wrote(id);
		session.memory.forget(id);
		session.progress.warn(
			urn,
			`Kept ${what} on the account, as \`onDelete: "retain"\` asks. It goes on costing money.`,
		);
		return;
	}
	if (props.releaseProtection === true) {
		throw new TelephonyError(
			"Conflict",
			`The ${what} is protected by \`releaseProtection\` and was not released. To release it, set \`releaseProtection: false\` and run \`pulumi up\`; to keep it and only forget it, set \`onDelete: "retain"\`.`,
		);
	}
	try {
		await release(service, record);
	} catch (error) {
		if (!isGone(error)) throw notReleased(error, what);
	}
	service.numbers.wrote(id);
	session.memory.forget(id);
}

/** Some services release no number that is still routed somewhere. */
async function release({ client }: Service, { id, routing }: NumberRecord): Promise<void> {
	try {
		await client.numbers.release(id);
	} catch (error) {
		const isRouted = isTelephonyError(error, "Conflict") && error.errorCode === "number_in_use" && routing;
		if (!isRouted) throw error;
		await client.numbers.patch(id, { routing: null });
		await client.numbers.release(id);
	}
}

/** A release that the service refuses: why, and how to go on without one. */
function notReleased(error: unknown, what: string): unknown {
	if (!isTelephonyError(error, "Conflict") && !isTelephonyError(error, "NotOffered")) return error;
	return new TelephonyError(
		error.kind,
		`The ${what} was not released: ${error.message} To keep it on the account and only forget it here, set \`onDelete: "retain"\` and run \`pulumi up\` before you remove it.`,
		{ cause: error },
	);
}
