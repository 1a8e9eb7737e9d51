/** A program's folder with papers in it. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFolder } from "./folders";

const beginnings = { pdf: "%PDF-1.7\n", jpg: "\xff\xd8\xff\xe0", png: "\x89PNG\r\n\x1a\n" };

/** The content of a file of that type; `about` makes it another one. */
export const content = (type: keyof typeof beginnings, about = ""): Buffer =>
	Buffer.from(`${beginnings[type]}${about}`, "latin1");

export const sha256 = (data: Buffer): string => createHash("sha256").update(data).digest("hex");

export interface Papers {
	/** The program's folder, which is a project's. */
	readonly folder: string;
	/** Returns the path that it was given. */
	write(file: string, data: Buffer | string): string;
}

/** Gone after the test. */
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
