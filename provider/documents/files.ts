/** The files of documents: checked in a preview, and read again just before an upload. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { type CreateKycDocument, largestDocument } from "../api/contract";
import { TelephonyError } from "../api/errors";
import { isObject } from "../api/json";
import { type CheckFailure, failure, isValid, type Properties, unknownValue, type Values } from "../properties/table";
import { projectFiles } from "../session/place";
import { type Document, documentsIn } from "./properties";

/** Each type with its first bytes, and the length of the start in which they may lie. */
const types: readonly {
	readonly type: CreateKycDocument["media_type"];
	readonly mark: string;
	readonly within: number;
}[] = [
	{ type: "image/jpeg", mark: "ffd8ff", within: 0 },
	{ type: "image/png", mark: "89504e470d0a1a0a", within: 0 },
	// Readers of PDF accept a byte order mark or a mail header before it.
	{ type: "application/pdf", mark: "255044462d", within: 1024 },
];

const typeOf = (content: Buffer) =>
	types.find(({ mark, within }) => {
		const bytes = Buffer.from(mark, "hex");
		return content.subarray(0, Math.max(within, bytes.length)).includes(bytes);
	});

const hashOf = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

/**
 * Reads the declared files and completes the inputs with their hashes, in place. `olds` are the inputs of the last run,
 * `folder` is the program's.
 */
export function checkDocuments(folder: string, properties: Properties, olds: Values, inputs: Values): CheckFailure[] {
	const { documents } = inputs;
	if (!Array.isArray(documents) || !isValid(properties, "documents", inputs)) return [];
	const failures: CheckFailure[] = [];
	inputs.documents = documents.map((item, index) => {
		if (!isObject(item) || typeof item.file !== "string" || item.file === unknownValue) return item;
		const { sha256, ...document } = item as unknown as Document;
		const isSame = (old: Document) => old.kind === document.kind && old.sha256 === sha256;
		// With `ignoreChanges`, the engine repeats the old inputs, and the file isn't needed.
		if (sha256 !== undefined && documentsIn(olds).some(isSame) && !existsSync(resolve(folder, document.file)))
			return item;
		const found = hashFile(folder, document.file);
		if (typeof found === "object") return { ...document, sha256: found.sha256 };
		const wasUploaded = documentsIn(olds).some(({ file }) => file === document.file);
		failures.push(failure(`documents[${index}].file: ${found}${wasUploaded ? alreadyUploaded : ""}`));
		return document;
	});
	return failures;
}

const alreadyUploaded =
	'. An earlier run uploaded it: restore the file, or keep the upload with the option `ignoreChanges: ["documents"]`';

function hashFile(folder: string, file: string): { readonly sha256: string } | string {
	const path = resolve(folder, file);
	let stats: Stats;
	try {
		stats = statSync(path);
		if (!stats.isFile()) return `${file} is not a file`;
		if (isOutside(folder, path)) return `${file} lies outside the project's folder: copy it there`;
		if (stats.size === 0) return `${file} is empty`;
		if (stats.size > largestDocument)
			return `${file} has ${mebibytes(stats.size)} MiB; the limit is ${mebibytes(largestDocument)} MiB`;
		const content = readFileSync(path);
		return typeOf(content) === undefined ? `${file} is neither PDF, JPEG nor PNG` : { sha256: hashOf(content) };
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		if (code === "ENOENT" || code === "ENOTDIR")
			return `there is no file ${file}${isAbsolute(file) ? "" : " in the program's folder"}`;
		return `${file} can't be read: ${code ?? message}`;
	}
}

const mebibytes = (bytes: number): number => Math.ceil((bytes / 1024 / 1024) * 10) / 10;

/** Follows links. */
function isOutside(folder: string, path: string): boolean {
	const route = relative(realpathSync(projectFolder(folder)), realpathSync(path));
	return route.split(/[\\/]/)[0] === ".." || isAbsolute(route);
}

/** The nearest folder upwards with a project file. The program may lie further down, by `main`. */
function projectFolder(folder: string): string {
	for (let candidate = folder; ; candidate = dirname(candidate)) {
		if (projectFiles.some((name) => existsSync(join(candidate, name)))) return candidate;
		if (dirname(candidate) === candidate) return folder;
	}
}

/** The request that uploads a document. @throws TelephonyError Invalid, if its content isn't the one that was checked */
export function documentOf(folder: string, { kind, file, sha256 }: Document): CreateKycDocument {
	const path = resolve(folder, file);
	const content = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
	const media = typeOf(content);
	if (media === undefined || hashOf(content) !== sha256)
		throw new TelephonyError(
			"Invalid",
			`documents: ${file} changed during the run, so it was not uploaded. Run again.`,
		);
	return {
		kind: kind as CreateKycDocument["kind"],
		filename: basename(file).slice(-255),
		media_type: media.type,
		content: content.toString("base64"),
	};
}
