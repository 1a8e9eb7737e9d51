/** Documents in a preview: refused files, and the hash of the content in the inputs. */
import { rmSync, symlinkSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { CreateKycProfile, largestDocument } from "../../../provider/api/contract";
import { checkDocuments, documentOf } from "../../../provider/documents/files";
import { type Document, documentsProperty, withPaths } from "../../../provider/documents/properties";
import { checkProperties, signature, unknownValue, type Values } from "../../../provider/properties/table";
import { content, createPapers, type Papers, sha256 } from "../../helpers/papers";

const properties = { documents: documentsProperty(() => CreateKycProfile.shape.document_ids, "Papers.") };

function check({ folder }: Papers, documents: unknown, olds: Values = {}) {
	const { inputs, failures } = checkProperties(properties, withPaths({ documents }));
	const reasons = [...failures, ...checkDocuments(folder, properties, olds, inputs)].map(({ reason }) => reason);
	return { documents: inputs.documents, reasons };
}
const asset = (path: string) => ({ [signature]: "c44067f5952c0a294b673a41bacd8c17", path, hash: "0" });
const identity = (file: unknown) => ({ kind: "identity", file });
const reason = (text: string) => [expect.stringContaining(text)];

test.each<[why: string, prepare: (papers: Papers) => unknown, names?: string]>([
	["missing", () => "id.pdf", "id.pdf"],
	["below a file", (papers) => `${papers.write("a", "x")}/id.pdf`, "a/id.pdf"],
	["a folder", ({ write }) => dirname(write("papers/id.pdf", content("pdf"))), "papers"],
	["empty", ({ write }) => write("id.pdf", ""), "id.pdf"],
	["of no known type", ({ write }) => write("id.pdf", "Dear Sirs"), "id.pdf"],
	["a PDF with a late header", ({ write }) => write("id.pdf", `${" ".repeat(1020)}%PDF-1.7`), "id.pdf"],
	["outside the project", () => process.execPath, process.execPath],
	["no path", () => ["id.pdf"]],
	["an asset of a text", () => ({ ...asset("x"), path: undefined, text: "x" })],
	["an archive", () => ({ [signature]: "0def7320c3a5731c473e5ecbe6d01bc7", path: "x" })],
	[
		"too large",
		({ folder, write }) => {
			truncateSync(join(folder, write("id.pdf", content("pdf"))), largestDocument + 1);
			return "id.pdf";
		},
		"10 MiB",
	],
	[
		"a link out of the project",
		({ folder }) => {
			const outside = createPapers();
			symlinkSync(join(outside.folder, outside.write("id.pdf", content("pdf"))), join(folder, "id.pdf"));
			return "id.pdf";
		},
		"id.pdf",
	],
])("refuses a file that is %s", (_, prepare, names = "documents[0].file") => {
	const papers = createPapers();
	const { reasons } = check(papers, [identity(prepare(papers))]);
	expect(reasons).toEqual(reason("documents[0].file: "));
	expect(reasons).toEqual(reason(names));
});

test("refuses more than 20 documents", () => {
	const papers = createPapers();
	const file = papers.write("one.pdf", content("pdf"));
	expect(check(papers, Array(21).fill(identity(file))).reasons).toEqual(reason("documents: "));
});

const starts = ["\uFEFF", "\r\n", "From: scanner@example.com\r\n\r\n", " ".repeat(1019)];
test.each<[type: "pdf" | "jpeg" | "png", name: string, data: Buffer]>([
	["pdf", "id.pdf", content("pdf")],
	["jpeg", "id.jpeg", content("jpg")],
	["png", "scan", content("png")],
	...starts.map((start): ["pdf", string, Buffer] => ["pdf", "id.pdf", Buffer.from(`${start}%PDF-1.7\n`)]),
])("adds the hash of a %s file: %s", (type, name, data) => {
	const papers = createPapers();
	const file = papers.write(`papers/${name}`, data);
	const documents = [{ kind: "identity", file, sha256: sha256(data) }];
	for (const document of [identity(file), identity(asset(file)), { ...identity(file), sha256: "old" }])
		expect(check(papers, [document])).toEqual({ documents, reasons: [] });
	expect(check(papers, [identity(join(papers.folder, file))]).reasons).toEqual([]);
	expect(documentOf(papers.folder, documents[0] as Document)).toEqual({
		...{ kind: "identity", filename: name, content: data.toString("base64") },
		media_type: `${type === "pdf" ? "application" : "image"}/${type}`,
	});
});

test("finds files of the project above the program's folder", () => {
	const papers = createPapers();
	papers.write("papers/id.pdf", content("pdf"));
	papers.write("main/index.js", "");
	const program = { ...papers, folder: join(papers.folder, "main") };
	expect(check(program, [identity("../papers/id.pdf")]).reasons).toEqual([]);
});

test("leaves unknown paths as they are", () => {
	for (const documents of [unknownValue, [unknownValue], [identity(unknownValue)]])
		expect(check(createPapers(), documents)).toEqual({ documents, reasons: [] });
});

test("refuses a deleted file, unless ignoreChanges covers it", () => {
	const olds = { documents: [{ ...identity("id.pdf"), sha256: "a1" }] };
	expect(check(createPapers(), [identity("id.pdf")], olds).reasons).toEqual(reason("ignoreChanges"));
	// The engine repeats the old inputs.
	expect(check(createPapers(), olds.documents, olds)).toEqual({ ...olds, reasons: [] });
	expect(check(createPapers(), [{ ...olds.documents[0], sha256: "b2" }], olds).reasons).toHaveLength(1);
});

test.each<[string, (papers: Papers) => unknown]>([
	["changed", ({ write }) => write("id.pdf", content("pdf", "another"))],
	["gone", ({ folder }) => rmSync(join(folder, "id.pdf"))],
])("uploads no file that is %s since its check", (_, happen) => {
	const papers = createPapers();
	papers.write("id.pdf", content("pdf"));
	const [checked] = check(papers, [identity("id.pdf")]).documents as Document[];
	happen(papers);
	expect(() => documentOf(papers.folder, checked as Document)).toThrow("id.pdf changed");
});
