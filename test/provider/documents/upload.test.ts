/** Documents on the account: each content once, for any number of resources and runs. */
import { expect, test } from "vitest";
import { CreateKycProfile } from "../../../provider/api/contract";
import { checkDocuments } from "../../../provider/documents/files";
import { documentsProperty } from "../../../provider/documents/properties";
import { submissionOutputs, uploadDocuments } from "../../../provider/documents/upload";
import { identityFor } from "../../../provider/lifecycle/resource";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { content, createPapers, sha256 } from "../../helpers/papers";
import { declaration } from "../../helpers/provider";

const { emulator, open } = useAccount();
const properties = { documents: documentsProperty(() => CreateKycProfile.shape.document_ids, "Papers.") };
const uploads = () => emulator.writes().filter((write) => write === "POST /kyc/documents").length;
const passport = { kind: "identity", file: "id.pdf" };
const bill = { kind: "proof_of_address", file: "bill.png" };

function program() {
	const papers = createPapers();
	papers.write("id.pdf", content("pdf"));
	papers.write("bill.png", content("png"));
	/** Returns the function that hands documents in, in a new process. */
	const start = async () => {
		const { session } = open({ cwd: papers.folder });
		const service = await session.service();
		return async (documents: unknown, olds: Values = {}, live?: readonly string[], name = "holder") => {
			const news = declaration("KycProfile", name, { documents });
			expect(checkDocuments(papers.folder, properties, olds, news)).toEqual([]);
			const claim = identityFor({ kind: "KYC profile" }, news, service);
			return uploadDocuments({ session, service }, { claim, olds, news }, { id: "kyc_1", document_ids: live });
		};
	};
	return { ...papers, start };
}

test("uploads each document once for all resources and runs", async () => {
	const { write, start } = program();
	const handIn = await start();
	const [first, second] = await Promise.all([
		handIn([passport, bill]),
		handIn([bill, passport], {}, undefined, "other"),
	]);
	expect(uploads()).toBe(2);
	expect(first.uploaded).toEqual([
		{ ...passport, sha256: sha256(content("pdf")), id: expect.any(String) },
		{ ...bill, sha256: sha256(content("png")), id: expect.any(String) },
	]);
	const ids = first.uploaded.map(({ id }) => id);
	const reversed = [...ids].reverse();
	expect([first.body, second.body]).toEqual([{ document_ids: ids }, { document_ids: reversed }]);
	// The object has them.
	expect((await handIn([passport, bill], { uploaded: first.uploaded }, reversed)).body).toEqual({});
	// Only the account knows of them.
	write("moved.pdf", content("pdf"));
	expect((await (await start())([{ ...passport, file: "moved.pdf" }, bill])).body).toEqual(first.body);
	expect((await handIn([passport, { ...passport, file: "moved.pdf" }, bill])).body).toEqual(first.body);
	expect(uploads()).toBe(2);
	expect((await handIn([{ ...passport, kind: "other" }])).body).not.toEqual(first.body);
	expect(uploads()).toBe(3);
	// Dropped documents are taken back, and others left alone.
	expect((await handIn(undefined, { documents: [passport] }, ["doc_9"])).body).toEqual({ document_ids: [] });
	expect((await handIn(undefined, {}, ["doc_9"])).body).toEqual({});
});

test("tries again after a failure, for the next resource of the run", async () => {
	const handIn = await program().start();
	for (const operation of ["listKycDocuments", "createKycDocument"] as const) {
		emulator.control.faults.set({ operation, every: true, kind: "status", status: 400 });
		await expect(handIn([passport])).rejects.toThrow();
		emulator.control.faults.clear();
	}
	expect((await handIn([passport], {}, undefined, "other")).uploaded).toHaveLength(1);
});

test("replaces changed content, and remembers the earlier upload", async () => {
	const { write, start } = program();
	const { uploaded } = await (await start())([passport]);
	write("id.pdf", content("pdf", "sharper"));
	const ids = uploaded.map(({ id }) => id);
	const renewed = await (await start())([passport], { documents: [passport], uploaded }, ids);
	const hashes = [content("pdf", "sharper"), content("pdf")].map(sha256);
	expect(renewed.uploaded.map((document) => document.sha256)).toEqual(hashes);
	expect(renewed.body).toEqual({ document_ids: [renewed.uploaded[0]?.id] });
});

test("shows documents in the program's order, and others by their ids", () => {
	const first = { ...passport, sha256: "a1" };
	const second = { ...bill, sha256: "b2" };
	const uploaded = [first, second].map((document, n) => ({ ...document, id: `doc_${n + 1}` }));
	const outputsOf = (document_ids: string[] | undefined, documents: unknown = [passport, bill]) =>
		submissionOutputs({ id: "kyc_1", document_ids }, { documents, uploaded }, false);
	const documentIds = ["doc_1", "doc_2"];
	expect(outputsOf(["doc_2", "doc_1"])).toEqual({ documents: [first, second], documentIds, uploaded });
	const theirs = { kind: "unknown", file: "doc_9" };
	expect(outputsOf(["doc_2", "doc_9"])).toMatchObject({ documents: [second, theirs], documentIds: ["doc_2", "doc_9"] });
	// The service doesn't show them, or the program doesn't declare any.
	expect(outputsOf(undefined)).toEqual({ documentIds, uploaded });
	expect(outputsOf(["doc_9"], null)).toEqual({ documentIds: ["doc_9"], uploaded });
});
