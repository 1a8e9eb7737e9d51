/** The end of a number: released once, and only if nothing speaks against it, as it may be gone for ever. */
import type { NumberRecord, PurchaseRecord } from "../../api/contract";
import { isGone, isTelephonyError, TelephonyError } from "../../api/errors";
import { codeOf } from "../../api/message-codes";
import { isReleasedOrFailed, nameOf } from "../../api/record";
import { clearReference, mayRemove } from "../../lifecycle/claimed";
import { type ClaimKind, claimFor } from "../../lifecycle/resource";
import { type Claim, declarationOf, parseUrn } from "../../ownership/claim";
import { ownership } from "../../ownership/ownership";
import { canonicalE164 } from "../../properties/canonical";
import type { Values } from "../../properties/table";
import type { Service, Session } from "../../session/session";
import { isYoung, settled } from "../../session/staleness";
import { criteriaOf, numberClaim } from "./properties";

/** Releases the number for `destroy`, a removed declaration or a replacement, unless something speaks against it. */
export async function releaseNumber(
	session: Session,
	id: string,
	props: Values,
	kind: ClaimKind = numberClaim,
): Promise<void> {
	const service = await session.service();
	const memory = session.memory.number;
	const urn = String(props.resourceUrn ?? "");
	let record: NumberRecord;
	try {
		const look = () => settled(session, service, props, () => service.numbers.now(id));
		record = await service.presence.judge(id, look);
	} catch (error) {
		if (!isGone(error)) throw error;
		await refuseYoung(session, service, { id, props }, error);
		return;
	}
	if (isReleasedOrFailed(record)) return;
	const what = `number ${nameOf(record)}`;
	const claim = claimFor(kind, props, service);
	// Without references, only this run knows that another declaration has taken the number over.
	const taker = [memory.holderOf(id), props.token].find((each) => typeof each === "string" && memory.declares(each));
	if (typeof taker === "string") {
		const other = memory.idOf(taker);
		if (other !== undefined && other !== id) throw boughtBeside(what, other);
		session.progress.warn(
			urn,
			"kept",
			`Kept ${what}: this program still declares it. It is taken over, not released. To get a different one, change \`generation\`.`,
		);
		// A replacement may delete before it creates: the create finds the number here.
		memory.setHolder(taker, id);
		return;
	}
	if (props.onDelete === "retain") {
		if (ownership(claim, record, props) === "ours")
			await clearReference(service.numbers, id, () => service.client.numbers.patch(id, { reference: null }));
		service.numbers.wrote(id);
		memory.forget(id);
		session.progress.warn(
			urn,
			"kept",
			`Kept ${what} on the account, because \`onDelete: "retain"\` says so. It goes on costing money.`,
		);
		return;
	}
	if (!mayRemove(session, { claim, record, entry: props, what })) return;
	refuseWanted(session, record, what);
	if (props.releaseProtection === true) {
		throw new TelephonyError(
			"Conflict",
			`The ${what} is protected by \`releaseProtection\` and was not released. To release it, set \`releaseProtection: false\` and run \`pulumi up\`; to keep it and only forget it, set \`onDelete: "retain"\`.`,
			{ messageCode: "release-protected" },
		);
	}
	const successor = memory.declaredLike(String(props.token));
	if (successor !== undefined) {
		refuseUnasked(successor.inputs, props, what);
		if (memory.idOf(successor.token) === undefined) {
			memory.defer(successor.token, () => releaseNumber(session, id, props, kind));
			session.progress.warn(
				urn,
				"kept",
				`Kept ${what} until this run has bought its successor. If that fails, the number stays on the account: take it back with \`adopt: ${JSON.stringify(id)}\`, or release it in the service's dashboard.`,
			);
			return;
		}
	} else refuseRenamed(session, claim, props, what);
	try {
		await release(service, record);
	} catch (error) {
		if (!isGone(error)) throw notReleased(error, what);
	}
	service.numbers.wrote(id);
	memory.forget(id);
}

/** Another resource is to take it over. If that has failed, the number must still be there for its next try. */
function refuseWanted({ memory }: Session, { id, number }: NumberRecord, what: string): void {
	const names = [id, ...(number == null ? [] : [canonicalE164(number) ?? number])];
	const isMeant = (wanted: string) => names.includes(canonicalE164(wanted) ?? wanted.trim());
	if (![memory.number, memory.pool].some((each) => each.adopts(isMeant))) return;
	throw new TelephonyError(
		"Conflict",
		`The ${what} was not released: another resource of this program names it in \`adopt\`, and has not taken it over. Run \`pulumi up\` again once that resource has no error; to really release the number, remove it from \`adopt\`.`,
		{ messageCode: "kept" },
	);
}

/**
 * A service may lag a minute behind its own sale: a younger number may exist even if it isn't found.
 * @throws TelephonyError Unavailable, unless the number is certainly gone
 */
export async function refuseYoung(
	session: Session,
	service: Service,
	{ id, props }: { readonly id: string; readonly props: Values },
	cause: unknown,
): Promise<void> {
	// An error without a status comes from this run, not from the service.
	const isTold = isTelephonyError(cause) && cause.status !== undefined;
	if (!isTold || !isYoung(session, service, props.createdAt) || (await service.presence.isGone(id))) return;
	const name = nameOf({ id, number: typeof props.number === "string" ? props.number : null });
	throw new TelephonyError(
		"Unavailable",
		`${name} was bought less than a minute ago, and the service doesn't show it yet. Nothing was changed. Run again in a minute.`,
		{ messageCode: "not-shown", cause },
	);
}

/** If the engine deletes first, the old number is released once its successor is bought. */
export async function releasePredecessor({ memory, progress }: Session, claim: Claim, urn: string): Promise<void> {
	try {
		await memory.number.deferred(claim.token)?.();
	} catch (error) {
		const { message } = error as Error;
		progress.warn(urn, codeOf(message) ?? "kept", `The number that this one replaces was not released. ${message}`);
	}
}

/** Check can't refuse changed criteria when the engine passes it no old inputs: after a taint, and with `--replace`. */
export function refuseUnasked(news: Values, props: Values, what: string): void {
	const isAsked = news.allowReplacement === true || (news.generation ?? 0) !== (props.generation ?? 0);
	if (isAsked) return;
	throw new TelephonyError(
		"Conflict",
		`The ${what} was not released: the program now asks for other criteria (${JSON.stringify(criteriaOf(news))} instead of ${JSON.stringify(criteriaOf(props))}), and doesn't say that the old number may go. To release it, set \`allowReplacement: true\` and run \`pulumi up\` again. To keep it, put the old criteria back with \`allowReplacement: true\`, which takes the old number over and releases the new one.`,
		{ messageCode: "replacement-refused" },
	);
}

const boughtFor = (claim: Claim, values: Values) => ({
	declaration: typeof values.pool === "string" ? values.pool : declarationOf(claim),
	criteria: JSON.stringify(criteriaOf(values)),
});

/** Keeps this run from releasing another resource's similar number, unless this purchase is itself a replacement. */
export function rememberBought(session: Session, claim: Claim, values: Values, record: PurchaseRecord): void {
	if (session.memory.number.hasOther(claim.token)) return;
	const resource = parseUrn(String(values.resourceUrn)).name;
	session.memory.number.make({ ...boughtFor(claim, values), resource, object: nameOf(record) });
}

/** Without aliases, a resource that was renamed or moved looks like a new one, and the old one like one to release. */
function refuseRenamed(session: Session, claim: Claim, props: Values, what: string): void {
	const [bought, ...more] = session.memory.number.madeBeside(boughtFor(claim, props));
	if (bought === undefined) return;
	const name = parseUrn(String(props.resourceUrn)).name;
	const others = more.length === 0 ? "" : ` (and ${more.length} more like it)`;
	throw new TelephonyError(
		"Conflict",
		`The ${what} of \`${name}\` was not released: this run has bought or taken over ${bought.object}${others} of the same country, type and area for \`${bought.resource}\`, as happens when a resource is renamed, or moved into a component, without \`aliases\`. To keep the old number, put the old name and parent back and run \`pulumi up\`, which releases the new one; then rename with \`aliases: [{ name: ${JSON.stringify(name)} }]\`, or move with \`aliases: [{ parent: pulumi.rootStackResource }]\` or the old parent. To really release the old number, run \`pulumi up\` again.`,
		{ messageCode: "rename" },
	);
}

/** The service didn't show the old number as this resource's, or not yet, so that the create bought another one. */
const boughtBeside = (what: string, other: string) =>
	new TelephonyError(
		"Conflict",
		`The ${what} was not released: this program still declares it, but has ${other} in its place, because the service didn't show that the old one is this resource's. To keep the old one, release ${other} in the service's dashboard and run \`pulumi up --refresh\`; if that refuses the old one, name it with \`adopt\`. To keep ${other}, release the old one in the dashboard and run \`pulumi up\`.`,
		{ messageCode: "duplicate" },
	);

/** Some services refuse to release a number that is still routed somewhere. */
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

/** The error for a release that the service refuses: why, and how to go on without one. */
function notReleased(error: unknown, what: string): unknown {
	if (!isTelephonyError(error, "Conflict") && !isTelephonyError(error, "NotOffered")) return error;
	return new TelephonyError(
		error.kind,
		`The ${what} was not released: ${error.message} To keep it on the account and only forget it here, set \`onDelete: "retain"\` and run \`pulumi up\` before you remove it.`,
		{ cause: error },
	);
}
