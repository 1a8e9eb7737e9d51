/** Creates a number: steps 1 to 9 of rule 1 in design.md. purchase.ts has the request that buys (steps 5 to 7). */
import type { NumberRecord } from "../../api/contract";
import { isTelephonyError, TelephonyError } from "../../api/errors";
import { isReleasedOrFailed, nameOf } from "../../api/record";
import type { Acquired, Run, WriteTarget } from "../../lifecycle/definition";
import { identityFor } from "../../lifecycle/resource";
import { resumedOutputs, type Write } from "../../lifecycle/write";
import { findOurs, purchaseKey, stillOurs } from "../../ownership/claim";
import { isLeft } from "../../ownership/reference";
import { createBody, type Values } from "../../properties/table";
import type { Service } from "../../session/session";
import { isKeyed, liveBefore } from "../../session/staleness";
import {
	adoptedNumber,
	assertReadable,
	isCandidate,
	isReferenced,
	type Purchase,
	type PurchaseResult,
	uncertain,
} from "./candidates";
import { readStatus, waitForActive, warnOfProblem } from "./kyc";
import { computed, criteriaOf, numberProperties } from "./properties";
import { buyUnderKey } from "./purchase";

/** Requests that may lose their number to another buyer. */
const mostLosses = 4;

/** Adopts, resumes or buys the number of a new resource: steps 1 to 7. */
export async function acquireNumber(
	{ session, service, definition }: Run<NumberRecord>,
	inputs: Values,
): Promise<Acquired<NumberRecord>> {
	// 1. One list serves all resources of the run. It also shows what the service offers.
	const live = (await liveBefore(service, service.numbers)).filter((record) => !isReleasedOrFailed(record));
	refuseUnoffered(service, inputs);
	const claim = identityFor(definition.source, inputs, service);
	const urn = String(inputs.resourceUrn ?? "");
	const purchase = { session, service, claim, urn, criteria: criteriaOf(inputs) };
	assertReadable(purchase, live);
	await service.account.assertOwn(claim, live);
	const memory = session.memory.number;

	// 2. Nothing is bought in place of an adopted number.
	if (typeof inputs.adopt === "string") {
		const record = await adoptedNumber(purchase, inputs.adopt, live);
		memory.acquire(claim.token, record.id);
		return { claim, start: record, olds: {} };
	}

	// 3. A number of this declaration is resumed.
	const earlier = await resumed(purchase, live);
	if (earlier !== undefined) {
		memory.acquire(claim.token, earlier.id);
		// An earlier run may have declared more properties.
		return { claim, start: earlier, olds: resumedOutputs() };
	}

	// 4. Without trusted keys, an unused number may be one that an interrupted run bought.
	if (!isKeyed(service)) refuseCandidates(purchase, live);

	// 5 to 7. The first key that leads to a number of this declaration ends the loop.
	warnOfPlace(purchase);
	let result: PurchaseResult = { is: "TryNextKey" };
	let losses = 0;
	for (let counter = 0; result.is === "TryNextKey"; counter++) {
		result = await buyUnderKey(purchase, purchaseKey(claim, counter), live);
		if (result.is !== "TryNextKey" || result.lost === undefined) continue;
		losses += 1;
		if (losses < mostLosses) continue;
		if (!service.client.offers("inventory")) throw result.lost;
		throw new TelephonyError(
			result.lost.kind,
			`Nothing was bought for this resource: other buyers took its number ${mostLosses} times, but more are free. Run \`pulumi up\` again. ${result.lost.text}`,
			{ cause: result.lost, messageCode: "no-inventory" },
		);
	}
	const olds = result.is === "Resumed" ? resumedOutputs() : {};
	return { claim, start: result.record, olds };
}

/** Configures and claims the number in one request (step 8), then waits for it (step 9). Also used by updates. */
export async function configureNumber(
	{ session }: Run<NumberRecord>,
	write: Write<NumberRecord>,
	target: WriteTarget<NumberRecord>,
): Promise<void> {
	const { olds, news } = target;
	const wait = async () => {
		const latestRecord = () => withRegulation(write.record, target);
		write.record = await readStatus(session, latestRecord(), news, olds);
		await waitForActive(session, latestRecord(), news, (latest) => {
			write.record = latest;
		});
	};
	try {
		await write.send();
	} catch (error) {
		// Some services refuse to configure a number that is still pending.
		const isPending = isTelephonyError(error) && error.errorCode === "number_not_active";
		if (!isPending || news.waitForActive === false) throw error;
		await wait();
		await write.send();
	}
	await wait();
	if (news.waitForActive === false) warnOfProblem(session, write.record, write.outputs(computed(write.record, news)));
}

/** Keeps `kyc_required` of the purchase: later responses may leave it out. */
export function withRegulation(record: NumberRecord, { start, olds }: WriteTarget<NumberRecord>): NumberRecord {
	const isRegulated = start.kyc_required === true || olds.kycRequired === true;
	return isRegulated && record.kyc_required === undefined ? { ...record, kyc_required: true } : record;
}

/** @throws TelephonyError NotOffered if the program declares properties that the service can't set */
export function refuseUnoffered({ client }: Service, inputs: Values): void {
	const wanted = Object.keys(createBody(numberProperties, inputs));
	if (wanted.length === 0 || client.offers("patchNumber")) return;
	const names = Object.keys(numberProperties).filter((key) => wanted.includes(String(numberProperties[key]?.wire)));
	throw new TelephonyError(
		"NotOffered",
		`This service can't configure numbers (feature patchNumber), so ${names.join(", ")} can't be set. Nothing was bought or changed. Remove ${names.length > 1 ? "these properties" : "this property"} from the program, or use a service that offers it.`,
		{ feature: "patchNumber" },
	);
}

/** Returns the number that already belongs to this declaration: by its reference, or held by the state without one. */
async function resumed(purchase: Purchase, live: readonly NumberRecord[]): Promise<NumberRecord | undefined> {
	const { session, service, claim, urn } = purchase;
	const memory = session.memory.number;
	const listed = isReferenced(purchase, live)
		? findOurs(claim, live, "number", nameOf)
		: live.find(({ id }) => id === memory.idOf(claim.token));
	if (listed === undefined) return undefined;
	// The list may lag behind a claim of another stack.
	const record = await stillOurs(listed, () => service.numbers.reread(listed.id));
	// The number was renamed, and its old name is declared again.
	if (record === undefined || memory.isOthers(claim.token, listed.id)) return undefined;
	const why = isLeft(record.reference) ? "this stack had kept it on the account" : "an earlier run bought it";
	const text = `Resumed ${nameOf(record)} for this resource: ${why}. Nothing was bought.`;
	session.progress.warn(urn, "taken-over", text);
	return record;
}

/** @throws TelephonyError OutcomeUnknown if an interrupted run may have bought one of the listed numbers */
function refuseCandidates(purchase: Purchase, live: readonly NumberRecord[]): void {
	const candidates = live.filter((record) => isCandidate(purchase, record));
	if (candidates.length === 0) return;
	const { criteria } = purchase;
	throw uncertain(
		candidates,
		`No ${criteria.type} number in ${criteria.country} was bought, because an interrupted run may have bought one. This service isn't known to honor idempotency keys (\`telephony:features\` can declare it).`,
	);
}

/** In CI with a file backend, the owner depends on the machine's name, so no other machine can continue a run. */
function warnOfPlace({ session, service: { config }, urn }: Purchase): void {
	const isShared = config.ci && config.owner === undefined && config.place?.startsWith("file:") === true;
	if (!isShared || session.memory.number.warned.has("place")) return;
	session.memory.number.warned.add("place");
	session.progress.warn(
		urn,
		"owner-missing",
		"This run is a CI job, and its state is in a folder on this machine. A job on another machine won't recognize this job's numbers. Name the owner: `pulumi config set telephony:owner NAME`.",
	);
}
