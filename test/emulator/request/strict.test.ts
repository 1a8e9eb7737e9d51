import { spawn } from "node:child_process";
import { once } from "node:events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { repository } from "../../helpers/repository";
import { refusal, useVirtualEmulator } from "../fixture";

const { emulator, call, outside, buy, trunk, set } = useVirtualEmulator();

/** Half a character too. */
const anyUnit = fc.oneof(fc.constant("\ud83d"), fc.string({ unit: "binary", minLength: 1, maxLength: 1 }));
const acl = (...allowed_cidrs: string[]) => ({ auth: { mode: "ip_acl", allowed_cidrs } });

describe("what could not be kept as it was sent is refused", () => {
	test("a key that JavaScript drops", async () => {
		const { id } = await buy();
		const before = emulator.control.state().numbers;
		const body = '{"metadata": {"__proto__": "x", "team": "sales"}}';
		expect(await call("PATCH", `/numbers/${id}`, body)).toMatchObject({
			...refusal(400, "validation_failed"),
			body: { details: [{ field: "metadata.__proto__" }] },
		});
		expect(emulator.control.state().numbers).toEqual(before);
	});

	test("by the control plane and in process too", async () => {
		const { id } = await buy();
		const metadata = JSON.parse('{"__proto__": "x"}');
		expect(await outside("PATCH", `/_emulator/numbers/${id}`, { metadata })).toMatchObject({ status: 400 });
		expect(() => emulator.control.patchNumber(id, { metadata })).toThrow("__proto__");
	});

	test("and everything else is kept, whatever is in it", async () => {
		const { id } = await buy();
		const text = fc.string({ unit: anyUnit, maxLength: 20 });
		const name = fc.string({ unit: anyUnit, minLength: 1, maxLength: 20 }).filter((key) => key !== "__proto__");
		await fc.assert(
			fc.asyncProperty(fc.dictionary(name, text, { maxKeys: 5 }), async (metadata) => {
				expect((await call("PATCH", `/numbers/${id}`, { metadata })).body.metadata).toEqual({ ...metadata });
			}),
		);
	});
});

test.each(["0x10", "1e1", "%2010", "10.0", "", "0b1", "Infinity"])(
	"limit=%s is not read as a number",
	async (limit) => {
		expect(await call("GET", `/numbers?limit=${limit}`)).toMatchObject(refusal(400, "validation_failed"));
	},
);

test("a filter with the name of a key that JavaScript drops is unknown like any other", async () => {
	expect(await call("GET", "/numbers?__proto__=1")).toMatchObject({
		...refusal(400, "validation_failed"),
		body: { details: [{ field: "__proto__" }] },
	});
});

describe("a KYC profile that is not on the account", () => {
	const unknown = { kyc_profile_id: "kyc_nobody" };

	test("is refused", async () => {
		const { id } = await buy("DE");
		expect(await call("PATCH", `/numbers/${id}`, unknown)).toMatchObject({
			...refusal(400, "invalid_reference"),
			body: { details: [{ field: "kyc_profile_id" }] },
		});
	});

	test("passes if the switch says so, or if profiles are no part of the service", async () => {
		const { id } = await buy("DE");
		set({ acceptUnknownProfiles: true });
		expect(await call("PATCH", `/numbers/${id}`, unknown)).toMatchObject({
			status: 200,
			body: { kyc: { profile_id: "kyc_nobody" } },
		});
		set({ acceptUnknownProfiles: false, features: { kyc: false } });
		expect((await call("PATCH", `/numbers/${id}`, { kyc_profile_id: "kyc_other" })).status).toBe(200);
	});
});

describe("an allow list", () => {
	test.each([
		"0.0.0.0/0",
		"::/0",
		"0.0.0.0/1",
		"2000::/3",
		"10.1.2.3",
		"172.0.0.0/8",
		"192.168.0.0/24",
		"127.0.0.1",
		"fd00::/48",
		"::ffff:10.0.0.1",
	])("does not let in %s", async (cidr) => {
		expect(await call("POST", "/trunks", { name: "office", capacity: 1, ...acl("198.51.100.7", cidr) })).toMatchObject({
			...refusal(400, "validation_failed"),
			body: { details: [{ field: "auth.allowed_cidrs.1" }] },
		});
		const { id } = await trunk();
		expect((await call("PATCH", `/trunks/${id}`, acl(cidr))).status).toBe(400);
		set({ acceptAnyAddress: true });
		expect((await call("PATCH", `/trunks/${id}`, acl(cidr))).status).toBe(200);
	});

	test("lets in public addresses and those of documentation", async () => {
		const cidrs = ["198.51.100.0/24", "203.0.113.7", "192.0.2.1/32", "2001:db8::/32", "8.8.8.8", "2a00::/16"];
		expect((await trunk(acl(...cidrs))).auth).toMatchObject({ allowed_cidrs: cidrs });
	});
});

describe("a lag begins with the change, at the same instant too", () => {
	test("applyLagMs: a trunk changed at the moment it was made is reconciling", async () => {
		const { id } = await trunk();
		set({ applyLagMs: 5000, echoIntent: false });
		expect((await call("GET", `/trunks/${id}`)).body).toMatchObject({ reconciling: false });
		expect((await call("PATCH", `/trunks/${id}`, { capacity: 60 })).body).toMatchObject({
			reconciling: true,
			capacity: 30,
		});
		emulator.control.clock({ advance: "5s" });
		expect((await call("GET", `/trunks/${id}`)).body).toMatchObject({ reconciling: false, capacity: 60 });
	});

	test("detachLagMs: a trunk whose number was routed to it and away at one moment can't be deleted yet", async () => {
		set({ detachLagMs: 5000 });
		const [{ id }, number] = [await trunk(), await buy()];
		await call("PATCH", `/numbers/${number.id}`, { routing: { type: "trunk", trunk_id: id } });
		await call("PATCH", `/numbers/${number.id}`, { routing: null });
		expect(await call("DELETE", `/trunks/${id}`)).toMatchObject(refusal(409, "trunk_in_use"));
		emulator.control.clock({ advance: "5s" });
		expect((await call("DELETE", `/trunks/${id}`)).status).toBe(204);
	});
});

test.each([
	[["--api-key", "my-own-secret-key"], "api key as given"],
	[[], "api key emulator-key"],
])("the line of the command with %j says: %s", async (options, shown) => {
	const args = ["bin/telephony", "emulator", "--memory", "--port", "0", ...options];
	const child = spawn(process.execPath, args, { cwd: repository, stdio: ["ignore", "pipe", "pipe"] });
	let said = "";
	for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
	while (!said.includes("\n")) await once(child.stdout, "data");
	child.kill("SIGTERM");
	await once(child, "close");
	expect(said).toContain(shown);
	expect(said).not.toContain("my-own-secret-key");
});
