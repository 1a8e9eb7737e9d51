/** A trunk or webhook is created once: which response to a key is its own, and which one leads to the next key. */
import { expect, test } from "vitest";
import type { ServiceResponse } from "../../../provider/api/client";
import { TelephonyError } from "../../../provider/api/errors";
import { createUnderKey } from "../../../provider/lifecycle/acquire";
import type { Run } from "../../../provider/lifecycle/definition";
import { purchaseKey, type Referenced } from "../../../provider/ownership/claim";
import { KeptReferences } from "../../../provider/ownership/kept-references";
import { formatReference, leaseOf } from "../../../provider/ownership/reference";
import { dynamic, identity } from "../../helpers/claim-source";

const claim = identity();
const key = purchaseKey(claim, 0);
const lease = leaseOf(key);
const written = (reference?: string | null): Referenced => ({
	id: "trk_1",
	reference,
	created_at: new Date(0).toISOString(),
});
const mine = (by: string) => written(formatReference(claim, by));
const foreign = written(formatReference(identity({}, `${dynamic}2`), "theirs"));
const elsewhere = written(formatReference(identity({ place: "elsewhere" }), "theirs"));

interface Given {
	readonly response?: Partial<ServiceResponse<Referenced>> | Error;
	/** The object as a read shows it. */
	readonly current?: Referenced | Error;
	readonly isOthers?: boolean;
}

/** Sends the request of one key. */
function creating({ response = {}, current = written(), isOthers = false }: Given) {
	const run = {
		session: { clock: { now: () => 0, sleep: async () => {} } },
		service: { client: { offers: () => true, now: () => 0 }, references: new KeptReferences() },
		memory: { isOthers: () => isOthers },
		operations: { get: async () => settle(current) },
		definition: { noun: "trunk", properties: {}, live: () => ({}), nameOf: ({ id }: Referenced) => id },
	} as unknown as Run<Referenced>;
	return createUnderKey(run, { claim, inputs: {}, live: [], key }, async (_service, { reference }) =>
		settle(
			response instanceof Error
				? response
				: ({ data: written(String(reference)), replayed: false, ...response } as ServiceResponse<Referenced>),
		),
	);
}

function settle<T>(result: T | Error): T {
	if (result instanceof Error) throw result;
	return result;
}

const replay = (current: Referenced | Error, isOthers = false): Given => ({
	response: { replayed: true },
	current,
	isOthers,
});

test("sends a lease that follows from the key", async () => {
	expect(await creating({})).toEqual({ is: "Made", record: mine(lease), lease, response: mine(lease) });
});

test.each<[string, Given, object]>([
	["is as it was created, and is claimed again", replay(mine(lease)), { is: "Made", lease: "" }],
	["was written since by this resource", replay(mine("later")), { is: "Resumed" }],
	["has no reference, and is claimed again", replay(written(null)), { is: "Made", lease: "" }],
	["is at a service without references", replay(written(undefined)), { is: "Made", lease }],
])("resumes the object of an earlier request that %s", async (_, given, expected) => {
	expect(await creating(given)).toMatchObject({ record: { id: "trk_1" }, ...expected });
});

test.each<[string, Given]>([
	["made what another resource holds", replay(mine(lease), true)],
	["made what another resource has by now", replay(foreign)],
	["made what another state has by now", replay(elsewhere)],
	["made an object that was deleted", replay(new TelephonyError("NotFound", "gone", { status: 404 }))],
	["was refused, and is refused again", { response: new TelephonyError("Invalid", "no", { replayed: true }) }],
	["was used", { response: new TelephonyError("Conflict", "no", { errorCode: "idempotency_key_reused" }) }],
])("tries the next key if the first %s", async (_, given) => {
	expect(await creating(given)).toEqual({ is: "TryNextKey" });
});

test("ends with any other refusal", async () => {
	const refused = new TelephonyError("Forbidden", "no", { status: 403, errorCode: "forbidden" });
	await expect(creating({ response: refused })).rejects.toBe(refused);
	await expect(creating({ response: new RangeError("no") })).rejects.toThrow(RangeError);
});
