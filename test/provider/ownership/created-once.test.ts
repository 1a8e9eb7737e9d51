/** A trunk or webhook is created once: which response to a key is its own, and which one leads to the next key. */
import { expect, test } from "vitest";
import { TelephonyError } from "../../../provider/api/errors";
import { type Creation, createClaimed, purchaseKey, type Referenced } from "../../../provider/ownership/claim";
import { formatReference, hash } from "../../../provider/ownership/reference";
import { dynamic, identity } from "../../helpers/claim-source";

type Given = Partial<Creation<Referenced>>;

const claim = identity();
const [first, second] = [purchaseKey(claim, 0), purchaseKey(claim, 1)];
const lease = hash(16, first);
const written = (reference?: string | null): Referenced => ({ id: "trk_1", reference });
const mine = (by: string) => written(formatReference(claim, by));
const foreign = written(formatReference(identity({}, `${dynamic}2`), "theirs"));
const elsewhere = written(formatReference(identity({ place: "elsewhere" }), "theirs"));

/** Returns the result of a create, and the keys that it has sent. */
async function creating({
	create = async () => ({ data: mine(lease), replayed: false, isConfirmed: true }),
	...given
}: Given) {
	const keys: string[] = [];
	const created = await createClaimed<Referenced>(claim, {
		...{ live: [], noun: "trunk", describe: ({ id }) => id },
		isOthers: () => false,
		get: async (made) => made,
		...given,
		create: (reference, key) => {
			keys.push(key);
			// The next key makes another one.
			if (key === second)
				return Promise.resolve({ data: { id: "trk_2", reference }, replayed: false, isConfirmed: true });
			return create(reference, key);
		},
	});
	return { created, keys };
}

const replay = (current: Referenced | Error, more: Given = {}): Given => ({
	create: async (reference) => ({ data: written(reference), replayed: true, isConfirmed: true }),
	get: () => (current instanceof Error ? Promise.reject(current) : Promise.resolve(current)),
	...more,
});
const failing = (error: Error): Given => ({ create: () => Promise.reject(error) });

test("sends a lease that follows from the key", async () => {
	const { created, keys } = await creating({
		create: async (reference) => ({ data: written(reference), replayed: false, isConfirmed: true }),
	});
	expect(created).toEqual({ record: mine(lease), lease, answer: mine(lease) });
	expect(keys).toEqual([first]);
});

test.each<[string, Given, object]>([
	["is as it was created, and is claimed again", replay(mine(lease)), { lease: "", answer: mine(lease) }],
	["was written since by this resource", replay(mine("later")), { lease: "" }],
	["is at a service without references", replay(written(undefined)), { lease, answer: mine(lease) }],
])("resumes the object of an earlier request that %s", async (_, given, expected) => {
	const { created, keys } = await creating(given);
	expect(keys).toEqual([first]);
	expect(created).toMatchObject({ record: { id: "trk_1" }, ...expected });
	expect("answer" in created, "shown only once").toBe("answer" in expected);
});

test.each<[string, Given]>([
	["made what another resource holds", replay(mine(lease), { isOthers: () => true })],
	["made what another resource has by now", replay(foreign)],
	["made what another state has by now", replay(elsewhere)],
	["made what was cleared by hand", replay(written(null))],
	["made an object that was deleted", replay(new TelephonyError("NotFound", "gone", { status: 404 }))],
	["was refused, and is refused again", failing(new TelephonyError("Invalid", "no", { replayed: true }))],
	["was used", failing(new TelephonyError("Conflict", "no", { errorCode: "idempotency_key_reused" }))],
])("sends the next key if the first %s", async (_, given) => {
	const { created, keys } = await creating(given);
	expect(keys).toEqual([first, second]);
	expect(created).toMatchObject({ record: { id: "trk_2" }, lease: hash(16, second) });
});

test("ends with any other refusal, after one request", async () => {
	const refused = new TelephonyError("Forbidden", "no", { status: 403, errorCode: "forbidden" });
	await expect(creating(failing(refused))).rejects.toBe(refused);
	await expect(creating(failing(new RangeError("no")))).rejects.toThrow(RangeError);
});

test("resumes what the list shows as ours", async () => {
	const live = [mine("later")];
	expect(await creating({ live })).toEqual({ created: { record: live[0], lease: "" }, keys: [] });
	expect(await creating({ live, isOthers: () => true })).toMatchObject({ created: { lease }, keys: [first] });
});
