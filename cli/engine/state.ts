/** The state of a stack: of the engine, or in a file that `pulumi stack export` wrote. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { findJson, textIn } from "../../provider/api/json";
import { UsageError } from "../report/usage";
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

const Operation = z.object({ type: z.string(), resource: z.object({ urn: z.string(), type: z.string() }) });
type Operation = z.infer<typeof Operation>;

const Content = z.object({
	resources: z.array(SavedResource).optional(),
	pending_operations: z.array(Operation).nullish(),
});

/** The content of a state. */
export interface SavedState {
	readonly resources: readonly SavedResource[];
	/** The operations of a run that hasn't ended, or that was killed. */
	readonly operations: readonly Operation[];
}

const stateOf = (content: z.infer<typeof Content> | null | undefined): SavedState => ({
	resources: content?.resources ?? [],
	operations: content?.pending_operations ?? [],
});

/** As `pulumi stack export` writes it, or as a backend keeps it. */
const State = z.union([
	z.object({ deployment: Content.nullable() }).transform(({ deployment }) => stateOf(deployment)),
	z
		.object({ checkpoint: z.object({ latest: Content.nullish() }) })
		.transform(({ checkpoint }) => stateOf(checkpoint.latest)),
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
export async function savedState(stack: string, cwd: string): Promise<SavedState> {
	if (!isFile(stack, cwd)) return exportedState(stack, cwd);
	return stateIn(textIn(readFileSync(resolve(cwd, stack))), stack);
}

function stateIn(text: string, stack: string): SavedState {
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

async function exportedState(stack: string, cwd: string): Promise<SavedState> {
	assertNoFileName(stack);
	const done = await outputOf(["stack", "export"], { cwd, stack });
	if (done.code === 0) return stateIn(done.text, stack);
	throw engineError(done, `the state of stack ${stack} can't be read`);
}

/** Returns the name of the selected stack. @throws UsageError if there is none */
export async function selectedStack(cwd: string): Promise<string> {
	const done = await outputOf(["stack", "--show-name"], { cwd });
	const [name] = done.text.split("\n");
	if (done.code === 0 && name) return name;
	throw engineError(done, "the selected stack is unknown");
}
