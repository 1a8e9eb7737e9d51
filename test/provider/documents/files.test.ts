/** Papers at preview: which files are refused, and that the hash of their content takes its place in the inputs. */
import { rmSync, symlinkSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { CreateKycProfile, largestDocument } from "../../../provider/api/contract";
import { checkDocuments, documentOf } from "../../../provider/documents/files";
import { documentsProperty, type Paper, withPaths } from "../../../provider/documents/properties";
import { checkProperties, signature, unknownValue, type Values } from "../../../provider/properties/table";
import { content, createPapers, type Papers, sha256 } from "../../helpers/papers";

const properties = { documents: documentsProperty(CreateKycProfile.shape.document_ids, "Papers.") };

function check({ folder }: Papers, documents: unknown, olds: Values = {}) {
	const { inputs, failures } = checkProperties(properties, withPaths({ documents }));
	const reasons = [...failures, ...checkDocuments(folder, properties, olds, inputs)].map(({ reason }) => reason);
	return { documents: inputs.documents, reasons };
}

const asset = (path: string) => ({ [signature]: "c44067f5952c0a294b673a41bacd8c17", path, hash: "0" });
const identity = (file: unknown) => ({ kind: "identity", file });

describe("a file that can't be handed in is refused with its path and the reason", () => {
	test.each<[why: string, prepare: (papers: Papers) => unknown, reason: RegExp]>([
		["missing", () => "id.pdf", /^documents\[0\]\.file: there is no file id\.pdf in the program's folder$/],
		["below a file", (papers) => `${papers.write("a", "x")}/id.pdf`, /there is no file a\/id\.pdf/],
		["a folder", ({ write }) => dirname(write("papers/id.pdf", content("pdf"))), /papers is not a file$/],
		["empty", ({ write }) => write("id.pdf", ""), /id\.pdf is empty$/],
		[
			"too large",
			({ folder, write }) => {
				truncateSync(join(folder, write("id.pdf", content("pdf"))), largestDocument + 1);
				return "id.pdf";
			},
			/id\.pdf has 10\.1 MiB; the limit is 10 MiB$/,
		],
		["of no known type", ({ write }) => write("id.pdf", "Dear Sirs"), /id\.pdf is neither PDF, JPEG nor PNG$/],
		["whose PDF header comes too late", ({ write }) => write("id.pdf", `${" ".repeat(1020)}%PDF-1.7`), /neither PDF/],
		["of another type than its name", ({ write }) => write("id.JPG", content("pdf")), /is application\/pdf, although/],
		["elsewhere", () => process.execPath, /lies outside the project's folder: copy it there$/],
		[
			"a link that leads out of the project",
			({ folder }) => {
				const other = createPapers();
				symlinkSync(join(other.folder, other.write("id.pdf", content("pdf"))), join(folder, "id.pdf"));
				return "id.pdf";
			},
			/id\.pdf lies outside the project's folder: copy it there$/,
		],
		["no path", () => ["id.pdf"], /file: must be the path of a file, or a FileAsset of one$/],
		["an asset of a text", () => ({ ...asset("x"), path: undefined, text: "x" }), /must be the path of a file, or/],
		["an archive", () => ({ [signature]: "0def7320c3a5731c473e5ecbe6d01bc7", path: "x" }), /must be the path/],
	])("%s", (_, prepare, reason) => {
		const papers = createPapers();
		const { reasons } = check(papers, [identity(prepare(papers))]);
		expect(reasons).toEqual([expect.stringMatching(reason)]);
	});

	test("the second of two with the same kind and content", () => {
		const papers = createPapers();
		const [one, other] = ["one.pdf", "other.pdf"].map((file) => papers.write(file, content("pdf")));
		expect(check(papers, [identity(one), { kind: "other", file: other }]).reasons).toEqual([]);
		expect(check(papers, [identity(one), identity(other)]).reasons).toEqual([
			expect.stringMatching(/^documents\[1\]\.file: .* as documents\[0\]/),
		]);
	});

	test("more than the contract allows", () => {
		const papers = createPapers();
		const file = papers.write("id.pdf", content("pdf"));
		expect(check(papers, Array(21).fill(identity(file))).reasons).toEqual([
			"documents: must name at most 20 documents",
		]);
	});
});

describe("the inputs name a file with the hash of its content", () => {
	test.each([
		["pdf", "id.pdf"],
		["jpg", "id.jpeg"],
		["png", "scan"],
	] as const)("%s as %s, by path, as an asset, and as check has left it", (type, name) => {
		const papers = createPapers();
		const file = papers.write(`papers/${name}`, content(type));
		const read = [{ kind: "identity", file, sha256: sha256(content(type)) }];
		expect(check(papers, [identity(file)])).toEqual({ documents: read, reasons: [] });
		expect(check(papers, [identity(asset(file))])).toEqual({ documents: read, reasons: [] });
		expect(check(papers, [{ ...identity(file), sha256: "old" }]).documents).toEqual(read);
		expect(check(papers, [identity(join(papers.folder, file))]).reasons).toEqual([]);
	});

	test.each(["\uFEFF", "\r\n", "From: scanner@example.com\r\n\r\n", " ".repeat(1019)])("a PDF after %j", (before) => {
		const papers = createPapers();
		const file = papers.write("id.pdf", `${before}%PDF-1.7\n`);
		const { documents, reasons } = check(papers, [identity(file)]);
		expect(reasons).toEqual([]);
		expect(documentOf(papers.folder, (documents as Paper[])[0] as Paper).media_type).toBe("application/pdf");
	});

	test("within the project, although the program lies in a folder of it", () => {
		const papers = createPapers();
		papers.write("papers/id.pdf", content("pdf"));
		papers.write("main/index.js", "");
		const program = { ...papers, folder: join(papers.folder, "main") };
		expect(check(program, [identity("../papers/id.pdf")]).reasons).toEqual([]);
	});

	test("not yet, while a path or all of it is unknown", () => {
		const papers = createPapers();
		for (const documents of [unknownValue, [unknownValue], [identity(unknownValue)]])
			expect(check(papers, documents)).toEqual({ documents, reasons: [] });
	});
});

describe("a file that an earlier run has read, and that is missing now", () => {
	const olds = { documents: [{ kind: "identity", file: "id.pdf", sha256: "a1" }] };

	test("is refused with a way out", () => {
		expect(check(createPapers(), [identity("id.pdf")], olds).reasons).toEqual([
			expect.stringMatching(/there is no file id\.pdf .*`ignoreChanges: \["documents"\]`$/),
		]);
	});

	test("stays as it was under ignoreChanges, which repeats the old inputs", () => {
		expect(check(createPapers(), olds.documents, olds)).toEqual({ ...olds, reasons: [] });
		expect(check(createPapers(), [{ ...olds.documents[0], sha256: "b2" }], olds).reasons).toHaveLength(1);
	});
});

describe("just before its upload a file is read again", () => {
	const paper = (papers: Papers): Paper => (check(papers, [identity("id.pdf")]).documents as Paper[])[0] as Paper;

	test("and goes as it was checked", () => {
		const papers = createPapers();
		papers.write("id.pdf", content("pdf", "mine"));
		expect(documentOf(papers.folder, paper(papers))).toEqual({
			kind: "identity",
			filename: "id.pdf",
			media_type: "application/pdf",
			content: content("pdf", "mine").toString("base64"),
		});
	});

	test.each<[string, (papers: Papers) => void]>([
		["changed", ({ write }) => void write("id.pdf", content("pdf", "another"))],
		["gone", ({ folder }) => rmSync(join(folder, "id.pdf"))],
	])("and not if it has %s since", (_, happens) => {
		const papers = createPapers();
		papers.write("id.pdf", content("pdf"));
		const checked = paper(papers);
		happens(papers);
		expect(() => documentOf(papers.folder, checked)).toThrow(/id\.pdf changed during the run/);
	});
});
