/** Imports objects of the account into a state, for `pulumi import`. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { digest, kinds, secretIn } from "../../helpers/kinds";
import {
	aNumber,
	aPool,
	aTrunk,
	aWebhook,
	checked,
	create,
	failureOf,
	openProvider,
	type Provider,
} from "../../helpers/provider";
import { differs, handlerOf, updated } from "../../helpers/runs";

const { emulator, live, open, purchases } = useAccount();
const proxy = useFaultProxy(emulator);
const elsewhere = { place: "https://elsewhere.example" };

/** The state after an import, for the resource of this name. */
const imported = async (run: Provider, id: string, declared: Values) => {
	const { __resourceUrn } = declared;
	const { inputs = {}, props } = (await handlerOf(run, declared).import?.(id, { __resourceUrn })) ?? {};
	return { id, inputs, outs: { __resourceUrn, ...props }, news: { ...inputs, __resourceUrn } };
};

test("imports a number of an old plan by its digits, and by no text", async () => {
	const { id } = (await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" })).body;
	emulator.control.patchNumber(id, { number: "+22507123456" });
	const { props } = (await open().number.import?.("+225 07 12 34 56", aNumber())) ?? {};
	expect(props).toMatchObject({ phoneNumber: "+22507123456" });
	emulator.control.patchNumber(id, { number: "+31201234567" });
	for (const text of ["+31201234567 ext", "+31 20 123456 / 7", "+31201234567O"])
		expect((await failureOf(open().number.import?.(text, aNumber()) as Promise<unknown>)).kind).toBe("NotFound");
});

describe.each(kinds)("the import of a $noun", ({ name, path, byHand, declare, text, buys }) => {
	const made = async () => (await emulator.call("POST", path, byHand)).body.id;

	test("keeps it on the account, and claims it in its first update", async () => {
		const id = await made();
		const run = open();
		const resource = await imported(run, id, declare({}, "other"));
		expect(resource.inputs).toMatchObject(buys ? { onDelete: "retain" } : { adopt: id });
		expect(resource.outs).toMatchObject({ onDelete: "retain" });
		expect(await differs(run, resource, resource.news, resource.inputs)).toBe(false);
		await run[name].read(id, resource.outs);
		expect(run.warnings).toEqual([]);
		await open()[name].delete(id, resource.outs);
		expect(emulator.rows(name)).toMatchObject([{ id, reference: expect.stringContaining(".left~") }]);
		const { outs } = await updated(open(), resource, resource.news, resource.inputs);
		expect(emulator.row(id)?.reference).toContain(String(outs.lease));
	});

	test("fails if the account has none of that id, or can't be asked", async () => {
		const error = await failureOf(imported(open(), "none_such", declare({}, "other")));
		expect(error).toMatchObject({
			kind: "NotFound",
			message: expect.stringMatching(/none_such.*Nothing was imported/),
		});
		const away = openProvider({ url: "http://127.0.0.1:1/v1", apiKey: "k" });
		expect((await failureOf(imported(away, "none_such", declare({}, "other")))).kind).toBe("Unavailable");
	});

	test("warns if the same declaration has claimed it", async () => {
		const { id } = await create(open()[name], declare());
		const run = open();
		expect((await imported(run, id, declare())).inputs).not.toEqual({});
		expect(run.warnings).toEqual([expect.stringMatching(`${id}.*\\[telephony:another-state\\]$`)]);
	});

	test("takes what another stack has retained", async () => {
		const { id, outs } = await create(open(elsewhere)[name], declare());
		await open(elsewhere)[name].delete(id, { ...outs, onDelete: "retain" });
		const run = open();
		const resource = await imported(run, id, declare({}, "other"));
		await run[name].read(id, resource.outs);
		expect(run.warnings).toEqual([]);
		const done = await updated(open(), resource, { ...resource.news, [text]: "x" }, resource.inputs);
		expect(emulator.row(id)?.reference).toContain(String(done.outs.lease));
	});

	test("refuses what others have claimed", async () => {
		const { id } = await create(open(elsewhere)[name], declare());
		for (const owner of ["shop/dev", "order 4711"]) {
			if (owner === "order 4711") emulator.edit(name, id, { reference: owner });
			const error = await failureOf(imported(open(), id, declare({}, "other")));
			expect(error).toMatchObject({ kind: "Claimed", messageCode: "claimed", message: expect.stringContaining(owner) });
		}
	});
});

test("the import of a number declares its values without defaults", async () => {
	const { id } = await create(open().number, aNumber({ label: "Desk" }));
	emulator.control.patchNumber(id, { reference: null });
	const { inputs, outs, news } = await imported(open(), id, aNumber({}, "other"));
	expect(inputs).toEqual({ country: "NL", type: "mobile", label: "Desk", onDelete: "retain" });
	expect(outs).toMatchObject({ ...inputs, status: "active", generation: 0, waitForActive: true });
	const done = await updated(open(), { id, outs }, { ...news, onDelete: "release" }, inputs);
	await open().number.delete(id, done.outs);
	expect({ live: live(), purchases: purchases().length }).toEqual({ live: [], purchases: 1 });
});

test.each([
	["lower case", "nl", "MOBILE", ""],
	["blanks", " NL ", " Mobile", " "],
])("compares criteria that a service shows in %s", async (_, country, type, area) => {
	const { id } = (await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" })).body;
	const spelled: Record<string, string> = { country, type, area };
	proxy.rewrite = (text) =>
		JSON.stringify(JSON.parse(text || "{}", (key, value) => (Object.hasOwn(spelled, key) ? spelled[key] : value)));
	const there = () => openProvider(proxy);
	const { inputs, outs, news } = await imported(there(), id, aNumber({}, "other"));
	expect(await differs(there(), { id, outs }, news, inputs)).toBe(false);
	for (const declared of [news, { ...news, country: "NL", type: "mobile" }]) {
		const checkedInputs = await checked(there().number, declared, inputs);
		expect((await there().number.diff(id, outs, checkedInputs)).replaces).toEqual([]);
	}
	expect((await create(there().number, { ...news, adopt: id })).id).toBe(id);
	expect(purchases()).toHaveLength(1);
});

test.each(["number", "numberPool"] as const)(
	"a refresh lets --replace keep what the state of a %s has",
	async (name) => {
		const news = (name === "number" ? aNumber : aPool)({ routing: { type: "forward", to: "+22507123456" } });
		const env = { TELEPHONY_ACCEPT_UNKNOWN_NUMBERS: "yes" };
		const { id, outs } = await create(openProvider(emulator, { env })[name], news);
		const run = open();
		expect((await run[name].check({}, news)).failures).toHaveLength(1);
		await run[name].read(id, outs);
		await checked(run[name], news);
	},
);

test("the import of a trunk or webhook leaves its secret unknown and valid", async () => {
	const byHand = async (path: string, body: object) => String((await emulator.call("POST", path, body)).body.id);
	const auth = { ...digest, password: "a password of theirs" };
	const trunk = await byHand("/trunks", { name: "By hand", auth, capacity: 7, label: "", enabled: true });
	const importedTrunk = await imported(open(), trunk, aTrunk({}, "other"));
	const codecs = ["PCMU", "PCMA"];
	expect(importedTrunk.inputs).toEqual({
		name: "By hand",
		auth: digest,
		capacity: 7,
		codecs,
		mediaEncryption: "none",
		adopt: trunk,
	});
	expect(importedTrunk.outs).toMatchObject({
		...importedTrunk.inputs,
		enabled: true,
		status: "active",
		token: expect.any(String),
	});
	expect(importedTrunk.outs).not.toHaveProperty("lease");
	expect(JSON.stringify(importedTrunk)).not.toContain(auth.password);
	await updated(open(), importedTrunk, importedTrunk.news, importedTrunk.inputs);
	expect(secretIn(emulator.row(trunk))).toBe(auth.password);
	expect(emulator.writes().slice(1)).toEqual([`PATCH /trunks/${trunk}`]);

	const hook = { url: "https://hooks.example.com/old", events: ["message.received"] };
	const webhook = await byHand("/webhooks", { ...hook, enabled: false });
	const importedWebhook = await imported(open(), webhook, aWebhook({}, "other"));
	expect(importedWebhook.inputs).toEqual({ ...hook, enabled: false, adopt: webhook });
	expect(importedWebhook.outs).toHaveProperty("secretVersion");
	expect(importedWebhook.outs).not.toHaveProperty("secret");
});

test("the import of a trunk beyond our limits passes its own check", async () => {
	emulator.control.settings({ acceptAnyAddress: true });
	const auth = { mode: "ip_acl", allowed_cidrs: ["10.20.0.0/16", "0.0.0.0/0"] };
	const { id } = (await emulator.call("POST", "/trunks", { name: "Office", auth, capacity: 10 })).body;
	const run = open();
	const resource = await imported(run, id, aTrunk({}, "other"));
	expect(await checked(run.sipTrunk, resource.news, resource.inputs)).toMatchObject(resource.inputs);
	const [first = ""] = (resource.inputs.auth as { allowedCidrs: string[] }).allowedCidrs;
	const narrowed = { ...resource.news, auth: { mode: "ip_acl", allowedCidrs: [first] }, capacity: 12 };
	const { outs } = await updated(open(), resource, narrowed, resource.inputs);
	expect(outs).toMatchObject({ capacity: 12, auth: { allowedCidrs: [first] } });
	expect(run.warnings).toEqual([]);
});
