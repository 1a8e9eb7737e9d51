import { writeFileSync } from "node:fs";
import { UsageError } from "./usage";

/** @throws UsageError if the system refuses to write the file */
export const writeText = (file: string, text: string): void => asWritten(file, () => writeFileSync(file, text));

/** Writes to a file or folder. @throws UsageError if the system refuses it */
export function asWritten(file: string, write: () => void): void {
	try {
		write();
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		if (code === undefined) throw error;
		throw new UsageError("usage", `${file} can't be written (${message}): name another place.`);
	}
}
