/** Papers on the account: each content once, whoever uploads it and however often. */
import { expect, test } from "vitest";
import { CreateKycProfile } from "../../../provider/api/contract";
import { checkDocuments } from "../../../provider/documents/files";
import { documentsProperty } from "../../../provider/documents/properties";
import { documentOutputs, handInDocuments } from "../../../provider/documents/upload";
import { identityFor } from "../../../provider/lifecycle/resource";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { content, createPapers, type Papers, sha256 } from "../../helpers/papers";
import { declaration, failureOf } from "../../helpers/provider";

const { emulator, off, open } = useAccount();
const properties = { documents: documentsProperty(CreateKycProfile.shape.document_ids, "Papers.") };
const uploads = () => emulator.writes().filter((each) => each === "POST /kyc/documents").length;

/** One process, with the papers of one program. */
async function openDesk(papers: Papers) {
	const { session } = open({ cwd: papers.folder });
	const service = await session.service();
	return async (documents: unknown, olds: Values = {}, live?: readonly string[], name = "holder") => {
		const news = declaration("KycProfile", name, { documents });
		expect(checkDocuments(papers.folder, properties, olds, news)).toEqual([]);
		const claim = identityFor({ kind: "KYC profile" }, news, service);
		return handInDocuments({ session, service }, { claim, olds, news }, { id: "kyc_1", document_ids: live });
	};
}

const passport = { kind: "identity", file: "id.pdf" };
const bill = { kind: "proof_of_address", file: "bill.png" };

function papersOf(): Papers {
	const papers = createPapers();
	papers.write("id.pdf", content("pdf"));
	papers.write("bill.png", content("png"));
	return papers;
}

test("are uploaded once by kind and content, in one run, by later runs, by other processes and for other resources", async () => {
	const papers = papersOf();
	const desk = await openDesk(papers);
	const [one, other] = await Promise.all([desk([passport, bill]), desk([bill, passport], {}, undefined, "other")]);
	expect(uploads()).toBe(2);
	const { kept } = one;
	expect(kept.uploaded).toEqual([
		{ ...passport, sha256: sha256(content("pdf")), id: expect.any(String) },
		{ ...bill, sha256: sha256(content("png")), id: expect.any(String) },
	]);
	const ids = kept.uploaded.map(({ id }) => id);
	expect(one.body).toEqual({ document_ids: ids });
	expect(other.body).toEqual({ document_ids: [...ids].reverse() });

	expect((await desk([passport, bill], { ...kept }, [...ids].reverse())).body, "the object has them").toEqual({});
	papers.write("moved.pdf", content("pdf"));
	const moved = { kind: "identity", file: "moved.pdf" };
	expect((await (await openDesk(papers))([moved, bill])).body, "nothing but the account knows").toEqual(one.body);
	expect(uploads()).toBe(2);
	expect((await desk([{ ...passport, kind: "other" }])).body, "another kind is another document").not.toEqual(one.body);
	expect(uploads()).toBe(3);
});

test("of new content join the old ones, which the entry still knows", async () => {
	const papers = papersOf();
	const { kept } = await (await openDesk(papers))([passport]);
	const [before] = kept.uploaded;
	papers.write("id.pdf", content("pdf", "sharper"));
	const renewed = await (await openDesk(papers))([passport], { documents: [passport], ...kept }, [before?.id ?? ""]);
	expect(renewed.kept.uploaded.map(({ sha256: hash }) => hash)).toEqual([
		sha256(content("pdf", "sharper")),
		sha256(content("pdf")),
	]);
	expect(renewed.body).toEqual({ document_ids: [renewed.kept.uploaded[0]?.id] });
});

test("that the program drops are taken back, and what it never declared is left alone", async () => {
	const desk = await openDesk(papersOf());
	expect((await desk(undefined, {}, ["doc_9"])).body).toEqual({});
	expect((await desk(undefined, { documents: [passport] }, ["doc_9"])).body).toEqual({ document_ids: [] });
});

test("whose upload was cut short are uploaded by the next run under the same key", async () => {
	const papers = papersOf();
	emulator.control.faults.set({ operation: "createKycDocument", nth: 1, kind: "status", status: 500, phase: "after" });
	const { body } = await (await openDesk(papers))([passport]);
	expect(emulator.control.state().kycDocuments.map(({ id }) => id)).toEqual(body.document_ids);
});

test("are looked for once more before an upload, where the service has no keys and its lists lag", async () => {
	off("idempotencyKey");
	emulator.control.settings({ listLagMs: 2_000 });
	const papers = papersOf();
	const uploaded = await (await openDesk(papers))([passport]);
	expect((await (await openDesk(papers))([passport])).body).toEqual(uploaded.body);
	expect(uploads()).toBe(1);
});

test("that the service refuses are named, without their content", async () => {
	const papers = papersOf();
	emulator.control.faults.set({ operation: "createKycDocument", kind: "status", status: 422 });
	const error = await failureOf((await openDesk(papers))([passport]));
	expect(error.message).toMatch(/^id\.pdf was not uploaded: /);
	expect(error.message).not.toContain(content("pdf").toString("base64"));
});

test("are shown as the program knows them, in its order, and by their ids if somebody else has handed them in", () => {
	const uploaded = [
		{ ...passport, sha256: "a1", id: "doc_1" },
		{ ...bill, sha256: "b2", id: "doc_2" },
	];
	const shown = (document_ids: string[] | undefined, documents: unknown = [passport, bill]) =>
		documentOutputs({ id: "kyc_1", document_ids }, { documents, uploaded });
	expect(shown(["doc_2", "doc_1"])).toEqual({
		documents: [
			{ ...passport, sha256: "a1" },
			{ ...bill, sha256: "b2" },
		],
		documentIds: ["doc_1", "doc_2"],
		uploaded,
	});
	expect(shown(["doc_2", "doc_9"])).toMatchObject({
		documents: [
			{ ...bill, sha256: "b2" },
			{ kind: "unknown", file: "doc_9" },
		],
		documentIds: ["doc_2", "doc_9"],
	});
	expect(shown(undefined), "a service that doesn't show them").toEqual({ documentIds: ["doc_1", "doc_2"], uploaded });
	expect(shown(["doc_9"], null)).toEqual({ documentIds: ["doc_9"], uploaded });
});
