/** Whose a number is, on the real engine: two states of one name, replacements, and numbers that are adopted. */
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails, flat, seenAt, succeeds } from "../helpers/engine";
import { variations } from "../short.mts";

const emulator = useEmulator({ kyc: "immediate" });
const { kinds, number } = seenAt(emulator);
/** Of an object that its stack has left on the account. */
const left = expect.stringMatching(/\.left~telephony-test\/dev$/);
const program = 'new telephony.Number("support", { country: "NL", type: "mobile" });';

test("a second state of the same stack is refused with the ways out, and with an owner buys its own", async () => {
	const first = await createProject({ program, service: emulator });
	await succeeds(first.up());
	const { support } = await first.ids();
	const before = number(support);

	const second = await createProject({ program, service: emulator });
	const refused = await fails(second.up());
	for (const part of [support ?? "", "telephony:owner", "adopt", "untaint"]) {
		expect(refused).toContain(part);
	}
	expect({ kinds: kinds(), number: number(support) }).toEqual({ kinds: ["purchase"], number: before });

	await second.pulumi("config", "set", "telephony:owner", "second");
	await succeeds(second.up());
	expect((await second.ids()).support).not.toBe(support);
	await succeeds(second.destroy());
	expect(kinds()).toEqual(["purchase", "purchase", "release"]);
	expect(number(support)).toEqual(before);
	await succeeds(first.drift());
});

const offers = variations([{}, { reference: false }]);
test.for(offers)("--replace and taint keep the number; features: %j", async (features) => {
	emulator.control.settings({ features });
	const stack = await createProject({ program, service: emulator });
	await stack.up();
	const [entry] = await stack.resources();
	// A service without references needs to have the number seen in the same run.
	const seen = "reference" in features ? ["--refresh"] : [];
	await succeeds(stack.up("--replace", entry?.urn ?? "", ...seen));
	await stack.pulumi("state", "taint", entry?.urn ?? "", "--yes");
	await succeeds(stack.up(...seen));
	expect((await stack.ids()).support).toEqual(entry?.id);
	expect(kinds()).toEqual(["purchase"]);
	expect(number(entry?.id)?.status).toBe("active");
	await succeeds(stack.drift());
	await succeeds(stack.destroy());
	expect(kinds()).toEqual(["purchase", "release"]);
});

test("a number that is adopted is configured, kept when adopt is removed, and kept by destroy", async () => {
	const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
	const adopting = (adopt?: string, more = {}) =>
		`new telephony.Number("old", ${JSON.stringify({ country: "NL", type: "mobile", label: "old", adopt, ...more })});`;
	const stack = await createProject({ program: adopting("num_none"), service: emulator });
	const unknown = await stack.up();
	expect(unknown.code, unknown.output).not.toBe(0);
	expect(flat(unknown)).toContain("adopt: there is no number num_none");

	stack.write(adopting(String(body.number)));
	await succeeds(stack.up());
	expect({ old: (await stack.ids()).old, label: number(body.id)?.label }).toEqual({ old: body.id, label: "old" });
	stack.write(adopting("num_other"));
	expect((await stack.preview()).output).toMatch(/old replace/);
	stack.write(adopting());
	await succeeds(stack.preview("--expect-no-changes"));

	await succeeds(stack.destroy());
	expect(number(body.id)).toMatchObject({ status: "active", reference: left });
	expect(kinds()).toEqual(["purchase"]);
});

test("a number found by its E.164 has the service's id in the state and in the program, and is no drift", async () => {
	const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
	const found = `
		const found = telephony.Number.get("found", "${body.number}");
		new telephony.Activation("all", { numberIds: [found.id] });
		exports.id = found.id;`;
	const stack = await createProject({ program: found, service: emulator });
	await succeeds(stack.up());
	expect((await stack.ids()).found).toEqual(body.id);
	expect((await stack.outputs()).id).toEqual(body.id);
	for (const again of [await stack.preview("--expect-no-changes"), await stack.drift(), await stack.refresh()])
		expect(again.code, again.output).toBe(0);
	await succeeds(stack.up("--expect-no-changes"));
	expect((await stack.ids()).found).toEqual(body.id);
	expect((await stack.outputs()).id).toEqual(body.id);
	await succeeds(stack.destroy());
	expect({ status: number(body.id)?.status, kinds: kinds() }).toEqual({ status: "active", kinds: ["purchase"] });
});

test("an adopted number's own area is declared later, a wrong one refused: nothing is bought", async () => {
	const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile", area: "6" });
	const adopting = (area?: string) =>
		`new telephony.Number("old", ${JSON.stringify({ country: "NL", type: "mobile", area, adopt: body.id })});`;
	const stack = await createProject({ program: adopting(), service: emulator });
	await succeeds(stack.up());
	stack.write(adopting("20"));
	const wrong = await stack.up();
	expect(wrong.code, wrong.output).not.toBe(0);
	expect(flat(wrong)).toContain('its area is "6", not "20"');
	stack.write(adopting("6"));
	await succeeds(stack.up());
	expect({ old: (await stack.ids()).old, kinds: kinds() }).toEqual({ old: body.id, kinds: ["purchase"] });
	await succeeds(stack.preview("--expect-no-changes"));
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
	await succeeds(stack.up());
	expect(await stack.ids()).toEqual({ pbx: trunk, sms: webhook });
	expect(await stack.outputs()).toEqual({});
	expect(emulator.control.state().trunks[0]?.capacity).toBe(2);
	expect(secrets()).toEqual(before);
	await succeeds(stack.drift());
	stack.write(program({}, false));
	await succeeds(stack.preview("--expect-no-changes"));

	stack.write(program({ secretRotation: 1 }));
	await succeeds(stack.up());
	expect(await stack.outputs()).toEqual({ secret: secrets()[1] });
	expect(secrets()[1]).not.toBe(before[1]);
	expect(secrets()[0]).toEqual(before[0]);

	await succeeds(stack.destroy());
	const { trunks, webhooks } = emulator.control.state();
	expect([...trunks, ...webhooks]).toMatchObject([
		{ id: trunk, reference: left },
		{ id: webhook, reference: left },
	]);
});
