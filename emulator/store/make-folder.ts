import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/**
 * Creates a folder and its parents. The `recursive` option of mkdirSync never returns below a folder that answers ENOENT to
 * it, such as /proc.
 */
export const makeFolder = (path: string, mode?: number): void => {
	if (isFolder(path)) return;
	const parent = dirname(path);
	if (parent !== path) makeFolder(parent, mode);
	try {
		mkdirSync(path, { mode });
	} catch (error) {
		// Another process may have just created it.
		if (!isFolder(path)) throw error;
	}
};
