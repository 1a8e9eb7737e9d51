/** How an object that costs nothing is made once: which answer to a key is its own, and which sends it to the next key. */
import { expect, test } from "vitest";
import { TelephonyError } from "../../../provider/api/errors";
import {
	type Creation,
	createClaimed,
	identityOf,
	purchaseKey,
	type Referenced,
} from "../../../provider/ownership/claim";
import { formatReference, hash } from "../../../provider/ownership/reference";
import { dynamic, source } from "../../helpers/claim-source";

const claim = identityOf(source());
const [first, second] = [purchaseKey(claim, 0), purchaseKey(claim, 1)];
const lease = hash(16, first);
const foreign = formatReference(identityOf(source({}, `${dynamic}2`)), "theirs");
const elsewhere = formatReference(identityOf({ ...source(), places: ["https://another.example/state"] }), "theirs");
const written = (reference?: string | null): Referenced => ({ id: "trk_1", reference });
const mine = (by: string) => formatReference(claim, by);

/** What a create ends with, and the keys that it has sent. */
async function creating(given: Partial<Creation<Referenced>>) {
	const keys: string[] = [];
	const { create = async () => ({ data: written(mine(lease)), replayed: false }), ...rest } = given;
	const created = await createClaimed<Referenced>(claim, {
		...{ live: [], noun: "trunk", describe: ({ id }) => id },
		isHeldByAnother: async () => false,
		get: async (made) => made,
		...rest,
		create: (reference, key) => {
			keys.push(key);
			// The next key makes another one.
			if (key === second) return Promise.resolve({ data: { id: "trk_2", reference }, replayed: false });
			return create(reference, key);
		},
	});
	return { created, keys };
}

const replay = (now: Referenced | Error, rest: Partial<Creation<Referenced>> = {}): Partial<Creation<Referenced>> => ({
	create: async (reference) => ({ data: written(reference), replayed: true }),
	get: () => (now instanceof Error ? Promise.reject(now) : Promise.resolve(now)),
	...rest,
});
const failing = (error: Error): Partial<Creation<Referenced>> => ({ create: () => Promise.reject(error) });
const gone = new TelephonyError("NotFound", "gone", { status: 404 });

test("a new one carries the lease that its key gives, so that the same request is sent again", async () => {
	const { created, keys } = await creating({
		create: async (reference) => ({ data: written(reference), replayed: false }),
	});
	expect(created).toEqual({ record: written(mine(lease)), lease, answer: written(mine(lease)) });
	expect(keys).toEqual([first]);
});

test.each<[string, Partial<Creation<Referenced>>, object]>([
	[
		"is as it was made: it is claimed once more",
		replay(written(mine(lease))),
		{ lease: "", answer: written(mine(lease)) },
	],
	["was written since by this resource: it is taken over", replay(written(mine("later"))), { lease: "" }],
	["is at a service without references", replay(written(undefined)), { lease, answer: written(mine(lease)) }],
])("the one that an earlier request has made %s", async (_, given, expected) => {
	const { created, keys } = await creating(given);
	expect(keys).toEqual([first]);
	expect(created).toMatchObject({ record: { id: "trk_1" }, ...expected });
	expect("answer" in created, "shown only once").toBe("answer" in expected);
});

test.each<[string, Partial<Creation<Referenced>>]>([
	["made one that another entry of the state has", replay(written(mine(lease)), { isHeldByAnother: async () => true })],
	["made one that another resource has by now", replay(written(foreign))],
	["made one that the same resource of another state has by now", replay(written(elsewhere))],
	["made one that was cleared by hand", replay(written(null))],
	["made one that has ended, as a write shows", replay(written(mine(lease)), { claimed: async () => undefined })],
	["made one that has ended since", replay(written(mine("later")), { claimed: async () => undefined })],
	["made one that is gone", replay(gone)],
	["was refused once, and is answered so again", failing(new TelephonyError("Invalid", "no", { replayed: true }))],
	[
		"belongs to another request",
		failing(new TelephonyError("Conflict", "no", { errorCode: "idempotency_key_reused" })),
	],
])("the next key is sent where the first %s", async (_, given) => {
	const { created, keys } = await creating(given);
	expect(keys).toEqual([first, second]);
	expect(created).toMatchObject({ record: { id: "trk_2" }, lease: hash(16, second) });
});

test("any other refusal ends it, after one request", async () => {
	const refused = new TelephonyError("Forbidden", "no", { status: 403, errorCode: "forbidden" });
	await expect(creating(failing(refused))).rejects.toBe(refused);
	await expect(creating(failing(new RangeError("no")))).rejects.toThrow(RangeError);
});

test("one that the list shows as this resource's is taken over, unless another entry has it or it has ended", async () => {
	const live = [written(mine("later"))];
	expect(await creating({ live })).toEqual({ created: { record: live[0], lease: "" }, keys: [] });
	const others = { live, isHeldByAnother: async () => true };
	expect(await creating(others)).toMatchObject({ created: { lease }, keys: [first] });
	expect(await creating({ live, claimed: async () => undefined })).toMatchObject({ created: { lease }, keys: [first] });
});
