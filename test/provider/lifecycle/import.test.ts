/** Objects that the account has, taken into a state by `pulumi import`. */
import { describe, expect, test } from "vitest";
import { nextStep } from "../../../provider/api/errors";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { digest, kinds, secretIn } from "../../helpers/kinds";
import {
	aNumber,
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

/** As what a program declares under this name. */
const imported = async (run: Provider, id: string, declared: Values) => {
	const { resourceUrn } = declared;
	const { inputs = {}, props } = (await handlerOf(run, declared).import?.(id, { resourceUrn })) ?? {};
	return { id, inputs, outs: { resourceUrn, ...props }, news: { ...inputs, resourceUrn } };
};

describe.each(kinds)("a $noun that people made by hand", ({ name, path, byHand, declare, text, buys }) => {
	const made = async () => (await emulator.call("POST", path, byHand)).body.id;

	test("is imported as one to keep, unclaimed until its first update, and neither a refresh nor a delete minds", async () => {
		const id = await made();
		const run = open();
		const entry = await imported(run, id, declare({}, "other"));
		expect(entry.inputs).toMatchObject(buys ? { onDelete: "retain" } : { adopt: id });
		expect(entry.outs).toMatchObject({ onDelete: "retain" });
		expect(await differs(run, entry, entry.news, entry.inputs)).toBe(false);
		await run[name].read(id, entry.outs);
		expect(run.warnings).toEqual([]);
		await open()[name].delete(id, entry.outs);
		expect(emulator.rows(name)).toMatchObject([{ id, reference: expect.stringContaining(".left~") }]);
		const { outs } = await updated(open(), entry, entry.news, entry.inputs);
		expect(emulator.row(id)?.reference).toContain(String(outs.lease));
	});

	test("is named where there is none of that id, with what can be named instead", async () => {
		const error = await failureOf(imported(open(), "none_such", declare({}, "other")));
		expect(error).toMatchObject({ kind: "NotFound", text: expect.stringContaining("none_such") });
		expect(error.message).toMatch(/Nothing was imported.* the id of an existing object/);
		const away = openProvider({ url: "http://127.0.0.1:1/v1", apiKey: "k" });
		expect((await failureOf(imported(away, "none_such", declare({}, "other")))).kind).toBe("Unavailable");
	});

	test("and that two stacks have imported belongs to the one that updates first", async () => {
		const id = await made();
		const [one, two] = [await imported(open(), id, declare({}, "one")), await imported(open(), id, declare({}, "two"))];
		await updated(open(), one, { ...one.news, [text]: "one" }, one.inputs);
		const error = await failureOf(updated(open(), two, { ...two.news, [text]: "two" }, two.inputs));
		expect({ kind: error.kind, text: emulator.row(id)?.[text] }).toEqual({ kind: "Claimed", text: "one" });
	});

	test("and that this very declaration has claimed comes with a warning: another copy of the state may have it", async () => {
		const { id } = await create(open()[name], declare());
		const run = open();
		expect((await imported(run, id, declare())).inputs).not.toEqual({});
		expect(run.warnings).toEqual([expect.stringMatching(`${id}.*\\[telephony:another-state\\]$`)]);
	});

	test("and that another stack has left is imported, and claimed by the first update", async () => {
		const { id, outs } = await create(open({ place: "https://elsewhere.example" })[name], declare());
		await open({ place: "https://elsewhere.example" })[name].delete(id, { ...outs, onDelete: "retain" });
		const run = open();
		const entry = await imported(run, id, declare({}, "other"));
		await run[name].read(id, entry.outs);
		expect(run.warnings).toEqual([]);
		const done = await updated(open(), entry, { ...entry.news, [text]: "x" }, entry.inputs);
		expect(emulator.row(id)?.reference).toContain(String(done.outs.lease));
	});

	test("and that others have claimed is refused, with a word on whose it is", async () => {
		const { id } = await create(open({ place: "https://elsewhere.example" })[name], declare());
		for (const [reference, whose] of [
			[emulator.row(id)?.reference, "shop/dev"],
			["order 4711", "order 4711"],
		] as const) {
			emulator.edit(name, id, { reference });
			const error = await failureOf(imported(open(), id, declare({}, "other")));
			expect(error).toMatchObject({ kind: "Claimed", messageCode: "claimed" });
			expect(error.message).toContain(whose);
			expect(error.message).toContain(id);
			expect(error.message).toContain(nextStep("Claimed"));
		}
	});
});

test("a number comes with what it has as inputs, without defaults, and is released once it is declared so", async () => {
	const { id } = await create(open().number, aNumber({ label: "Desk" }));
	emulator.control.patchNumber(id, { reference: null });
	const { inputs, outs, news } = await imported(open(), id, aNumber({}, "other"));
	expect(inputs).toEqual({ country: "NL", type: "mobile", label: "Desk", onDelete: "retain" });
	expect(outs).toMatchObject({ ...inputs, status: "active", generation: 0, waitForActive: true });
	const done = await updated(open(), { id, outs }, { ...news, onDelete: "release" }, inputs);
	await open().number.delete(id, done.outs);
	expect({ live: live(), purchases: purchases().length }).toEqual({ live: [], purchases: 1 });
});

describe("a trunk or webhook that people made by hand", () => {
	const byHand = async (path: string, body: object) => String((await emulator.call("POST", path, body)).body.id);

	test("comes with what it has, but without what a default says, what is empty, and its secret", async () => {
		const auth = { ...digest, password: "a password of theirs" };
		const trunk = await byHand("/trunks", { name: "By hand", auth, capacity: 7, label: "", enabled: true });
		const one = await imported(open(), trunk, aTrunk({}, "other"));
		const chosenByService = { codecs: ["PCMU", "PCMA"], mediaEncryption: "none" };
		expect(one.inputs).toEqual({
			name: "By hand",
			auth: digest,
			capacity: 7,
			...chosenByService,
			adopt: trunk,
		});
		expect(one.outs).toMatchObject({ ...one.inputs, enabled: true, status: "active", token: expect.any(String) });
		expect(one.outs).not.toHaveProperty("lease");
		expect(JSON.stringify(one)).not.toContain(auth.password);
		const hook = { url: "https://hooks.example.com/old", events: ["message.received"] };
		const webhook = await byHand("/webhooks", { ...hook, enabled: false });
		const other = await imported(open(), webhook, aWebhook({}, "other"));
		expect(other.inputs).toEqual({ ...hook, enabled: false, adopt: webhook });
		expect(other.outs).toHaveProperty("secretVersion");
		expect(other.outs).not.toHaveProperty("secret");
	});

	test("keeps its secret in the first up, which writes nothing but the claim", async () => {
		const id = await byHand("/trunks", { name: "By hand", auth: digest, capacity: 7 });
		const before = secretIn(emulator.row(id));
		const entry = await imported(open(), id, aTrunk({}, "other"));
		const inputs = await checked(open().sipTrunk, entry.news, entry.inputs);
		await open().sipTrunk.update(id, entry.outs, inputs);
		expect(secretIn(emulator.row(id))).toBe(before);
		expect(emulator.writes().filter((each) => !each.startsWith("POST"))).toEqual([`PATCH /trunks/${id}`]);
	});
});
