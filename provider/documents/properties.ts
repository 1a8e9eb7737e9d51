/** Documents that belong to an object: files of the program, each identified by its content. */
import { z } from "zod";
import { kycDocumentKinds } from "../api/contract";
import { isObject } from "../api/json";
import { type Fields, setOf, typeOf } from "../properties/form";
import { boundsOf, choice } from "../properties/limits";
import { objectOf } from "../properties/object";
import { strings } from "../properties/outputs";
import { type Output, type Properties, type Property, signature, type Values } from "../properties/table";

/** A document as check leaves it in the inputs: with the hash of its content, never the content. */
export interface Document {
	readonly kind: string;
	/** The path as the program writes it. */
	readonly file: string;
	/** In hex. Absent while the path isn't known. */
	readonly sha256?: string | undefined;
}

export interface UploadedDocument extends Document {
	readonly id: string;
}

const noFile = "must be the path of a file, or a FileAsset of one";
const fields = {
	kind: {
		type: () => choice(z.enum(kycDocumentKinds)),
		description: "Kind of the document.",
		required: true,
	},
	file: {
		type: () => z.string(noFile).min(1, noFile),
		description:
			"Path of the file, relative to the program's folder, or a `FileAsset`. The file is a PDF, JPEG or PNG of at most 10 MiB, within the project.",
		required: true,
		// The content counts. Another path to the same content doesn't count as a change.
		form: { kind: "scalar", spelling: () => "", same: "the path, while the content is the same", isFile: true },
	},
} satisfies Fields;

const document = objectOf(fields, { name: "KycDocument", description: "A document uploaded from a file." });

/** @param ids the contract's list of documents, which says how many there may be */
export const documentsProperty = (ids: () => z.ZodType, description: string): Property => ({
	type: () => {
		const { most } = boundsOf(ids());
		return z
			.array((typeOf(document) as z.ZodObject).extend({ sha256: z.string().optional() }))
			.max(most, `must name at most ${most} documents`);
	},
	description: `${description}

Each file is uploaded once by its content. The state holds its path and its SHA-256, and never the content. On a machine without the files, name them by path and set \`ignoreChanges: ["documents"]\`, which keeps the uploaded ones. The engine itself opens a \`FileAsset\`, so its file must exist.`,
	example: [{ kind: "company_register", file: "documents/register.pdf" }],
	form: setOf(document.form),
	change: { does: "in place", words: "uploads new content and submits the object again" },
});

/** Returns the changed properties that an update sends to the service. */
export const sentIn = (changed: readonly string[], properties: Properties): readonly string[] =>
	changed.filter((key) => properties[key]?.wire !== undefined || key === "documents");

export const documentIds: Output = {
	...strings,
	required: true,
	description: "Ids of the documents at the service.",
	drift: "a different set is drift of `documents`",
	renewedBy: ["documents"],
};

/** Marks a FileAsset in what a program passes on. Fixed by the engine's protocol. */
const asset = "c44067f5952c0a294b673a41bacd8c17";

/** Replaces FileAssets with their paths, for check, which refuses other assets. */
export function withPaths({ documents, ...rest }: Values): Values {
	if (!Array.isArray(documents)) return documents === undefined ? rest : { ...rest, documents };
	return {
		...rest,
		documents: documents.map((item) => (isObject(item) ? { ...item, file: pathOf(item.file) } : item)),
	};
}

function pathOf(file: unknown): unknown {
	if (!isObject(file) || !(signature in file)) return file;
	return file[signature] === asset && typeof file.path === "string" ? file.path : false;
}

/** The declared documents; none if they aren't known yet. */
export const documentsIn = ({ documents }: Values): readonly Document[] =>
	Array.isArray(documents) ? documents.filter(isObject).map((item) => item as unknown as Document) : [];
