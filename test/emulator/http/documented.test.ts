/** Refusals and limits, compared with the emulator's own OpenAPI document and the table of settings. */
import { describe, expect, test } from "vitest";
import { company, mobile, useVirtualEmulator } from "../fixture";

const { call, outside, post, patch, remove, read, buy, profile, set, state } = useVirtualEmulator();

const codesOf = async (name: string): Promise<unknown> => {
	const { paths } = (await read("/openapi.json")) as unknown as { paths: Record<string, Record<string, Operation>> };
	const operation = Object.values(paths)
		.flatMap((item) => Object.values(item))
		.find(({ operationId }) => operationId === name);
	return Object.values(operation?.responses ?? {}).flatMap((response) => response["x-error-codes"] ?? []);
};
interface Operation {
	readonly operationId: string;
	readonly responses: Record<string, { readonly "x-error-codes"?: readonly string[] }>;
}

describe("the document names", () => {
	test("the refusal to move a KYC profile that a number uses", async () => {
		const { id } = await profile();
		const number = await buy("DE");
		await patch(`/numbers/${number.id}`, { kyc_profile_id: id });
		const { status, body } = await patch(`/kyc/profiles/${id}`, {
			country: "FR",
			address: { ...company.address, country: "FR" },
		});
		expect([status, body.error]).toEqual([409, "kyc_profile_in_use"]);
		expect(await codesOf("patchKycProfile")).toContain(body.error);
	});

	test("the refusal of a call from a number without voice", async () => {
		const { id, number: from } = await buy();
		await outside("PATCH", `/_emulator/numbers/${id}`, { capabilities: ["sms"] });
		const { body } = await post("/calls", { from, to: "+14155550123" });
		expect(body.error).toBe("capability_missing");
		expect(await codesOf("placeCall")).toContain(body.error);
	});
});

test("a restored number counts towards the highest number of phone numbers", async () => {
	set({ numbersMax: 1 });
	const { id } = await buy();
	await remove(`/numbers/${id}`);
	const second = await buy();
	const refused = await call("POST", `/numbers/${id}/restore`);
	expect([refused.status, refused.body.error]).toEqual([409, "limit_exceeded"]);
	expect(await codesOf("restoreNumber")).toContain("limit_exceeded");
	expect(state().numbers.filter(({ status }) => status !== "released")).toMatchObject([{ id: second.id }]);
	await remove(`/numbers/${second.id}`);
	expect((await call("POST", `/numbers/${id}/restore`)).status).toBe(200);
});

test("a fault may have any error code, also one that JavaScript knows", async () => {
	for (const error of ["constructor", "__proto__", "toString"]) {
		expect((await outside("POST", "/_emulator/faults", { operation: "buyNumber", error })).status).toBe(200);
		expect(await post("/numbers", mobile())).toMatchObject({ status: 503, body: { error } });
	}
});
