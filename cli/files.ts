import { writeFileSync } from "node:fs";
import { UsageError } from "./usage";

/** Runs work that writes files. @throws UsageError if the system refuses it */
export function writing<T>(path: string, work: () => T): T {
	try {
		return work();
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		if (code === undefined) throw error;
		throw new UsageError("usage", `${path} can't be written (${message}): name another place.`);
	}
}

export const writeText = (file: string, text: string): void => writing(file, () => writeFileSync(file, text));
