import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { CreateKycProfile } from "../../../provider/api/client";
import { all, day, refusal, useVirtualEmulator } from "../fixture";

const virtual = useVirtualEmulator();
const { clock, emulator, call, outside, buy } = virtual;

const person: CreateKycProfile = {
	holder: "individual",
	name: "Ada Example",
	country: "DE",
	address: { street: "Musterweg 1", city: "Berlin", postal_code: "10115", country: "DE" },
	id_number: "L01X00T47",
};

const pdf = Buffer.from("%PDF-1.7\n%%EOF\n");

const upload = async (kind: "identity" | "proof_of_address" | "company_register" | "other") =>
	(
		await virtual.client.kyc.documents.create({
			kind,
			filename: `${kind}.pdf`,
			media_type: "application/pdf",
			content: pdf.toString("base64"),
		})
	).data;

/** A profile with all that is asked for. */
const complete = async () => {
	const document_ids = [(await upload("identity")).id, (await upload("proof_of_address")).id];
	return (await virtual.client.kyc.profiles.create({ ...person, document_ids })).data;
};

const kycOf = async (id: string) => (await virtual.client.numbers.get(id)).kyc;

describe("the requirements", () => {
	test("of a regulated market say which documents are asked of whom", async () => {
		const asked = await virtual.client.kyc.requirements({ country: "DE", type: "geographic" });
		expect(asked).toMatchObject({ country: "DE", type: "geographic", kyc_required: true });
		const of = (holder: string) => asked.requirements.filter(({ holders }) => holders.includes(holder));
		expect(of("individual").map(({ code }) => code)).toEqual(["identity", "proof_of_address", "id_number"]);
		expect(of("business").map(({ code }) => code)).toEqual(["company_register", "proof_of_address", "id_number"]);
	});

	test("of an open market are none, and of others unknown", async () => {
		const { kyc } = virtual.client;
		expect(await kyc.requirements({ country: "NL", type: "mobile" })).toMatchObject({
			kyc_required: false,
			requirements: [],
		});
		await expect(kyc.requirements({ country: "JP", type: "mobile" })).rejects.toMatchObject({
			kind: "Invalid",
			errorCode: "unsupported_market",
		});
		expect(await call("GET", "/kyc/requirements?country=DE")).toMatchObject({
			...refusal(400, "validation_failed"),
			body: { details: [{ field: "type" }] },
		});
	});
});

describe("a document", () => {
	test("is kept by what tells it from others, not by its content", async () => {
		const document = await upload("identity");
		expect(document).toMatchObject({
			kind: "identity",
			filename: "identity.pdf",
			size: pdf.length,
			sha256: createHash("sha256").update(pdf).digest("hex"),
		});
		expect(await virtual.client.kyc.documents.get(document.id)).toEqual(document);
		const other = await upload("other");
		expect(await all(virtual.client.kyc.documents.list())).toEqual([document, other]);
		expect(await all(virtual.client.kyc.documents.list({ kind: "other" }))).toEqual([other]);
	});

	test("is uploaded once per Idempotency-Key", async () => {
		const { documents } = virtual.client.kyc;
		const body = {
			kind: "other",
			filename: "a.pdf",
			media_type: "application/pdf",
			content: pdf.toString("base64"),
		} as const;
		const first = await documents.create(body, { idempotencyKey: "d" });
		expect(await documents.create(body, { idempotencyKey: "d" })).toEqual({ data: first.data, replayed: true });
		expect(emulator.control.state().kycDocuments).toHaveLength(1);
	});

	test("may be larger than any other body, up to ten mebibytes", async () => {
		const body = { kind: "other", filename: "scan.png", media_type: "image/png" };
		const upload = (size: number) =>
			call("POST", "/kyc/documents", { ...body, content: Buffer.alloc(size).toString("base64") });
		const most = 10 * 1024 * 1024;
		expect((await upload(most)).body.size).toBe(most);
		expect(await upload(most + 3)).toMatchObject({
			...refusal(400, "validation_failed"),
			body: { details: [{ field: "content" }] },
		});
		expect(await call("POST", "/kyc/documents", "x".repeat(15 * 1024 * 1024))).toMatchObject(
			refusal(413, "payload_too_large"),
		);
	});

	test.each([
		[{ content: "not base64!" }, "content"],
		[{ content: "" }, "content"],
		[{ media_type: "text/html" }, "media_type"],
		[{ kind: "horoscope" }, "kind"],
		[{ colour: "red" }, "colour"],
	])("is refused with %j", async (wrong, field) => {
		const body = { kind: "other", filename: "a.pdf", media_type: "application/pdf", content: "AAAA", ...wrong };
		const answer = await call("POST", "/kyc/documents", body);
		expect(answer).toMatchObject({ ...refusal(400, "validation_failed"), body: { details: [{ field }] } });
		expect(emulator.control.state().kycDocuments).toEqual([]);
	});
});

describe("a KYC profile", () => {
	test("takes its numbers along: handed in, reviewed, rejected, mended, approved", async () => {
		const { kyc, numbers } = virtual.client;
		const [one, two, other] = [await buy("DE"), await buy("DE"), await buy("DE")];
		const profile = await complete();
		expect(profile).toMatchObject({ status: "draft", id_number_set: true, reasons: [], submitted_at: null });
		for (const { id } of [one, two]) await numbers.patch(id, { kyc_profile_id: profile.id });
		expect(await kycOf(one.id)).toMatchObject({ status: "action_required", profile_id: profile.id });

		expect(await kyc.profiles.submit(profile.id)).toMatchObject({ status: "in_review" });
		expect([(await kycOf(one.id))?.status, (await kycOf(two.id))?.status]).toEqual(["in_review", "in_review"]);

		const reasons = [{ code: "name_mismatch", message: "The name differs from the identity card's." }];
		emulator.control.decideProfile(profile.id, "reject", reasons);
		expect(await kyc.profiles.get(profile.id)).toMatchObject({ status: "rejected", reasons });
		expect(await kycOf(one.id)).toMatchObject({ status: "rejected", reasons });

		await kyc.profiles.patch(profile.id, { name: "Ada B. Example" });
		await kyc.profiles.submit(profile.id);
		expect(await kycOf(one.id)).toMatchObject({ status: "in_review", reasons: [] });
		await outside("POST", `/_emulator/kyc/profiles/${profile.id}`, { decision: "approve" });
		for (const { id } of [one, two]) {
			expect(await numbers.get(id)).toMatchObject({ status: "active", kyc: { status: "approved" } });
		}
		expect(await numbers.get(other.id)).toMatchObject({ status: "pending", kyc: { status: "action_required" } });
	});

	test("that is approved activates each number that names it later", async () => {
		const profile = await complete();
		await virtual.client.kyc.profiles.submit(profile.id);
		emulator.control.decideProfile(profile.id, "approve");
		const { id } = await buy("DE");
		expect(await virtual.client.numbers.patch(id, { kyc_profile_id: profile.id })).toMatchObject({
			status: "active",
			kyc: { status: "approved", profile_id: profile.id },
		});
	});

	test.each([
		["immediate", "approved", "active", "approved"],
		["reject", "rejected", "pending", "rejected"],
		["manual", "in_review", "pending", "in_review"],
	])("under %s is %s once submitted, and its number %s", async (policy, status, numberStatus, kycStatus) => {
		const profile = await complete();
		const { id } = await buy("DE");
		await virtual.client.numbers.patch(id, { kyc_profile_id: profile.id });
		emulator.control.kyc(policy);
		expect((await virtual.client.kyc.profiles.submit(profile.id)).status).toBe(status);
		expect(await virtual.client.numbers.get(id)).toMatchObject({ status: numberStatus, kyc: { status: kycStatus } });
	});

	test("under a duration is approved by itself, unless somebody was faster", async () => {
		const [slow, fast] = [await complete(), await complete()];
		emulator.control.kyc("10d");
		for (const { id } of [slow, fast]) await virtual.client.kyc.profiles.submit(id);
		clock.advance(9 * day);
		emulator.control.decideProfile(fast.id, "reject");
		clock.advance(day);
		const statuses = (await all(virtual.client.kyc.profiles.list())).map(({ status }) => status);
		expect(statuses).toEqual(["approved", "rejected"]);
	});

	test("that expires takes pending numbers down for good and puts active ones on hold", async () => {
		const profile = await complete();
		await virtual.client.kyc.profiles.submit(profile.id);
		emulator.control.decideProfile(profile.id, "approve");
		const { id } = await buy("DE");
		await virtual.client.numbers.patch(id, { kyc_profile_id: profile.id });
		emulator.control.decideProfile(profile.id, "expire");
		expect(await virtual.client.numbers.get(id)).toMatchObject({ status: "suspended", kyc: { status: "expired" } });
		expect((await virtual.client.kyc.profiles.get(profile.id)).status).toBe("expired");
	});

	test("is not taken before it has all that is asked for", async () => {
		const { kyc } = virtual.client;
		const company = { ...person, holder: "business", id_number: null } as const;
		const { data: profile } = await kyc.profiles.create(company);
		const refused = await call("POST", `/kyc/profiles/${profile.id}/submit`);
		expect(refused).toMatchObject({
			...refusal(400, "requirements_missing"),
			body: {
				details: [
					{ field: "document_ids", message: expect.stringContaining("company_register") },
					{ field: "document_ids", message: expect.stringContaining("proof_of_address") },
					{ field: "id_number" },
				],
			},
		});
		const document_ids = [(await upload("company_register")).id, (await upload("proof_of_address")).id];
		await kyc.profiles.patch(profile.id, { document_ids, id_number: "HRB 1234" });
		expect((await kyc.profiles.submit(profile.id)).status).toBe("in_review");
	});

	test("is locked while others work on it, and once it has been approved", async () => {
		const { id } = await complete();
		await virtual.client.kyc.profiles.submit(id);
		const change = () => call("PATCH", `/kyc/profiles/${id}`, { name: "Eve" });
		expect(await change()).toMatchObject(refusal(409, "kyc_profile_locked"));
		expect(await call("POST", `/kyc/profiles/${id}/submit`)).toMatchObject(refusal(409, "kyc_profile_locked"));
		emulator.control.decideProfile(id, "approve");
		expect(await change()).toMatchObject(refusal(409, "kyc_profile_locked"));
		expect((await virtual.client.kyc.profiles.patch(id, { reference: "crm-7" })).reference).toBe("crm-7");
		expect(() => emulator.control.decideProfile(id, "reject")).toThrow(/approved/);
	});

	test("that has expired is changed and submitted again, and its suspended numbers come back", async () => {
		const { numbers, kyc } = virtual.client;
		const { id: profile } = await complete();
		const { id } = await buy("DE");
		await numbers.patch(id, { kyc_profile_id: profile });
		await kyc.profiles.submit(profile);
		emulator.control.decideProfile(profile, "approve");
		emulator.control.decideProfile(profile, "expire");
		await kyc.profiles.patch(profile, { name: "Ada B. Example" });
		await kyc.profiles.submit(profile);
		expect(await numbers.get(id)).toMatchObject({ status: "suspended", kyc: { status: "in_review" } });
		emulator.control.decideProfile(profile, "reject");
		expect(await numbers.get(id)).toMatchObject({ status: "suspended", kyc: { status: "rejected" } });
		emulator.control.decideProfile(profile, "approve");
		expect(await numbers.get(id)).toMatchObject({ status: "active", kyc: { status: "approved", reasons: [] } });
	});

	test("is deleted once no live number names it, and its numbers are named until then", async () => {
		const { numbers, kyc } = virtual.client;
		const { id: profile } = await complete();
		const [one, two, three] = [await buy("DE"), await buy("DE"), await buy("DE")];
		for (const { id } of [one, two, three]) await numbers.patch(id, { kyc_profile_id: profile });
		await numbers.release(three.id);
		const remove = () => call("DELETE", `/kyc/profiles/${profile}`);
		const inUse = (number_ids: unknown[]) => ({
			...refusal(409, "kyc_profile_in_use"),
			body: { details: { number_ids } },
		});
		expect(await remove()).toMatchObject(inUse([one.id, two.id]));
		await numbers.release(one.id);
		clock.advance(1_000);
		virtual.set({ detachLagMs: 1_000 });
		await numbers.patch(two.id, { kyc_profile_id: null });
		expect(await remove()).toMatchObject(inUse([two.id]));
		clock.advance(1_000);
		await kyc.profiles.delete(profile);
		expect(await call("GET", `/kyc/profiles/${profile}`)).toMatchObject(refusal(404, "not_found"));
		expect(await all(kyc.profiles.list())).toEqual([]);
	});

	test("is changed and deleted behind the API's back in any state", async () => {
		const { id } = await complete();
		const { id: number } = await buy("DE");
		await virtual.client.numbers.patch(number, { kyc_profile_id: id });
		await virtual.client.kyc.profiles.submit(id);
		const patch = { name: "Eve Example", status: "on_hold", reasons: [{ code: "busy", message: "Later." }] };
		expect((await outside("PATCH", `/_emulator/kyc/profiles/${id}`, patch)).status).toBe(200);
		expect(await virtual.client.kyc.profiles.get(id)).toMatchObject(patch);
		expect((await outside("DELETE", `/_emulator/kyc/profiles/${id}`)).status).toBe(204);
		expect(await call("GET", `/kyc/profiles/${id}`)).toMatchObject(refusal(404, "not_found"));
		expect(await kycOf(number)).toMatchObject({ status: "in_review", profile_id: id });
	});

	test("that is deleted in review is decided on by nobody", async () => {
		const { id } = await complete();
		emulator.control.kyc("10d");
		await virtual.client.kyc.profiles.submit(id);
		await virtual.client.kyc.profiles.delete(id);
		clock.advance(11 * day);
		expect(emulator.control.state().kycProfiles).toEqual([]);
	});

	test("never shows the holder's id number", async () => {
		const profile = await complete();
		expect(JSON.stringify(await call("GET", `/kyc/profiles/${profile.id}`))).not.toContain(person.id_number);
	});

	test("is made once per Idempotency-Key, and found by its reference", async () => {
		const { profiles } = virtual.client.kyc;
		const body = { ...person, reference: "crm-7" };
		const first = await profiles.create(body, { idempotencyKey: "k" });
		const again = await profiles.create(body, { idempotencyKey: "k" });
		expect(again).toEqual({ data: first.data, replayed: true });
		await profiles.create(person);
		expect(await all(profiles.list({ reference: "crm-7" }))).toEqual([first.data]);
		const { id } = await complete();
		const submitted = await profiles.submit(id, { idempotencyKey: "s" });
		expect(await profiles.submit(id, { idempotencyKey: "s" })).toEqual(submitted);
		expect(await all(profiles.list({ status: "approved" }))).toEqual([]);
	});

	test.each([
		["validation_failed", "POST", "/kyc/profiles", { ...person, holder: "ghost" }, "holder"],
		["validation_failed", "POST", "/kyc/profiles", { ...person, address: { street: "x" } }, "address.city"],
		["validation_failed", "POST", "/kyc/profiles", { ...person, status: "approved" }, "status"],
		["invalid_reference", "POST", "/kyc/profiles", { ...person, document_ids: ["doc_0"] }, "document_ids.0"],
		["validation_failed", "PATCH", "/kyc/profiles/ID", { holder: "business" }, "holder"],
		["invalid_reference", "PATCH", "/kyc/profiles/ID", { document_ids: ["doc_0"] }, "document_ids.0"],
		["validation_failed", "GET", "/kyc/profiles?status=lost", undefined, "status"],
	])("refuses with %s: %s %s %j", async (error, method, path, body, field) => {
		const { id } = await complete();
		const answer = await call(method, path.replace("ID", id), body);
		expect(answer).toMatchObject(refusal(400, error));
		expect(answer.body).toMatchObject({ details: expect.arrayContaining([expect.objectContaining({ field })]) });
	});

	test("that does not exist is not found", async () => {
		for (const [method, path] of [
			["GET", "/kyc/profiles/kyc_0"],
			["PATCH", "/kyc/profiles/kyc_0"],
			["DELETE", "/kyc/profiles/kyc_0"],
			["POST", "/kyc/profiles/kyc_0/submit"],
			["GET", "/kyc/documents/doc_0"],
		] as const) {
			expect(await call(method, path, method === "PATCH" ? {} : undefined)).toMatchObject(refusal(404, "not_found"));
		}
	});
});
