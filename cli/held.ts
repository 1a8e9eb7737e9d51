/** What stacks hold, as their states say: by the name of a stack, or in a file that `pulumi stack export` wrote. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { run } from "./engine";
import { parsed } from "./json";
import { refuseNotStarted } from "./refusals";
import { printable, shortType } from "./report";
import { UsageError } from "./usage";

/** A resource of a state, with an object at the service. */
export interface Holding {
	readonly stack: string;
	/** `Number`, `SipTrunk`, `Webhook`. */
	readonly type: string;
	readonly name: string;
	readonly id: string;
	/** Which declaration it is; absent if the state doesn't say. */
	readonly token?: string;
}

const Resources = z.object({
	resources: z
		.array(
			z.object({
				urn: z.string(),
				type: z.string(),
				id: z.string().optional(),
				external: z.boolean().optional(),
				outputs: z.object({ token: z.unknown().optional() }).loose().optional(),
			}),
		)
		.optional(),
});
/** As `pulumi stack export` writes it, and as a backend keeps it. */
const State = z.union([
	z.object({ deployment: Resources.nullable() }).transform(({ deployment }) => deployment?.resources ?? []),
	z
		.object({ checkpoint: z.object({ latest: Resources.nullish() }) })
		.transform(({ checkpoint }) => checkpoint.latest?.resources ?? []),
]);

/** Whether a value of `--stack` names a file. */
export const isFile = (stack: string): boolean => statSync(stack, { throwIfNoEntry: false })?.isFile() ?? false;

/** @throws UsageError if the state can't be read: what it holds is not known then */
export async function holdings(stack: string, cwd: string): Promise<Holding[]> {
	const text = isFile(stack) ? readFileSync(resolve(stack), "utf8") : await exported(stack, cwd);
	const found = State.safeParse(parsed(text));
	if (!found.success)
		throw new UsageError(
			"usage",
			`${stack} holds no state: name a stack, or a file that \`pulumi stack export\` wrote.`,
		);
	return found.data.flatMap(({ urn, type: token, id, external, outputs }) => {
		const type = shortType(token);
		// What a program only looks up is somebody else's.
		if (type === token || external === true || !id) return [];
		const own = typeof outputs?.token === "string" ? { token: outputs.token } : {};
		return [{ stack, type, name: urn.split("::").slice(3).join("::"), id, ...own }];
	});
}

async function exported(stack: string, cwd: string): Promise<string> {
	if (stack.endsWith(".json"))
		throw new UsageError(
			"usage",
			`there is no file ${stack}: name a stack, or a file that \`pulumi stack export\` wrote.`,
		);
	const lines: string[] = [];
	const args = ["stack", "export", "--non-interactive", "--stack", stack];
	const { code, stderr } = await run(args, cwd, (line) => lines.push(line));
	if (code === 0) return lines.join("\n");
	refuseNotStarted(stderr);
	const said = /^error: (.*)$/m.exec(stderr)?.[1] ?? `the engine ended with exit code ${code}`;
	throw new UsageError("engine", `the state of stack ${stack} can't be read: ${printable(said)}`);
}
