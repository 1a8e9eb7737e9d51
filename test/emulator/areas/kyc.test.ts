import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { company, day, refusal, useVirtualEmulator } from "../fixture";

const virtual = useVirtualEmulator();
const { clock, emulator, call, outside, post, patch, remove, read, buy, document, set } = virtual;

const person = { ...company, holder: "individual", name: "Ada Example", id_number: "L01X00T47" };

/** A profile with everything that the market requires. */
const complete = async () => {
	const documents = [await document({ kind: "identity" }), await document({ kind: "proof_of_address" })];
	return virtual.profile({ ...person, document_ids: documents.map(({ id }) => id) });
};
const assign = async (id: string, kyc_profile_id: string | null) =>
	(await patch(`/numbers/${id}`, { kyc_profile_id })).body;
const submit = (id: string) => post(`/kyc/profiles/${id}/submit`);
const decide = (id: string, decision: "approve" | "reject" | "expire") => emulator.control.decideProfile(id, decision);
const number = (id: string) => read(`/numbers/${id}`);
const profile = (id: string) => read(`/kyc/profiles/${id}`);

test("a document is kept as name, size and hash, ten mebibytes at most", async () => {
	const pdf = Buffer.from("%PDF-1.7\n");
	const made = await document({ kind: "identity" });
	const sha256 = createHash("sha256").update(pdf).digest("hex");
	expect(made).toMatchObject({ kind: "identity", filename: "a.pdf", size: pdf.length, sha256 });
	expect(await read(`/kyc/documents/${made.id}`)).toEqual(made);
	const most = 10 * 1024 * 1024;
	const largest = await document({ content: Buffer.alloc(most).toString("base64") });
	expect(largest.size).toBe(most);
	expect((await read("/kyc/documents?kind=other")).data).toEqual([largest]);
	const tooMuch = await document({ content: Buffer.alloc(most + 3).toString("base64") });
	expect(tooMuch).toMatchObject({ error: "validation_failed", details: [{ field: "content" }] });
	expect(await post("/kyc/documents", "x".repeat(15 * 1024 * 1024))).toMatchObject(refusal(413, "payload_too_large"));
});

describe("a KYC profile", () => {
	test("carries its numbers from submission to approval", async () => {
		const [first, second, third] = [await buy("DE"), await buy("DE"), await buy("DE")];
		const made = await complete();
		expect(made).toMatchObject({ status: "draft", id_number_set: true, reasons: [], submitted_at: null });
		expect(JSON.stringify(await profile(made.id))).not.toContain(person.id_number);
		await assign(first.id, made.id);
		expect(await assign(second.id, made.id)).toMatchObject({ kyc: { status: "action_required", profile_id: made.id } });
		expect((await submit(made.id)).body).toMatchObject({ status: "in_review" });
		const both = async () => [(await number(first.id)).kyc, (await number(second.id)).kyc];
		expect(await both()).toMatchObject([{ status: "in_review" }, { status: "in_review" }]);
		const rejected = { status: "rejected", reasons: [{ code: "name_mismatch", message: "Another name." }] };
		emulator.control.decideProfile(made.id, "reject", rejected.reasons);
		expect(await profile(made.id)).toMatchObject(rejected);
		expect(await both()).toMatchObject([rejected, rejected]);
		await patch(`/kyc/profiles/${made.id}`, { name: "Ada B. Example" });
		await submit(made.id);
		expect(await both()).toMatchObject([{ status: "in_review", reasons: [] }, { status: "in_review" }]);
		await outside("POST", `/_emulator/kyc/profiles/${made.id}`, { decision: "approve" });
		const approved = { status: "active", kyc: { status: "approved" } };
		expect([await number(first.id), await number(second.id)]).toMatchObject([approved, approved]);
		expect(await number(third.id)).toMatchObject({ status: "pending", kyc: { status: "action_required" } });
		expect(await assign(third.id, made.id)).toMatchObject(approved);
	});

	test("follows the policy, unless it is decided on or deleted first", async () => {
		const [slow, fast, deleted] = [await complete(), await complete(), await complete()];
		emulator.control.kyc("10d");
		for (const { id } of [slow, fast, deleted]) await submit(id);
		await remove(`/kyc/profiles/${deleted.id}`);
		clock.advance(9 * day);
		decide(fast.id, "reject");
		clock.advance(day);
		for (const policy of ["immediate", "reject", "manual"]) {
			emulator.control.kyc(policy);
			await submit((await complete()).id);
		}
		const statuses = (await read("/kyc/profiles")).data.map(({ status }) => status);
		expect(statuses).toEqual(["approved", "rejected", "approved", "rejected", "in_review"]);
	});

	test("suspends its numbers when it expires, until it is approved again", async () => {
		const { id } = await complete();
		const bought = await buy("DE");
		await assign(bought.id, id);
		await submit(id);
		decide(id, "approve");
		const statuses = async () => [await profile(id), await number(bought.id)];
		const both = (kyc: string, status: string) => [{ status: kyc }, { status, kyc: { status: kyc } }];
		decide(id, "expire");
		expect(await statuses()).toMatchObject(both("expired", "suspended"));
		await patch(`/kyc/profiles/${id}`, { name: "Ada B. Example" });
		await submit(id);
		expect(await statuses()).toMatchObject(both("in_review", "suspended"));
		decide(id, "reject");
		expect(await statuses()).toMatchObject(both("rejected", "suspended"));
		decide(id, "approve");
		expect(await statuses()).toMatchObject(both("approved", "active"));
	});

	test("is not submitted before it meets the market's requirements", async () => {
		const asked = await read("/kyc/requirements?country=DE&type=geographic");
		const codes = (asked.requirements as { code: string; holders: string[] }[]).flatMap(({ code, holders }) =>
			holders.includes("business") ? [code] : [],
		);
		expect(codes).toEqual(["company_register", "proof_of_address", "id_number"]);
		const none = { kyc_required: false, requirements: [] };
		expect(await read("/kyc/requirements?country=NL&type=mobile")).toMatchObject(none);
		const { id } = await virtual.profile();
		expect(await submit(id)).toMatchObject({
			...refusal(400, "requirements_missing"),
			body: { details: [{ field: "document_ids" }, { field: "document_ids" }, { field: "id_number" }] },
		});
		const kinds = ["company_register", "proof_of_address"];
		const documents = await Promise.all(kinds.map((kind) => document({ kind })));
		await patch(`/kyc/profiles/${id}`, {
			document_ids: documents.map((document) => document.id),
			id_number: "HRB 1234",
		});
		expect((await submit(id)).body.status).toBe("in_review");
	});

	test("is locked in review and once approved, except its reference", async () => {
		const { id } = await complete();
		await submit(id);
		const locked = refusal(409, "kyc_profile_locked");
		expect(await patch(`/kyc/profiles/${id}`, { name: "Eve" })).toMatchObject(locked);
		expect(await submit(id)).toMatchObject(locked);
		decide(id, "approve");
		expect(await patch(`/kyc/profiles/${id}`, { name: "Eve" })).toMatchObject(locked);
		await patch(`/kyc/profiles/${id}`, { reference: "crm-7" });
		expect((await read("/kyc/profiles?reference=crm-7")).data).toMatchObject([{ id }]);
		expect(() => decide(id, "reject")).toThrow();
	});

	test("is deleted once no live number uses it", async () => {
		const { id } = await complete();
		const [first, second] = [await buy("DE"), await buy("DE")];
		for (const bought of [first, second]) await assign(bought.id, id);
		await remove(`/numbers/${first.id}`);
		const inUse = { ...refusal(409, "kyc_profile_in_use"), body: { details: { number_ids: [second.id] } } };
		expect(await remove(`/kyc/profiles/${id}`)).toMatchObject(inUse);
		expect(await patch(`/kyc/profiles/${id}`, { country: "FR" })).toMatchObject(inUse);
		await assign(second.id, null);
		expect((await remove(`/kyc/profiles/${id}`)).status).toBe(204);
		expect(await call("GET", `/kyc/profiles/${id}`)).toMatchObject(refusal(404, "not_found"));
		expect((await read("/kyc/profiles")).data).toEqual([]);
	});

	test("must exist and be of the number's country", async () => {
		const { id } = await complete();
		const assignTo = async (country: string, kyc_profile_id: string) =>
			patch(`/numbers/${(await buy(country)).id}`, { kyc_profile_id });
		expect(await assignTo("DE", "kyc_none")).toMatchObject(refusal(400, "invalid_reference", "kyc_profile_id"));
		set({ acceptUnknownProfiles: true });
		expect((await assignTo("DE", "kyc_none")).body).toMatchObject({ kyc: { profile_id: "kyc_none" } });
		expect(await assignTo("FR", id)).toMatchObject(refusal(400, "validation_failed", "kyc_profile_id"));
		set({ acceptUnknownProfiles: false, features: { kyc: false } });
		expect((await assignTo("DE", "kyc_other")).status).toBe(200);
	});
});
