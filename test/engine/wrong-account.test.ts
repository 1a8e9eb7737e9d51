/**
 * Another account's key or address by mistake, on the real engine, in both fronts: nothing leaves the state, and nothing
 * is bought, whatever the command, the order and the number of runs. On the right account all goes on as before.
 */
import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../emulator";
import { useEmulator } from "../helpers/emulator";
import { createProject, type Run } from "../helpers/engine";

// What is young may not be shown yet, and is waited for: nothing here is.
const right = useEmulator({ kyc: "immediate", clock: new VirtualClock(Date.now() - 2 * 24 * 3_600_000) });
const wrong = useEmulator({ kyc: "immediate" });
const purchases = () =>
	[right, wrong].map(({ control }) => control.ledger().filter(({ kind }) => kind === "purchase").length);
const told = ({ output }: Run) => output.replaceAll(/\s+/g, " ");

const fronts = ["pulumi-telephony", "pulumi-telephony/plugin"] as const;
const number = (name: string, options = "{}") =>
	`const ${name} = new t.Number("${name}", { country: "NL", type: "mobile" }, ${options});\n`;
const trunk = (name: string) =>
	`const ${name} = new t.SipTrunk("${name}", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.7"] }, capacity: 3 });\n`;
const pool = (count: number) => `new t.NumberPool("desk", { country: "NL", type: "mobile", count: ${count} });\n`;

async function stackOf(front: (typeof fronts)[number], program: string) {
	const plugin = front.endsWith("plugin");
	const own = (text: string) => (plugin ? `const t = require("${front}");\n` : "const t = telephony;\n") + text;
	const stack = await createProject({ program: own(program), service: right, plugin });
	const succeed = async (run: Promise<Run>) => {
		const { code, output } = await run;
		expect(code, output).toBe(0);
	};
	await succeed(stack.up());
	const held = async () => (await stack.resources()).map(({ id = "" }) => id).sort();
	return {
		...stack,
		write: (text: string) => stack.write(own(text)),
		succeed,
		held,
		on: ({ url }: { readonly url: string }) => Object.assign(stack.env, { TELEPHONY_BASE_URL: url }),
		/** Twice, as "re-run job" would: the state keeps all, and neither account has changed. */
		refused: async (run: () => Promise<Run>) => {
			const before = [await held(), purchases()];
			for (let n = 0; n < 2; n++) {
				const ended = await run();
				expect([ended.code === 0, told(ended)]).toEqual([false, expect.stringContaining("[telephony:wrong-account]")]);
				expect([await held(), purchases()]).toEqual(before);
			}
		},
	};
}

describe.each(fronts)("%s, at the wrong account", (front) => {
	test.each(["8", "1"])("refresh, destroy and an up that removes or adds, --parallel %s", async (parallel) => {
		const both = number("a") + number("b");
		const stack = await stackOf(front, both);
		stack.on(wrong);
		const one = ["--parallel", parallel];
		await stack.refused(() => stack.refresh(...one));
		await stack.refused(() => stack.destroy(...one));
		const [entry] = await stack.resources();
		await stack.refused(() => stack.destroy("--target", entry?.urn ?? "", ...one));
		stack.write(both + number("c"));
		await stack.refused(() => stack.up(...one));
		stack.write(number("a"));
		await stack.refused(() => stack.up(...one));
		stack.write(both);
		stack.on(right);
		await stack.succeed(stack.drift());
		await stack.succeed(stack.up("--expect-no-changes"));
		expect(purchases()).toEqual([2, 0]);
	});

	test.each([
		["a number that depends on a trunk", trunk("office") + number("a", "{ dependsOn: office }"), "a"],
		["two trunks", trunk("office") + trunk("backup"), "backup"],
		["a pool", pool(2), "desk"],
	])("%s stays in the state", async (_, program, name) => {
		const stack = await stackOf(front, program);
		stack.on(wrong);
		await stack.refused(() => stack.refresh("--parallel", "1"));
		await stack.refused(() => stack.destroy());
		const urn = (await stack.resources()).find((entry) => entry.urn.endsWith(`::${name}`))?.urn ?? "";
		await stack.refused(() => stack.destroy("--target", urn));
		stack.write(name === "desk" ? pool(3) : program + number("more") + trunk("third"));
		await stack.refused(() => stack.up());
		stack.on(right);
		await stack.succeed(stack.up());
		await stack.succeed(stack.destroy());
		expect(await stack.held()).toEqual([]);
	});

	test("the word that all of it is gone holds for one run", async () => {
		const stack = await stackOf(front, number("a") + trunk("office"));
		stack.on(wrong);
		stack.env.TELEPHONY_ALL_GONE = "yes";
		await stack.succeed(stack.refresh("--target", (await stack.resources())[0]?.urn ?? ""));
		expect(await stack.held()).toHaveLength(1);
		stack.env.TELEPHONY_ALL_GONE = undefined;
		await stack.refused(() => stack.refresh());
		stack.env.TELEPHONY_ALL_GONE = "yes";
		await stack.succeed(stack.destroy());
		expect(await stack.held()).toEqual([]);
	});
});
