/** The state of a stack: of the engine, or in a file that `pulumi stack export` wrote. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { textIn } from "../../provider/api/json";
import { UsageError } from "../report/usage";
import { findJson } from "./json";
import { outputOf } from "./process";
import { engineError } from "./refusals";

const SavedResource = z.object({
	urn: z.string(),
	type: z.string(),
	id: z.string().optional(),
	external: z.boolean().optional(),
	inputs: z.record(z.string(), z.unknown()).optional(),
	outputs: z.record(z.string(), z.unknown()).optional(),
	ignoreChanges: z.array(z.string()).optional(),
	sourcePosition: z.string().optional(),
});
export type SavedResource = z.infer<typeof SavedResource>;

const Resources = z.object({ resources: z.array(SavedResource).optional() });
/** As `pulumi stack export` writes it, or as a backend keeps it. */
const State = z.union([
	z.object({ deployment: Resources.nullable() }).transform(({ deployment }) => deployment?.resources ?? []),
	z
		.object({ checkpoint: z.object({ latest: Resources.nullish() }) })
		.transform(({ checkpoint }) => checkpoint.latest?.resources ?? []),
]);

/** True if a value of `--stack` names a file, relative to the project's folder, with a folder or an extension. */
export const isFile = (stack: string, cwd: string): boolean =>
	/[./\\]/.test(stack) && (statSync(resolve(cwd, stack), { throwIfNoEntry: false })?.isFile() ?? false);

interface StackParts {
	readonly name: string;
	readonly project?: string | undefined;
	readonly organization?: string | undefined;
}

/** Splits `organization/project/stack`. The engine reads a name of two parts as `organization/stack`. */
export function partsOf(stack: string): StackParts {
	const parts = stack.split("/");
	const [organization, project] = parts;
	const name = parts.at(-1) ?? "";
	if (parts.length === 1) return { name };
	return parts.length === 2 ? { name, organization } : { name, organization, project };
}

/** @param stack a name, or a file @throws UsageError if the state can't be read */
export async function savedResources(stack: string, cwd: string): Promise<readonly SavedResource[]> {
	if (!isFile(stack, cwd)) return stackResources(stack, cwd);
	return resourcesIn(textIn(readFileSync(resolve(cwd, stack))), stack);
}

function resourcesIn(text: string, stack: string): readonly SavedResource[] {
	const state = State.safeParse(findJson(text));
	if (state.success) return state.data;
	throw new UsageError("usage", `${stack} holds no state: name a stack, or a file that \`pulumi stack export\` wrote.`);
}

/** @throws UsageError for the name of a file that doesn't exist */
export function assertNoFileName(stack: string): void {
	if (stack.endsWith(".json"))
		throw new UsageError(
			"usage",
			`there is no file ${stack}: name a stack, or a file that \`pulumi stack export\` wrote.`,
		);
}

/** @throws UsageError if the engine can't export the state */
export async function stackResources(stack: string, cwd: string): Promise<readonly SavedResource[]> {
	assertNoFileName(stack);
	const done = await outputOf(["stack", "export"], { cwd, stack });
	if (done.code === 0) return resourcesIn(done.text, stack);
	throw engineError(done, `the state of stack ${stack} can't be read`);
}

/** Returns the name of the selected stack. @throws UsageError if there is none */
export async function selectedStack(cwd: string): Promise<string> {
	const done = await outputOf(["stack", "--show-name"], { cwd });
	const [name] = done.text.split("\n");
	if (done.code === 0 && name) return name;
	throw engineError(done, "the selected stack is unknown");
}
