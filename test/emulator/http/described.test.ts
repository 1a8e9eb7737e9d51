/** The emulator of a service whose paths and bodies differ from the contract's. */
import { expect, test } from "vitest";
import type { Description } from "../../../provider/api/description/description";
import { sendRaw } from "../fixture";
import { open } from "../folders";

const paths: Record<string, NonNullable<Description["operations"]>> = {
	endings: {
		getNumber: "GET /numbers/{id}.json",
		patchNumber: "PATCH /numbers/{id}.json",
		releaseNumber: "POST /numbers/{id}:release",
	},
	beginnings: {
		getNumber: "GET /v2.1/did-{id}",
		patchNumber: "POST /v2.1/did-{id}",
		releaseNumber: "POST /v2.1/did-{id}:end",
	},
	"special characters": {
		getNumber: "GET /numbers(all)/{id}",
		patchNumber: "PUT /numbers+x/{id}/",
		releaseNumber: "DELETE /numbers.d/{id}",
	},
};

const requestOf = (operations: NonNullable<Description["operations"]>, name: string, id: string) => {
	const [method = "", path = ""] = String(operations[name]).replace("{id}", id).split(" ");
	return [method, path] as const;
};

test.each(Object.entries(paths))(
	"serves paths with %s, and finds their requests by operation",
	async (_, operations) => {
		const emulator = await open({ service: { operations }, kyc: "immediate" });
		const { id } = (await emulator.call("POST", "/numbers", { country: "US", type: "mobile" })).body;
		const send = (name: string, body?: object) => emulator.call(...requestOf(operations, name, id), body);
		expect(await send("getNumber")).toMatchObject({ status: 200, body: { id } });
		expect(await send("patchNumber", { label: "Desk" })).toMatchObject({ status: 200, body: { label: "Desk" } });
		expect((await send("releaseNumber", {})).status).toBeLessThan(300);
		expect(emulator.control.state().numbers).toMatchObject([{ id, status: "released", label: "Desk" }]);
		for (const operation of ["buyNumber", "getNumber", "patchNumber", "releaseNumber"] as const)
			expect(emulator.control.requests({ operation }), operation).toHaveLength(1);
		expect(emulator.control.requests({ operation: "listNumbers" })).toEqual([]);
	},
);

test("takes a dot in a path literally when it names the allowed methods", async () => {
	const emulator = await open({ service: { operations: { listTrunks: "GET /trunks.json" } } });
	expect((await emulator.call("DELETE", "/trunks.json")).status).toBe(405);
	expect((await emulator.call("DELETE", "/trunksXjson")).status).toBe(404);
});

const form = { "content-type": "application/x-www-form-urlencoded" };
const forms: readonly (readonly [name: string, service: Description])[] = [
	["an envelope", { envelopes: { number: { request: "data.attributes", response: "data" } } }],
	["other names", { records: { number: { country: "iso", type: "kind", id: "number_id" } } }],
	["sent values", { send: { buyNumber: { quantity: 1 } } }],
];

test.each(forms)("the console buys a number of a service with %s", async (_, service) => {
	const { url, control } = await open({ service, kyc: "immediate" });
	const fields = String(new URLSearchParams({ country: "US", type: "mobile" }));
	const { status, location, text } = await sendRaw(url.replace("/v1", "/_console/buy"), form, "POST", fields);
	expect([status, text]).toEqual([303, ""]);
	expect(control.state().numbers).toMatchObject([{ country: "US", type: "mobile" }]);
	expect(String(location)).toContain(control.state().numbers[0]?.id);
});

const whole = { operations: { patchNumber: { request: "PUT /numbers/{id}", whole: true } } };

test.each([
	["PATCH", undefined, { phonePlus: false }],
	["PATCH", undefined, { phonePlus: true }],
	["PUT", whole, { phonePlus: false }],
	["PUT", whole, { phonePlus: true }],
] as const)("takes unchanged criteria back: %s %j %j", async (method, service, settings) => {
	const emulator = await open({ ...(service && { service }), kyc: "immediate" });
	emulator.control.settings(settings);
	const { body } = await emulator.call("POST", "/numbers", { country: "US", type: "mobile" });
	const { id, number, country, type } = body;
	const change = (more: object) =>
		emulator.call(method, `/numbers/${id}`, { number, country, type, label: "Desk", ...more });
	expect(await change({})).toMatchObject({ status: 200, body: { label: "Desk" } });
	if (method === "PATCH") expect((await change({ number: "+12025550100" })).status).toBe(400);
	expect(emulator.control.state().numbers).toMatchObject([{ label: "Desk" }]);
});
