/** A program's folder with documents, and what declares them. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Values } from "../../provider/properties/table";
import { createFolder } from "./folders";
import { aPortOrder, aProfile } from "./provider";

const beginnings = { pdf: "%PDF-1.7\n", jpg: "\xff\xd8\xff\xe0", png: "\x89PNG\r\n\x1a\n" };

/** Returns the content of a file of that type; `about` makes it unique. */
export const content = (type: keyof typeof beginnings, about = ""): Buffer =>
	Buffer.from(`${beginnings[type]}${about}`, "latin1");

export const sha256 = (data: Buffer): string => createHash("sha256").update(data).digest("hex");

export interface Papers {
	/** Folder of a Pulumi project. */
	readonly folder: string;
	/** Returns `file`. */
	write(file: string, data: Buffer | string): string;
}

export function createPapers(): Papers {
	const folder = createFolder();
	const write = (file: string, data: Buffer | string) => {
		mkdirSync(dirname(join(folder, file)), { recursive: true });
		writeFileSync(join(folder, file), data);
		return file;
	};
	write("Pulumi.yaml", "name: shop\nruntime: nodejs\n");
	return { folder, write };
}

export const documents = [
	{ kind: "identity", file: "id.pdf" },
	{ kind: "proof_of_address", file: "bill.png" },
];
export const letter = { kind: "letter_of_authorization", file: "loa.pdf" };

/** Returns a folder with these documents. */
export function createDesk(): Papers {
	const papers = createPapers();
	papers.write("id.pdf", content("pdf", "passport"));
	papers.write("bill.png", content("png", "bill"));
	papers.write("loa.pdf", content("pdf", "letter"));
	return papers;
}

/** A profile with all that its market requires. */
export const aWholeProfile = (args: Values = {}, name?: string): Values =>
	aProfile({ idNumber: "L01X00T471", documents, ...args }, name);

/** A port order with its letter. With the PIN 0000, the carriers object to it. */
export const aLetteredOrder = (pin = "4711"): Values =>
	aPortOrder({ carrier: { name: "Old Telecom", accountNumber: "A-1", pin }, documents: [letter] });
