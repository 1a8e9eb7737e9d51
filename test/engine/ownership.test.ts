/** Whose a number is, on the real engine: two states of one name, replacements, and numbers that are adopted. */
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject } from "../helpers/engine";
import { variations } from "../short.mts";

const emulator = useEmulator({ kyc: "immediate" });
const kinds = () => emulator.control.ledger().map(({ kind }) => kind);
const number = (id: string | undefined) => emulator.control.state().numbers.find((row) => row.id === id);
const flat = (output: string) => output.replaceAll(/\s+/g, " ");
const program = 'new telephony.Number("support", { country: "NL", type: "mobile" });';

test("a second state of the same stack is refused with the ways out, and with an owner buys its own", async () => {
	const first = await createProject({ program, service: emulator });
	expect((await first.up()).code).toBe(0);
	const { support } = await first.ids();
	const before = number(support);

	const second = await createProject({ program, service: emulator });
	const refused = await second.up();
	expect(refused.code).not.toBe(0);
	for (const part of [support ?? "", "telephony:owner", "adopt", "generation", "untaint"]) {
		expect(flat(refused.output)).toContain(part);
	}
	expect([kinds(), number(support)]).toEqual([["purchase"], before]);

	await second.pulumi("config", "set", "telephony:owner", "second");
	const own = await second.up();
	expect(own.code, own.output).toBe(0);
	expect((await second.ids()).support).not.toBe(support);
	const gone = await second.destroy();
	expect(gone.code, gone.output).toBe(0);
	expect([kinds(), number(support)]).toEqual([["purchase", "purchase", "release"], before]);
	expect((await first.drift()).code).toBe(0);
});

const offers = variations([{}, { reference: false }]);
test.for(offers)("--replace and taint keep the number; features: %j", async (features) => {
	emulator.control.settings({ features });
	const stack = await createProject({ program, service: emulator });
	await stack.up();
	const [entry] = await stack.resources();
	// A service without references needs to have the number seen in the same run.
	const seen = "reference" in features ? ["--refresh"] : [];
	const replaced = await stack.up("--replace", entry?.urn ?? "", ...seen);
	expect(replaced.code, replaced.output).toBe(0);
	await stack.pulumi("state", "taint", entry?.urn ?? "", "--yes");
	const untainted = await stack.up(...seen);
	expect(untainted.code, untainted.output).toBe(0);
	expect([(await stack.ids()).support, kinds()]).toEqual([entry?.id, ["purchase"]]);
	expect(number(entry?.id)?.status).toBe("active");
	expect((await stack.drift()).code).toBe(0);
	const destroyed = await stack.destroy();
	expect(destroyed.code, destroyed.output).toBe(0);
	expect(kinds()).toEqual(["purchase", "release"]);
});

test("a number that is adopted is configured, kept when adopt is removed, and kept by destroy", async () => {
	const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
	const adopting = (adopt?: string, more = {}) =>
		`new telephony.Number("old", ${JSON.stringify({ country: "NL", type: "mobile", label: "old", adopt, ...more })});`;
	const stack = await createProject({ program: adopting("num_none"), service: emulator });
	const unknown = await stack.up();
	expect([unknown.code === 0, flat(unknown.output).includes("adopt: there is no number num_none")]).toEqual([
		false,
		true,
	]);

	stack.write(adopting(String(body.number)));
	const up = await stack.up();
	expect(up.code, up.output).toBe(0);
	expect([(await stack.ids()).old, number(body.id)?.label]).toEqual([body.id, "old"]);
	stack.write(adopting("num_other"));
	expect(flat((await stack.preview()).output)).toContain("adopt: it is read only when a resource is created");
	stack.write(adopting());
	const preview = await stack.preview("--expect-no-changes");
	expect(preview.code, preview.output).toBe(0);

	const destroy = await stack.destroy();
	expect(destroy.code, destroy.output).toBe(0);
	expect(number(body.id)).toMatchObject({ status: "active", reference: null });
	expect(kinds()).toEqual(["purchase"]);
});

test("a number found by its E.164 has the service's id in the state and in the program, and is no drift", async () => {
	const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
	const found = `
		const found = telephony.Number.get("found", "${body.number}");
		new telephony.Activation("all", { numberIds: [found.id] });
		exports.id = found.id;`;
	const stack = await createProject({ program: found, service: emulator });
	const up = await stack.up();
	expect(up.code, up.output).toBe(0);
	expect([(await stack.ids()).found, (await stack.outputs()).id]).toEqual([body.id, body.id]);
	for (const again of [await stack.preview("--expect-no-changes"), await stack.drift(), await stack.refresh()])
		expect(again.code, again.output).toBe(0);
	const second = await stack.up("--expect-no-changes");
	expect(second.code, second.output).toBe(0);
	expect([(await stack.ids()).found, (await stack.outputs()).id]).toEqual([body.id, body.id]);
	expect((await stack.destroy()).code).toBe(0);
	expect([number(body.id)?.status, kinds()]).toEqual(["active", ["purchase"]]);
});

test("an adopted number's own area is declared later, a wrong one refused: nothing is bought", async () => {
	const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile", area: "6" });
	const adopting = (area?: string) =>
		`new telephony.Number("old", ${JSON.stringify({ country: "NL", type: "mobile", area, adopt: body.id })});`;
	const stack = await createProject({ program: adopting(), service: emulator });
	expect((await stack.up()).code).toBe(0);
	stack.write(adopting("20"));
	const wrong = await stack.up();
	expect([wrong.code === 0, flat(wrong.output).includes('its area is "6", not "20"')]).toEqual([false, true]);
	stack.write(adopting("6"));
	const right = await stack.up();
	expect(right.code, right.output).toBe(0);
	expect([(await stack.ids()).old, kinds()]).toEqual([body.id, ["purchase"]]);
	const preview = await stack.preview("--expect-no-changes");
	expect(preview.code, preview.output).toBe(0);
});

test("a trunk and a webhook that are adopted are configured, show no drift, keep their secrets, and outlive destroy", async () => {
	const auth = { mode: "digest", username: "pbx-1" };
	const hook = { url: "https://hooks.example.com/sms", events: ["message.received"] };
	const trunk = (await emulator.call("POST", "/trunks", { name: "By hand", capacity: 1, auth })).body.id as string;
	const webhook = (await emulator.call("POST", "/webhooks", hook)).body.id as string;
	const secrets = () => {
		const { trunks, webhooks } = emulator.control.state();
		return [(trunks[0]?.auth as { password?: string } | undefined)?.password, webhooks[0]?.secret];
	};
	const before = secrets();
	const program = (more: object, adopt = true) => {
		const by = (id: string) => (adopt ? { adopt: id } : {});
		return `
			const pbx = new telephony.SipTrunk("pbx", ${JSON.stringify({ auth, capacity: 2, ...by(trunk) })});
			const sms = new telephony.Webhook("sms", ${JSON.stringify({ ...hook, ...by(webhook), ...more })});
			Object.assign(exports, { password: pbx.password, secret: sms.secret });`;
	};
	const stack = await createProject({ program: program({}), service: emulator });
	const up = await stack.up();
	expect(up.code, up.output).toBe(0);
	expect([await stack.ids(), await stack.outputs()]).toEqual([{ pbx: trunk, sms: webhook }, {}]);
	expect([emulator.control.state().trunks[0]?.capacity, secrets()]).toEqual([2, before]);
	expect((await stack.drift()).code).toBe(0);
	stack.write(program({}, false));
	const preview = await stack.preview("--expect-no-changes");
	expect(preview.code, preview.output).toBe(0);

	stack.write(program({ secretRotation: 1 }));
	expect((await stack.up()).code).toBe(0);
	expect(await stack.outputs()).toEqual({ secret: secrets()[1] });
	expect([secrets()[0], secrets()[1] === before[1]]).toEqual([before[0], false]);

	const destroy = await stack.destroy();
	expect(destroy.code, destroy.output).toBe(0);
	const { trunks, webhooks } = emulator.control.state();
	expect([...trunks, ...webhooks]).toMatchObject([
		{ id: trunk, reference: null },
		{ id: webhook, reference: null },
	]);
});
