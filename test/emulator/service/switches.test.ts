import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { features, type Operation, operations } from "../../../provider/api/contract";
import { useEmulator } from "../../helpers/emulator";
import { refusal, useVirtualEmulator } from "../fixture";

const { clock, emulator, call, buy, trunk, hook, set } = useVirtualEmulator();

describe("a switch", () => {
	test.each(features)("without %s offers none of its operations, and all others", async (feature) => {
		const answers = async () => {
			const found = Object.entries<Operation>(operations).map(async ([name, { method, path }]) => {
				const { status, body } = await call(
					method,
					path.replace("{id}", "unknown"),
					method === "POST" ? {} : undefined,
				);
				const refused =
					["operation_not_offered", "method_not_allowed"].includes(body.error) && [404, 405].includes(status);
				return refused ? [name] : [];
			});
			return (await Promise.all(found)).flat();
		};
		expect(await answers()).toEqual([]);
		set({ features: { [feature]: false } });
		const its = Object.entries<Operation>(operations).filter(([, operation]) => operation.feature === feature);
		expect(await answers()).toEqual(its.map(([name]) => name));
		expect((await call("GET", "/numbers")).headers.get("Telephony-Features")).not.toContain(feature);
	});

	test("without Idempotency-Key ignores it: a repeated purchase buys again", async () => {
		set({ features: { idempotencyKey: false } });
		const key = { "Idempotency-Key": "k" };
		expect((await buy("US", "mobile", key)).id).not.toBe((await buy("US", "mobile", key)).id);
	});

	test("without reference knows no such field, in bodies, answers and filters", async () => {
		const { id } = await trunk({ reference: "r" });
		set({ features: { reference: false } });
		expect((await call("GET", `/trunks/${id}`)).body).not.toHaveProperty("reference");
		expect(await buy()).not.toHaveProperty("reference");
		expect(await hook({ reference: "r" })).toMatchObject({
			error: "validation_failed",
			details: [{ field: "reference" }],
		});
		expect(await call("GET", "/numbers?reference=r")).toMatchObject(refusal(400, "validation_failed"));
		set({ features: { statusFilter: false } });
		expect(await call("GET", "/numbers?status=released")).toMatchObject(refusal(400, "validation_failed"));
	});

	test("purchaseId off leaves only kyc_required of a purchase", async () => {
		set({ purchaseId: false });
		expect(await buy("DE")).toEqual({ kyc_required: true });
		expect(await buy("US")).toEqual({});
	});

	test("assignNumberLate gives the number with the activation", async () => {
		set({ assignNumberLate: true });
		const { id, number } = await buy("DE");
		expect(number).toBeNull();
		emulator.control.decide(id, "approve");
		expect((await call("GET", `/numbers/${id}`)).body.number).toMatch(/^\+49/);
	});

	test("shuffleArrays answers sets in another order on each read, but never codecs", async () => {
		const events = ["message.received", "message.status", "call.completed"];
		const codecs = ["opus", "G722", "PCMA"];
		const { id } = await hook({ events });
		const { id: trunkId } = await trunk({ codecs });
		set({ shuffleArrays: true });
		const read = async () => (await call("GET", `/webhooks/${id}`)).body.events as string[];
		const [one, two] = [await read(), await read()];
		expect(one).not.toEqual(two);
		expect([...one].sort()).toEqual([...events].sort());
		expect((await call("GET", `/trunks/${trunkId}`)).body.codecs).toEqual(codecs);
	});

	test("cidr respells addresses and means the same", async () => {
		set({ acceptAnyAddress: true });
		const ip = fc.oneof(fc.ipV4(), fc.ipV6());
		const cidr = fc.tuple(ip, fc.constantFrom("bare", "whole", "wide")).map(([address, width]) => {
			const whole = address.includes(":") ? 128 : 32;
			return width === "bare" ? address : `${address}/${width === "whole" ? whole : 16}`;
		});
		const spelled = (given: string) => (given.includes("/") ? given : `${given}/${given.includes(":") ? 128 : 32}`);
		await fc.assert(
			fc.asyncProperty(fc.array(cidr, { minLength: 1, maxLength: 5 }), async (allowed_cidrs) => {
				const { id } = await trunk({ auth: { mode: "ip_acl", allowed_cidrs } });
				const read = async (style: "asGiven" | "strip32" | "add32") => {
					set({ cidr: style });
					return ((await call("GET", `/trunks/${id}`)).body.auth as { allowed_cidrs: string[] }).allowed_cidrs;
				};
				expect(await read("asGiven")).toEqual(allowed_cidrs);
				expect(await read("add32")).toEqual(allowed_cidrs.map(spelled));
				const stripped = await read("strip32");
				expect(stripped.map(spelled)).toEqual(allowed_cidrs.map(spelled));
				expect(stripped.join(" ")).not.toMatch(/\.\d+\/32|\/128/);
			}),
			{ numRuns: 30 },
		);
	});

	test("injectDefaults off answers what was declared, hostCase upper shouts", async () => {
		set({ injectDefaults: false, hostCase: "upper" });
		expect(await trunk({ targets: [{ host: "sip.example.com" }] })).toMatchObject({
			targets: [{ host: "SIP.EXAMPLE.COM" }],
			codecs: null,
			media_encryption: null,
		});
		const { id } = await buy();
		const routing = { type: "forward", to: "+49301234567" };
		expect((await call("PATCH", `/numbers/${id}`, { routing })).body.routing).toEqual(routing);
	});
});

describe("the profile seed", () => {
	const seed = useEmulator({ profile: "seed", clock });

	test("lists and buys, and nothing else", async () => {
		const bought = await seed.call("POST", "/numbers", { country: "DE", type: "mobile" });
		expect(bought).toMatchObject({ status: 201, body: { id: expect.any(String), kyc_required: true } });
		expect((await seed.call("GET", "/numbers?limit=1")).body).toEqual({
			data: [{ id: bought.body.id, country: "DE", type: "mobile", status: "pending" }],
			next_cursor: null,
		});
		expect(bought.headers.get("Telephony-Features")).toBe("");
		expect(await seed.call("GET", "/numbers?status=active")).toMatchObject(refusal(400, "validation_failed"));
		for (const [method, path] of [
			["GET", `/numbers/${bought.body.id}`],
			["PATCH", `/numbers/${bought.body.id}`],
			["DELETE", `/numbers/${bought.body.id}`],
			["GET", "/trunks"],
			["POST", "/webhooks"],
		] as const) {
			expect(await seed.call(method, path)).toMatchObject(refusal(404, "operation_not_offered"));
		}
		expect(await seed.call("DELETE", "/numbers")).toMatchObject(refusal(405, "method_not_allowed"));
	});

	test("may answer a purchase as barely as the public description", async () => {
		seed.control.settings({ purchaseId: false });
		expect((await seed.call("POST", "/numbers", { country: "DE", type: "mobile" })).body).toEqual({
			kyc_required: true,
		});
	});
});
