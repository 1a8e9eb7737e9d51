/** A program's folder with documents. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFolder } from "./folders";

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
