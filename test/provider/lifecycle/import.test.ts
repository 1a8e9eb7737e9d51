/** Objects that the account has, taken into a state by `pulumi import`. */
import { describe, expect, test } from "vitest";
import type { Handler } from "../../../provider";
import { useAccount } from "../../helpers/account";
import { aNumber, aTrunk, aWebhook, checked, create, failureOf, openProvider } from "../../helpers/provider";

const { emulator, live, open, purchases } = useAccount();

const imports = async (handler: Handler, id: string, { resourceUrn }: Record<string, unknown>) => {
	const found = await handler.import?.(id, { resourceUrn });
	return { id: found?.id ?? "", inputs: found?.inputs ?? {}, props: { resourceUrn, ...found?.props } };
};

/** A number that people bought by hand. */
const byHand = async (label: string) => {
	const { id } = await create(open().number, aNumber({ label }));
	emulator.control.patchNumber(id, { reference: null });
	return id;
};

describe("a number", () => {
	test("comes with what it has as inputs, without defaults, and is to be kept", async () => {
		const id = await byHand("Desk");
		const { inputs, props } = await imports(open().number, id, aNumber({}, "other"));
		const { country, type } = aNumber();
		expect(inputs).toEqual({ country, type, label: "Desk", onDelete: "retain" });
		expect(props).toMatchObject({ ...inputs, status: "active", generation: 0, waitForActive: true });
		expect(live()[0]?.reference).toBeNull();
	});

	test("is unclaimed until its first update, and neither a refresh nor a delete minds", async () => {
		const id = await byHand("Desk");
		const run = open();
		const { inputs, props } = await imports(run.number, id, aNumber({}, "other"));
		const news = await checked(run.number, { ...aNumber({}, "other"), ...inputs }, inputs);
		expect((await run.number.diff(id, props, news)).changes).toBe(false);
		const read = await run.number.read(id, props);
		expect({ open: read.props?.open, warnings: run.warnings }).toEqual({ open: undefined, warnings: [] });
		await open().number.delete(id, props);
		expect(live().map((row) => row.status)).toEqual(["active"]);
		const { outs } = await open().number.update(id, props, { ...news, onDelete: "release" });
		expect(live()[0]?.reference).toBeTruthy();
		await open().number.delete(id, outs);
		expect(live()).toEqual([]);
		expect(purchases()).toHaveLength(1);
	});

	test("that two stacks have imported belongs to the one that updates first", async () => {
		const id = await byHand("Desk");
		const entries = [];
		for (const name of ["one", "two"]) {
			const declared = aNumber({}, name);
			const { inputs, props } = await imports(open().number, id, declared);
			entries.push({ props, news: await checked(open().number, { ...declared, ...inputs, label: name }, inputs) });
		}
		const [one, two] = entries;
		await open().number.update(id, one?.props ?? {}, one?.news ?? {});
		const error = await failureOf(open().number.update(id, two?.props ?? {}, two?.news ?? {}));
		expect({ kind: error.kind, label: live()[0]?.label }).toEqual({ kind: "Claimed", label: "one" });
	});

	test("of another stack is refused, with a word on whose it is", async () => {
		const { id } = await create(open().number, aNumber());
		emulator.control.patchNumber(id, { reference: "order 4711" });
		const error = await failureOf(imports(open().number, id, aNumber({}, "other")));
		expect(error).toMatchObject({ kind: "Claimed", message: expect.stringContaining("order 4711") });
	});
});

test.each(["number", "sipTrunk", "webhook"] as const)(
	"a %s that this very declaration has claimed comes with a warning: another copy of the state may have it",
	async (name) => {
		const declare = { number: aNumber, sipTrunk: aTrunk, webhook: aWebhook }[name];
		const { id } = await create(open()[name], declare());
		const run = open();
		const { inputs } = await imports(run[name], id, declare());
		expect(inputs).not.toEqual({});
		expect(run.warnings).toEqual([expect.stringMatching(`${id}.*\\[telephony:another-state\\]$`)]);
	},
);

test.each(["sipTrunk", "webhook"] as const)("a %s comes as one to adopt, and a delete leaves it", async (kind) => {
	const made = await create(open()[kind], kind === "sipTrunk" ? aTrunk() : aWebhook());
	emulator.edit(kind, made.id, { reference: null });
	const { inputs, props } = await imports(open()[kind], made.id, aTrunk({}, "other"));
	expect(inputs.adopt).toBe(made.id);
	const run = open();
	const read = await run[kind].read(made.id, props);
	expect({ open: read.props?.open, warnings: run.warnings }).toEqual({ open: undefined, warnings: [] });
	await open()[kind].delete(made.id, props);
	expect(emulator.rows(kind)).toMatchObject([{ id: made.id }]);
});

describe("a trunk or webhook that people made by hand", () => {
	const byHand = async (path: string, body: object) => String((await emulator.call("POST", path, body)).body.id);

	test("comes with what it has, but without what a default says, what is empty, and its secret", async () => {
		const auth = { mode: "digest", username: "pbx-1", password: "a password of theirs" };
		const trunk = await byHand("/trunks", { name: "By hand", auth, capacity: 7, label: "", enabled: true });
		const one = await imports(open().sipTrunk, trunk, aTrunk({}, "other"));
		const { password: _secret, ...shown } = auth;
		const chosenByService = { codecs: ["PCMU", "PCMA"], mediaEncryption: "none" };
		expect(one.inputs).toEqual({ name: "By hand", auth: shown, capacity: 7, ...chosenByService, adopt: trunk });
		expect(one.props).toMatchObject({ ...one.inputs, enabled: true, status: "active", token: expect.any(String) });
		expect(one.props).not.toHaveProperty("lease");
		expect(JSON.stringify(one)).not.toContain(auth.password);
		const hook = { url: "https://hooks.example.com/old", events: ["message.received"] };
		const webhook = await byHand("/webhooks", { ...hook, enabled: false });
		const other = await imports(open().webhook, webhook, aWebhook({}, "other"));
		expect(other.inputs).toEqual({ ...hook, enabled: false, adopt: webhook });
		expect(other.props).toHaveProperty("secretVersion");
		expect(other.props).not.toHaveProperty("secret");
	});

	test("is what the program says then: the first up writes nothing but the claim, and keeps its secret", async () => {
		const id = await byHand("/trunks", { name: "By hand", auth: { mode: "digest", username: "pbx-1" }, capacity: 7 });
		const before = JSON.stringify(emulator.control.state().trunks[0]?.auth);
		const { inputs, props } = await imports(open().sipTrunk, id, aTrunk({}, "other"));
		const news = await checked(open().sipTrunk, { ...inputs, resourceUrn: props.resourceUrn }, inputs);
		expect((await open().sipTrunk.diff(id, props, news)).changes).toBe(false);
		const { outs } = await open().sipTrunk.update(id, props, news);
		expect(JSON.stringify(emulator.control.state().trunks[0]?.auth)).toBe(before);
		expect(emulator.control.state().trunks[0]?.reference).toContain(String(outs.lease));
	});

	test.each(["sipTrunk", "webhook"] as const)("is refused where another stack has claimed the %s", async (kind) => {
		const theirs = openProvider(emulator, { place: "https://elsewhere.example" });
		const { id } = await create(theirs[kind], kind === "sipTrunk" ? aTrunk() : aWebhook());
		const error = await failureOf(imports(open()[kind], id, aTrunk({}, "other")));
		expect(error).toMatchObject({ kind: "Claimed", messageCode: "claimed" });
		expect(error.message).toMatch(new RegExp(`${id}.*shop/dev`));
	});
});
