import { writeFileSync } from "node:fs";
import { UsageError } from "./usage";

/** @throws UsageError if the system refuses to write the file */
export function writeText(file: string, text: string): void {
	try {
		writeFileSync(file, text);
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		if (code === undefined) throw error;
		throw new UsageError("usage", `${file} can't be written (${message}): name another place.`);
	}
}
