/** A stack's whole life on the real engine: made, left alone, emptied; and every example as it stands in the checkout. */
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, succeeds } from "../helpers/engine";
import { variations } from "../short.mts";

const repository = resolve(__dirname, "../..");
const examples = readdirSync(join(repository, "examples")).filter((name) =>
	existsSync(join(repository, "examples", name, "Pulumi.yaml")),
);
const emulator = useEmulator({ kyc: "immediate" });
const writes = () => emulator.control.requests().filter(({ method }) => method !== "GET");
const ledger = (kind: string) =>
	emulator.control
		.ledger()
		.filter((row) => row.kind === kind)
		.map(({ number_id }) => number_id)
		.sort();

const office = `
	const trunk = new telephony.SipTrunk("trunk", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24", "203.0.113.7"] }, capacity: 30 });
	const remote = new telephony.SipTrunk("remote", { auth: { mode: "digest", username: "remote" }, capacity: 2 });
	const desk = new telephony.Number("desk", { country: "NL", type: "geographic", area: "20", label: "Desk",
		routing: { type: "trunk", trunkId: trunk.id, failover: { type: "trunk", trunkId: remote.id } } });
	const berlin = new telephony.Number("berlin", { country: "DE", type: "mobile", smsWebhookUrl: "https://hooks.example.com/sms" });
	const bare = new telephony.Number("bare", { country: "US", type: "toll_free" });
	const sms = new telephony.Webhook("sms", { url: "https://hooks.example.com/sms", events: ["message.received"] });
	Object.assign(exports, { desk: desk.phoneNumber, password: remote.password, secret: sms.secret });
`;

describe("a stack", () => {
	test("is made once, stays as it is without a write, and leaves an empty account behind", async () => {
		const stack = await createProject({ program: office, service: emulator });

		await succeeds(stack.up());
		const made = emulator.control.state();
		const [trunk, remote] = ["trunk", "remote"].map((named) => made.trunks.find(({ name }) => name === named));
		expect(made.numbers.find(({ label }) => label === "Desk")).toMatchObject({
			country: "NL",
			area: "20",
			status: "active",
			routing: { type: "trunk", trunk_id: trunk?.id, failover: { type: "trunk", trunk_id: remote?.id } },
		});
		expect(made.numbers.length).toBe(3);
		expect(made.trunks.length).toBe(2);
		expect(made.webhooks.length).toBe(1);
		expect(await stack.outputs()).toEqual({
			desk: made.numbers.find(({ label }) => label === "Desk")?.number,
			password: remote?.auth.mode === "digest" && remote.auth.password,
			secret: made.webhooks[0]?.secret,
		});

		const written = writes().length;
		await succeeds(stack.preview("--expect-no-changes"));
		await succeeds(stack.drift());
		await succeeds(stack.up("--expect-no-changes"));
		expect(writes().length - written, "writes at the service by preview, refresh and a second up").toBe(0);

		await succeeds(stack.destroy());
		const left = emulator.control.state();
		expect({ trunks: left.trunks, webhooks: left.webhooks }).toEqual({ trunks: [], webhooks: [] });
		expect(left.numbers.map(({ status }) => status)).toEqual(["released", "released", "released"]);
		expect(ledger("release")).toEqual(ledger("purchase"));
		expect(ledger("purchase")).toHaveLength(3);
	});

	test("costs little: three requests for a number in an open market, and 3000 bytes of state", async () => {
		const stack = await createProject({
			program: `new telephony.Number("n", { country: "NL", type: "mobile", label: "Front desk", metadata: { team: "sales" }, routing: { type: "forward", to: "+31201234567" } });`,
			service: emulator,
		});
		await succeeds(stack.up());
		expect(emulator.control.requests().map(({ method }) => method)).toEqual([
			"GET",
			"POST",
			expect.stringMatching(/^P/),
		]);
		const [number] = await stack.resources();
		expect(JSON.stringify(number).length).toBeLessThanOrEqual(3000);
	});

	test("of 200 numbers is refreshed with four requests at most", async () => {
		const stack = await createProject({
			program: `for (let n = 0; n < 200; n++) new telephony.Number("n" + n, { country: "US", type: "mobile" });`,
			service: emulator,
			env: { PULUMI_SKIP_CHECKPOINTS: "true", PULUMI_EXPERIMENTAL: "true" },
		});
		await succeeds(stack.up());
		expect(new Set(ledger("purchase")).size).toBe(200);
		const before = emulator.control.requests().length;
		await succeeds(stack.drift());
		expect(emulator.control.requests().length - before).toBeLessThanOrEqual(4);
	});
});

describe("run as it is, without drift right after,", () => {
	test.for(variations([".", ...examples.map((name) => `examples/${name}`)]))("%s works", async (folder) => {
		const stack = await createProject({ folder: join(repository, folder), service: emulator });
		await succeeds(stack.up());
		const written = writes().length;
		await succeeds(stack.drift());
		expect(writes().length).toBe(written);
		// Nothing half-done: every number of an example is in use.
		expect(new Set(emulator.control.state().numbers.map(({ status }) => status))).not.toContain("pending");
	});
});
