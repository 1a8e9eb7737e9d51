/** Mocks return the same outputs as `up`. */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, describe, expect, it } from "vitest";
import * as classes from "../../sdk";
import { type MockOptions, mocks, type TelephonyMocks } from "../../sdk/nodejs-testing";
import { useEmulator } from "../helpers/emulator";
import { createProject, type Front, fronts, run, succeeds } from "../helpers/engine";
import { content } from "../helpers/papers";
import { repository } from "../helpers/repository";
import { variations } from "../short.mts";

// By name, as generated code finds its package.json only in dist/.
const plugin = createRequire(__filename)("pulumi-telephony/plugin") as typeof classes;
const front: Record<Front, typeof classes> = { "pulumi-telephony": classes, "pulumi-telephony/plugin": plugin };

const running: TelephonyMocks[] = [];
afterEach(async () => {
	for (const mock of running.splice(0)) await mock.close();
});

/** Starts mocks in place of the engine, and records their states. */
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

const resolved = <T>(value: pulumi.Output<T>): Promise<T> => new Promise((resolve) => void value.apply(resolve));
const isSecret = (value: pulumi.Output<unknown>): Promise<boolean> =>
	(value as unknown as { isSecret: Promise<boolean> }).isSecret;

/** A resource of each kind, and a number of a regulated market. */
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

/** Marks a secret in the protocol, and the provider's own properties. */
const signature = "4dabf18193072939515e22adb298388d";
const internal = /^(__|__resourceUrn$|organization$)/;

/** Returns keys and types without values. */
function shapeOf(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(shapeOf);
	if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
	if (signature in value) return "secret";
	const entries = Object.entries(value).filter(([key]) => !internal.test(key));
	return Object.fromEntries(entries.map(([key, item]) => [key, shapeOf(item)]));
}

const desk = { country: "NL", type: "mobile" } as const;
const wrong = `const { id } = new telephony.Number("desk", { country: "Holland", type: "mobile" });`;

describe("mocks", () => {
	const emulator = useEmulator();

	it.each(variations(fronts))("give each resource the outputs of `up`: %s", async (name) => {
		const project = await createProject({ service: emulator, front: name, program });
		for (const file of ["card", "bill"]) writeFileSync(join(project.folder, `${file}.pdf`), content("pdf", file));
		await succeeds(project.up());
		const real = (await project.resources()).map(({ urn, outputs }) => [urn.split("::").at(-1), shapeOf(outputs)]);
		const { states } = await mocked({ cwd: project.folder });
		new Function("telephony", program)(front[name]);
		await expect.poll(() => states.size).toBe(real.length);
		const given = [...states].map(([name, state]) => [name, shapeOf(state)]);
		expect(Object.fromEntries(given)).toEqual(Object.fromEntries(real));
	});

	it("buy numbers of their market, with KYC, ids and a ledger", async () => {
		const { telephony } = await mocked();
		const number = (country: string, type: "mobile" | "toll_free") =>
			new classes.Number(`${country}-${type}`, { country, type });
		const [free, regulated] = [number("US", "toll_free"), number("DE", "mobile")];
		expect(await resolved(free.phoneNumber)).toMatch(/^\+1833\d{7}$/);
		expect([await resolved(free.status), await resolved(regulated.status)]).toEqual(["active", "pending"]);
		expect(await resolved(regulated.kyc)).toMatchObject({ status: "action_required" });
		expect(await resolved(free.id)).toMatch(/^num_/);
		const resources = telephony.resources.map(({ type, name }) => `${type} ${name}`).sort();
		expect(resources).toEqual(["Number DE-mobile", "Number US-toll_free"]);
		expect(telephony.account.ledger().map(({ kind }) => kind)).toEqual(["purchase", "purchase"]);
		await mocked({ kyc: "immediate" });
		expect(await resolved(number("DE", "mobile").status)).toBe("active");
	});

	it("tell apart resources of one name, and pass on other packages'", async () => {
		const { telephony } = await mocked();
		const bucket = { type: "aws:s3:Bucket", name: "logs", inputs: { acl: "private" } };
		expect(await telephony.newResource(bucket)).toEqual({ id: "logs_id", state: { acl: "private" } });
		const ids = ["a", "b"].map((name) => {
			const parent = new pulumi.ComponentResource("test:index:Office", name);
			return resolved(new plugin.Number("desk", desk, { parent }).id);
		});
		expect(new Set(await Promise.all(ids)).size).toBe(2);
	});

	it.each(fronts)("answer functions and look-ups from their account: %s", async (name) => {
		const { telephony } = await mocked();
		const { Number: TelephonyNumber, getNumberOutput, getNumbersOutput, getAvailableNumbersOutput } = front[name];
		const made = new TelephonyNumber("desk", { ...desk, label: "Desk" });
		const id = await resolved(made.id);
		expect(await resolved(getNumberOutput({ id: made.id }))).toMatchObject({ label: "Desk", status: "active" });
		expect(await resolved(getNumbersOutput({ country: "NL" }))).toMatchObject({ numbers: [{ id }] });
		const free = await resolved(getAvailableNumbersOutput({ country: "US", type: "mobile", limit: 2 }));
		expect(free.numbers).toMatchObject([{ phoneNumber: expect.stringMatching(/^\+1646/) }, { country: "US" }]);
		const viaPlugin = ["getNumber", "getNumbers", "getAvailableNumbers"];
		expect(telephony.calls.map((call) => call.name)).toEqual(name === fronts[1] ? viaPlugin : []);
		expect(await resolved(TelephonyNumber.get("again", id).phoneNumber)).toMatch(/^\+316/);
	});

	it.each([
		[{ ...desk, lable: "Desk" }, undefined, "lable"],
		[{ ...desk, country: "Holland" }, undefined, "country"],
		[{ ...desk, country: "BE" }, undefined, "unsupported_market"],
		[{}, "num_gone", "not_found"],
	])("refuse what a preview or the service refuses: %j %s", async (inputs, id, named) => {
		const { telephony } = await mocked();
		const failed = expect(telephony.failure).rejects.toThrow(named);
		const number = { type: "telephony:index:Number", name: "desk", inputs, ...(id === undefined ? {} : { id }) };
		await expect(telephony.newResource(number)).rejects.toThrow(named);
		await failed;
		expect(telephony.resources).toEqual([]);
	});

	it.each(fronts)("keep secrets secret, and work again after a mistake: %s", async (name) => {
		const { telephony } = await mocked();
		new Function("telephony", wrong)(front[name]);
		await expect(telephony.failure).rejects.toThrow("country");
		await mocked();
		const hook = new front[name].Webhook("sms", { url: "https://hooks.example.com/", events: ["message.received"] });
		expect(await resolved(hook.secret)).toMatch(/^whsec_/);
		expect([await isSecret(hook.secret), await isSecret(hook.url)]).toEqual([true, false]);
	});

	const dependent = `${wrong} new telephony.Activation("ready", { numberIds: [id] });`;
	const rejected = [expect.stringContaining("country")];
	const mistakes: readonly [kind: string, program: string, unhandled: unknown[]][] = [
		["two resources", `for (const each of ["a", "b"]) { ${wrong.replace('"desk"', "each")} }`, rejected],
		["one that another needs", dependent, rejected],
		["one that a test expects", `${dependent} await telephonyMocks.failure.catch(() => {});`, []],
	];
	it.each(fronts.flatMap((name) => mistakes.map((mistake) => [name, ...mistake] as const)))(
		"reject once for a mistake, unless a test handles it: %s, %s",
		async (name, _, mistake, unhandled) => {
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
		},
	);
});
