import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusal, useVirtualEmulator } from "../fixture";
import { start } from "../folders";

const { emulator, call, outside, buy, trunk, set } = useVirtualEmulator();

/** Half a character too. */
const anyUnit = fc.oneof(fc.constant("\ud83d"), fc.string({ unit: "binary", minLength: 1, maxLength: 1 }));
const acl = (...allowed_cidrs: string[]) => ({ auth: { mode: "ip_acl", allowed_cidrs } });

describe("a key of metadata that JavaScript drops", () => {
	test("is refused", async () => {
		const { id } = await buy();
		const before = emulator.control.state().numbers;
		const body = '{"metadata": {"__proto__": "x", "team": "sales"}}';
		expect(await call("PATCH", `/numbers/${id}`, body)).toMatchObject({
			...refusal(400, "validation_failed"),
			body: { details: [{ field: "metadata.__proto__" }] },
		});
		expect(emulator.control.state().numbers).toEqual(before);
	});

	test("is refused by the control API and in process too", async () => {
		const { id } = await buy();
		const metadata = JSON.parse('{"__proto__": "x"}');
		expect(await outside("PATCH", `/_emulator/numbers/${id}`, { metadata })).toMatchObject({ status: 400 });
		expect(() => emulator.control.patchNumber(id, { metadata })).toThrow("__proto__");
	});

	test("is the only one: everything else is kept, whatever is in it", async () => {
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

test.each([false, true])(
	"a KYC profile of another country is refused, with acceptUnknownProfiles %s",
	async (accept) => {
		set({ acceptUnknownProfiles: accept });
		const address = { street: "Damrak 1", city: "Berlin", postal_code: "10115", country: "DE" };
		const declared = { holder: "individual", name: "Ada Example", country: "DE", address };
		const profile = (await call("POST", "/kyc/profiles", declared)).body.id;
		const name = async (country: string) =>
			call("PATCH", `/numbers/${(await buy(country)).id}`, { kyc_profile_id: profile });
		expect(await name("FR")).toMatchObject({
			...refusal(400, "validation_failed"),
			body: { details: [{ field: "kyc_profile_id" }] },
		});
		expect(await name("DE")).toMatchObject({ status: 200 });
	},
);

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

test.each([
	[["--api-key", "my-own-secret-key"], "api key as given"],
	[[], "api key emulator-key"],
])("the line of the command with %j says: %s", async (options, shown) => {
	const { line } = await start(["--memory", ...options]);
	expect(line).toContain(shown);
	expect(line).not.toContain("my-own-secret-key");
});
