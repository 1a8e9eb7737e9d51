/** What mocks fill is what `up` gives: the law that keeps them honest. */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, describe, expect, it } from "vitest";
import * as classes from "../../sdk";
import { type MockOptions, mocks, type TelephonyMocks } from "../../testing";
import { useEmulator } from "../helpers/emulator";
import { createProject, type Front, fronts, run, succeeds } from "../helpers/engine";
import { content } from "../helpers/papers";
import { repository } from "../helpers/repository";
import { variations } from "../short.mts";

// By name, as generated code finds its package.json in dist/ alone. What tests use of it, the classes have too.
const plugin = createRequire(__filename)("pulumi-telephony/plugin") as typeof classes;
const front: Record<Front, typeof classes> = { "pulumi-telephony": classes, "pulumi-telephony/plugin": plugin };

const running: TelephonyMocks[] = [];
afterEach(async () => {
	for (const one of running.splice(0)) await one.close();
});

/** Mocks in place of the engine, and the states that they give it. */
async function mocked(options: MockOptions = {}) {
	const telephony = await mocks(options);
	running.push(telephony);
	const states = new Map<string, Record<string, unknown>>();
	await pulumi.runtime.setMocks({
		call: (args) => telephony.call(args),
		async newResource(args) {
			const made = await telephony.newResource(args);
			states.set(args.name, made.state);
			return made;
		},
	});
	return { telephony, states };
}

const known = <T>(value: pulumi.Output<T>): Promise<T> => new Promise((resolve) => void value.apply(resolve));
const isSecret = (value: pulumi.Output<unknown>): Promise<boolean> =>
	(value as unknown as { isSecret: Promise<boolean> }).isSecret;

/** A resource of each kind, and what only a regulated market has. */
const program = `
const address = { street: "Heidestr. 17", city: "Berlin", postalCode: "10557", country: "DE" };
const holder = new telephony.KycProfile("holder", { entityType: "individual", name: "Erika Mustermann", country: "DE", address, idNumber: "L01X00T47", documents: [{ kind: "identity", file: "card.pdf" }, { kind: "proof_of_address", file: "bill.pdf" }] });
const trunk = new telephony.SipTrunk("trunk", { auth: { mode: "digest", username: "pbx-1" }, capacity: 30, metadata: { team: "a" } });
new telephony.SipTrunk("open", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] }, capacity: 3, targets: [{ host: "sip.example.com" }] });
const desk = new telephony.Number("desk", { country: "NL", type: "geographic", area: "20", label: "Desk", routing: { type: "trunk", trunkId: trunk.id, failover: { type: "forward", to: "+3225550123" } } });
new telephony.Number("berlin", { country: "DE", type: "geographic", area: "30", kycProfileId: holder.id, waitForActive: false });
new telephony.NumberPool("pool", { count: 2, country: "US", type: "toll_free", label: "support-{index}" });
new telephony.Activation("ready", { numberIds: [desk.id] });
new telephony.Webhook("sms", { url: "https://hooks.example.com/sms", events: ["message.received"] });
new telephony.PortOrder("move", { numbers: ["+31201234567"], country: "NL", carrier: { name: "Old Telecom", pin: "4711" }, subscriber: { name: "Example B.V.", address: "Damrak 1, Amsterdam" } });
`;

/** How the protocol marks a secret, and the front's own entries. */
const signature = "4dabf18193072939515e22adb298388d";
const own = /^(__|resourceUrn$|organization$)/;

/** Keys and types, the same for two values that differ in what they say only. */
function shapeOf(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(shapeOf);
	if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
	if (signature in value) return "secret";
	const entries = Object.entries(value).filter(([key]) => !own.test(key));
	return Object.fromEntries(entries.map(([key, item]) => [key, shapeOf(item)]));
}

describe("mocks fill", () => {
	const emulator = useEmulator();

	it.each(variations(fronts))("what `up` gives, of every kind of resource: %s", async (name) => {
		const project = await createProject({ service: emulator, front: name, program });
		for (const file of ["card", "bill"]) writeFileSync(join(project.folder, `${file}.pdf`), content("pdf", file));
		await succeeds(project.up());
		const real = (await project.resources()).map(({ urn, outputs }) => [urn.split("::").at(-1), shapeOf(outputs)]);

		const { states } = await mocked({ cwd: project.folder });
		new Function("telephony", program)(front[name]);
		await expect.poll(() => states.size, { timeout: 10_000 }).toBe(real.length);
		const given = [...states].map(([each, state]) => [each, shapeOf(state)]);
		expect(Object.fromEntries(given)).toEqual(Object.fromEntries(real));
	});

	it("what a purchase gives: numbers by market, pending KYC, ids, a ledger", async () => {
		const { telephony } = await mocked();
		const number = (country: string, type: "mobile" | "toll_free") =>
			new classes.Number(`${country}-${type}`, { country, type });
		const [open, free, regulated] = [number("NL", "mobile"), number("US", "toll_free"), number("DE", "mobile")];
		expect(await known(open.phoneNumber)).toMatch(/^\+316\d{8}$/);
		expect(await known(free.phoneNumber)).toMatch(/^\+1833\d{7}$/);
		expect([await known(open.status), await known(regulated.status)]).toEqual(["active", "pending"]);
		expect(await known(regulated.kyc)).toMatchObject({ status: "action_required" });
		expect(await known(open.id)).toMatch(/^num_/);
		const resources = telephony.resources.map(({ type, name }) => `${type} ${name}`).sort();
		expect(resources).toEqual(["Number DE-mobile", "Number NL-mobile", "Number US-toll_free"]);
		expect(telephony.account.ledger().map(({ kind }) => kind)).toEqual(["purchase", "purchase", "purchase"]);
		await mocked({ kyc: "immediate" });
		expect(await known(number("DE", "mobile").status)).toBe("active");
	});

	it.each(fronts)("secrets, which stay secret: %s", async (name) => {
		const { telephony } = await mocked();
		const hook = new front[name].Webhook("sms", { url: "https://hooks.example.com/", events: ["message.received"] });
		expect(await known(hook.secret)).toMatch(/^whsec_/);
		expect([await isSecret(hook.secret), await isSecret(hook.url)]).toEqual([true, false]);
		expect(telephony.resources[0]?.outputs.secret).toBe(await known(hook.secret));
	});

	it("two resources of one name in two components", async () => {
		await mocked();
		const desks = ["a", "b"].map((name) => {
			const parent = new pulumi.ComponentResource("test:index:Office", name);
			return new plugin.Number("desk", { country: "NL", type: "mobile" }, { parent });
		});
		const ids = await Promise.all(desks.map(({ id }) => known(id)));
		expect(new Set(ids).size).toBe(2);
	});
});

describe("mocks answer", () => {
	it.each(fronts)("functions, from what the program has made: %s", async (name) => {
		const { telephony } = await mocked();
		const { Number: TelephonyNumber, getNumberOutput, getNumbersOutput, getAvailableNumbersOutput } = front[name];
		const desk = new TelephonyNumber("desk", { country: "NL", type: "mobile", label: "Desk" });
		expect(await known(getNumberOutput({ id: desk.id }))).toMatchObject({ label: "Desk", status: "active" });
		expect((await known(getNumbersOutput({ country: "NL" }))).numbers).toMatchObject([{ id: await known(desk.id) }]);
		const free = await known(getAvailableNumbersOutput({ country: "US", type: "mobile", limit: 2 }));
		expect(free.numbers).toMatchObject([{ phoneNumber: expect.stringMatching(/^\+1646/) }, { country: "US" }]);
		const viaPlugin = ["getNumber", "getNumbers", "getAvailableNumbers"];
		expect(telephony.calls.map((call) => call.name)).toEqual(name === fronts[1] ? viaPlugin : []);
	});

	it("a look-up of what is on their account, and say so if it is not", async () => {
		const { telephony } = await mocked();
		const made = await known(new classes.Number("desk", { country: "NL", type: "mobile" }).id);
		expect(await known(classes.Number.get("again", made).phoneNumber)).toMatch(/^\+316/);
		const lookUp = { type: "telephony:index:Number", name: "gone", inputs: {}, id: "num_gone" };
		const failed = expect(telephony.failure).rejects.toThrow("not_found");
		await expect(telephony.newResource(lookUp)).rejects.toThrow("not_found");
		await failed;
	});
});

describe("mocks refuse", () => {
	it.each([
		[{ country: "NL", type: "mobile", lable: "Desk" }, "lable"],
		[{ country: "Holland", type: "mobile" }, "country"],
		[{ country: "BE", type: "mobile" }, "unsupported_market"],
	])("what a preview or the service refuses: %j", async (inputs, named) => {
		const { telephony } = await mocked();
		telephony.failure.catch(() => {});
		const number = { type: "telephony:index:Number", name: "desk", inputs };
		await expect(telephony.newResource(number)).rejects.toThrow(named);
		expect(telephony.resources).toEqual([]);
	});

	it("nothing of other packages, whose inputs they give back", async () => {
		const { telephony } = await mocked();
		const bucket = { type: "aws:s3:Bucket", name: "logs", inputs: { acl: "private" } };
		expect(await telephony.newResource(bucket)).toEqual({ id: "logs_id", state: { acl: "private" } });
		expect(telephony.resources).toMatchObject([{ type: "aws:s3:Bucket", name: "logs" }]);
	});

	describe.each(fronts)("a program's mistake: %s", (name) => {
		const one = `const { id } = new telephony.Number("desk", { country: "Holland", type: "mobile" });`;
		const dependent = `${one} new telephony.Activation("ready", { numberIds: [id] });`;
		const two = `for (const name of ["a", "b"]) new telephony.Number(name, { country: "Holland", type: "mobile" });`;

		it.each([
			["one", one, [expect.stringContaining("country")]],
			["two", two, [expect.stringContaining("country")]],
			["a dependent one", dependent, [expect.stringContaining("country")]],
			["an expected one", `${dependent} await telephonyMocks.failure.catch(() => {});`, []],
		])("rejects once, unless a test handles it: %s", async (_, mistake, unhandled) => {
			const script = `
				const [pulumi, { mocks }, telephony] = ["@pulumi/pulumi", "pulumi-telephony/testing", "${name}"].map(require);
				process.on("unhandledRejection", ({ message }) => console.log(message));
				mocks().then(async (telephonyMocks) => {
					await pulumi.runtime.setMocks(telephonyMocks);
					${mistake}
					setTimeout(() => telephonyMocks.close(), 1_000);
				});
			`;
			const { stdout } = await succeeds(run(process.execPath, ["-e", script], repository, process.env));
			expect(stdout.trim().split("\n").filter(Boolean)).toEqual(unhandled);
		});

		it("leaves the next mocks working", async () => {
			const { telephony } = await mocked();
			new front[name].Number("desk", { country: "Holland", type: "mobile" });
			await expect(telephony.failure).rejects.toThrow("country");
			await mocked();
			const desk = new front[name].Number("desk", { country: "NL", type: "mobile" });
			expect(await known(desk.phoneNumber)).toMatch(/^\+316/);
		});
	});
});
