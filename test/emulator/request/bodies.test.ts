import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { harmless, hidden } from "../../../emulator/request/harmless";
import { Journal } from "../../../emulator/store/journal";
import { digest, useVirtualEmulator } from "../fixture";

const { emulator, call, trunk, hook } = useVirtualEmulator();

describe("a body that is kept to be looked at", () => {
	const secrets = ["password", "secret", "previous_secret", "id_number", "pin", "account_number", "content", "api_key"];

	test("has no secret under any name that the contract gives to one, however deep", () => {
		fc.assert(
			fc.property(
				fc.constantFrom(...secrets),
				fc.array(fc.constantFrom("auth", "carrier", "data", "metadata", "details", "x"), { maxLength: 6 }),
				(name, path) => {
					const body = path.reduceRight<unknown>((inner, key) => ({ [key]: [inner] }), { [name]: "s3cr3t-value" });
					expect(JSON.stringify(harmless(body))).not.toContain("s3cr3t");
				},
			),
		);
	});

	test("hides what the contract has no name for: a misspelt password is one", () => {
		expect(harmless({ passwrod: "x", label: "desk", nested: { a: 1 } })).toEqual({
			passwrod: hidden,
			label: "desk",
			nested: hidden,
		});
	});

	test("hides secrets that can be told wherever they are", () => {
		expect(harmless({ message: "it was whsec_AbC+/9==", uri: "sip:desk:pass@pbx.example" })).toEqual({
			message: `it was ${hidden}`,
			uri: `sip:desk:${hidden}@pbx.example`,
		});
	});

	test("says that there is a secret, and its last characters where the API does", () => {
		const marks = { password_set: true, secret_hint: "9fQ2", secret_version: 2, id_number_set: false };
		expect(harmless(marks)).toEqual(marks);
	});

	test("is small, whatever was sent", () => {
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 3000 }), (count) => {
				const body = { data: Array.from({ length: count }, () => ({ label: "x".repeat(count) })) };
				expect(JSON.stringify(harmless(body)).length).toBeLessThan(10_000);
			}),
		);
		let deep: unknown = "x";
		for (let level = 0; level < 90; level++) deep = { data: deep };
		expect(JSON.stringify(harmless(deep)).length).toBeLessThan(200);
	});

	test("is kept for the latest requests only, while rows are kept of more", () => {
		const journal = new Journal();
		for (let n = 0; n < 1000; n++) {
			const row = { method: "GET", path: "/v1/numbers", status: null, request_id: `req_${n}`, at: "" };
			journal.answered(journal.add(row), { status: 200, body: { data: [] } });
		}
		expect(journal.latest()).toHaveLength(1000);
		expect(journal.bodies("req_0")).toBeUndefined();
		expect(journal.bodies("req_999")).toEqual({ answered: { data: [] } });
	});

	test("is no part of what the control API answers, and gone after a reset", async () => {
		const secret = "set-by-the-program-1";
		await trunk({ auth: { ...digest, password: secret } });
		const { secret: made } = await hook();
		const requests = emulator.control.requests();
		expect(Object.keys(requests[0] ?? {}).sort()).toEqual(["at", "method", "path", "request_id", "status"]);
		const pages = await Promise.all(
			requests.map(async ({ request_id }) => {
				const page = await fetch(new URL(`/_console/requests/${request_id}`, emulator.url));
				return page.text();
			}),
		);
		expect(pages.join()).toContain(hidden);
		for (const value of [secret, String(made)]) expect(pages.join()).not.toContain(value);
		emulator.control.reset();
		expect((await call("GET", "/numbers")).status).toBe(200);
		const gone = await fetch(new URL(`/_console/requests/${requests[0]?.request_id}`, emulator.url));
		expect(gone.status).toBe(404);
	});
});
