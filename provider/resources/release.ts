/** The end of a number: released once, when nothing speaks against it, for it may be gone for ever. */
import type { NumberRecord, PurchaseRecord } from "../api/contract";
import { isGone, isTelephonyError, TelephonyError } from "../api/errors";
import type { Service, Session } from "../session";
import { type Claim, declarationOf, parseUrn } from "./claim";
import { criteriaOf, numberClaim } from "./number-properties";
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
		const look = () => settled(session, service, props, () => service.numbers.now(id));
		record = await service.presence.judge(id, look);
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
	refuseRenamed(session, claim, props, what);
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

const boughtFor = (claim: Claim, values: Values) => ({
	declaration: declarationOf(claim),
	criteria: JSON.stringify(criteriaOf(values)),
});

/** From now on this run releases no number of another resource that is like this one. */
export function rememberBought(session: Session, claim: Claim, values: Values, record: PurchaseRecord): void {
	const resource = parseUrn(String(values.resourceUrn)).name;
	session.memory.buy({ ...boughtFor(claim, values), resource, number: nameOf(record) });
}

/** A resource that was renamed or moved without aliases looks like a new one, and the old one like one to release. */
function refuseRenamed(session: Session, claim: Claim, props: Values, what: string): void {
	const [bought, ...more] = session.memory.boughtBeside(boughtFor(claim, props));
	if (bought === undefined) return;
	const name = parseUrn(String(props.resourceUrn)).name;
	const others = more.length === 0 ? "" : ` (and ${more.length} more like it)`;
	throw new TelephonyError(
		"Conflict",
		`The ${what} of \`${name}\` was not released: this run has bought ${bought.number}${others} of the same country, type and area for \`${bought.resource}\`, as happens when a resource is renamed, or moved into a component, without \`aliases\`. To keep the old number, put the old name and parent back and run \`pulumi up\`, which releases the new one; then rename with \`aliases: [{ name: ${JSON.stringify(name)} }]\`, or move with \`aliases: [{ parent: pulumi.rootStackResource }]\` or the old parent. To really release the old number, run \`pulumi up\` again.`,
	);
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
