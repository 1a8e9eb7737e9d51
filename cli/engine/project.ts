import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { projectFiles } from "../../provider/session/place";

/** Returns the name of the project of a folder or its nearest parent; undefined if there is none. */
export function findProject(cwd: string): string | undefined {
	for (let folder = cwd; ; folder = dirname(folder)) {
		const [name] = projectFiles.flatMap((file) => findName(join(folder, file)) ?? []);
		if (name !== undefined || dirname(folder) === folder) return name;
	}
}

function findName(file: string): string | undefined {
	try {
		// JSON is YAML.
		const { name } = parse(readFileSync(file, "utf8")) as { readonly name?: unknown };
		return typeof name === "string" ? name : undefined;
	} catch {
		return undefined;
	}
}
