/** Responses that show only a part of an object: what they leave out counts neither as cleared nor as changed. */
import { expect, test } from "vitest";
import { isObject } from "../../../provider/api/json";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { digest, secretIn, secretKinds } from "../../helpers/kinds";
import { createDesk, aWholeProfile as profile } from "../../helpers/papers";
import { aPortOrder, aTrunk, aWebhook, create, openProvider } from "../../helpers/provider";
import { differs, refreshed, upAgain, updated } from "../../helpers/runs";

const { emulator, clock } = useAccount({ kyc: "manual" });
const proxy = useFaultProxy(emulator);

type When = (method: string, path: string) => boolean;
const isPatch: When = (method) => method === "PATCH";
const isRotation: When = (method, path) => method === "POST" && path.includes("rotate");

/** Changes each object in the responses to some requests, at any depth. */
function showing(when: When, change: (record: Values) => Values): void {
	proxy.rewrite = (text, method, path) =>
		text === "" || !when(method, path)
			? text
			: JSON.stringify(JSON.parse(text, (_, value) => (isObject(value) ? change(value) : value)));
}
const without =
	(...names: readonly string[]) =>
	(record: Values): Values =>
		Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

function desk() {
	const { folder } = createDesk();
	return (config = {}) => openProvider(proxy, { clock, cwd: folder, config });
}
const open = () => openProvider(proxy, { clock });

test.each(secretKinds)("an edit of a $noun without the marker of its secret rotates nothing", async (kind) => {
	const { name, output, declare, edit } = kind;
	const made = await create(open()[name], declare());
	showing(isPatch, without("password_updated_at", "secret_version"));
	const before = emulator.writes().length;
	const { outs } = await upAgain(open(), made, declare(edit), declare());
	expect(outs[output]).toBe(made.outs[output]);
	expect(
		emulator
			.writes()
			.slice(before)
			.filter((request) => request.startsWith("POST")),
	).toEqual([]);
});

test("an edit that shows only what it changed keeps the rest", async () => {
	const made = await create(open().sipTrunk, aTrunk({ auth: digest }));
	showing(isPatch, ({ id, capacity }) => ({ id, capacity }));
	const news = aTrunk({ auth: digest, capacity: 20 });
	const up = await updated(open(), made, news);
	expect(up.outs).toMatchObject({ capacity: 20, password: secretIn(emulator.row(made.id)), auth: digest });
	expect(await differs(open(), up, news)).toBe(false);
});

test("a rotation that shows only the secret keeps the rest", async () => {
	const made = await create(open().webhook, aWebhook({ secretRotation: 1 }));
	showing(isRotation, ({ id, secret }) => ({ id, secret }));
	const news = aWebhook({ secretRotation: 2 });
	const up = await updated(open(), made, news);
	expect(up.outs).toMatchObject({ secret: secretIn(emulator.row(made.id)), url: news.url });
	expect(await differs(open(), up, news)).toBe(false);
});

test.each(secretKinds)("a rotation of a $noun that shows the earlier marker is no drift", async (kind) => {
	const { name, output, rotation, declare } = kind;
	const made = await create(open()[name], declare({ [rotation]: 1 }));
	await clock.sleep(5000);
	const { secretVersion: secret_version, passwordUpdatedAt: password_updated_at } = made.outs;
	const earlier: Values = { secret_version, password_updated_at };
	showing(isRotation, (record) =>
		Object.fromEntries(Object.entries(record).map(([key, value]) => [key, earlier[key] ?? value])),
	);
	const news = declare({ [rotation]: 2 });
	const up = await upAgain(open(), made, news, declare({ [rotation]: 1 }));
	expect(up.outs[output]).toBe(secretIn(emulator.row(made.id)));
	expect(await refreshed(open(), up, news)).toMatchObject({ changes: false, outs: { [output]: up.outs[output] } });
});

test("a read without the authentication keeps the password", async () => {
	const news = aTrunk({ auth: digest });
	const made = await create(open().sipTrunk, news);
	showing((method) => method === "GET", without("auth"));
	const read = await refreshed(open(), made, news);
	expect(read).toMatchObject({ changes: false, outs: { password: made.outs.password, auth: digest } });
});

const rowOf = (id: string) => emulator.control.state().kycProfiles.find((row) => row.id === id);

test("a masked id number of an approved profile is no drift", async () => {
	const run = desk();
	const made = await create(run().kycProfile, profile());
	emulator.control.decideProfile(made.id, "approve");
	showing(
		() => true,
		(record) => (record.id_number_set === undefined ? record : { ...record, id_number: "*****471" }),
	);
	expect(await refreshed(run(), made, profile())).toMatchObject({ changes: false, outs: { idNumber: "L01X00T471" } });
});

test("an id number that the program no longer declares is cleared", async () => {
	const run = desk();
	const made = await create(run().kycProfile, profile({ country: "NL" }));
	emulator.control.decideProfile(made.id, "reject", [{ code: "x", message: "y" }]);
	const { idNumber: _, ...news } = profile({ country: "NL" });
	const rejected = await refreshed(run(), made, profile({ country: "NL" }));
	// The service requires it of a person, so it refuses the submission that follows.
	await expect(upAgain(run(), rejected, news, profile({ country: "NL" }))).rejects.toThrow();
	expect(rowOf(made.id)?.id_number ?? null).toBeNull();
});

test("an approved profile stays where the service hides its documents", async () => {
	const run = desk();
	showing(() => true, without("document_ids"));
	const made = await create(run().kycProfile, profile());
	emulator.control.decideProfile(made.id, "approve");
	const before = emulator.writes().length;
	await upAgain(run(), await refreshed(run(), made, profile()), profile({ waitForApproval: true }), profile());
	expect(emulator.writes().slice(before)).toEqual([]);
});

test("documents are uploaded where the service lists none", async () => {
	const service = JSON.stringify({ operations: { listKycDocuments: false } });
	const made = await create(desk()({ "telephony:service": service }).kycProfile, profile());
	expect(rowOf(made.id)?.document_ids).toHaveLength(2);
});

test("an order keeps a PIN that the program omits", async () => {
	const { pin: _, ...carrier } = aPortOrder().carrier as Values;
	const made = await create(open().portOrder, aPortOrder());
	const before = emulator.writes().length;
	const up = await upAgain(open(), made, aPortOrder({ carrier }), aPortOrder());
	expect([up.changes, emulator.writes().slice(before)]).toEqual([false, []]);
});
