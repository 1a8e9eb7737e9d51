/**
 * Another account's key or address by mistake, on the real engine: nothing leaves the state, and nothing is bought, whatever
 * the command, the order and the number of runs. On the right account all goes on as before.
 */
import { expect, test } from "vitest";
import { VirtualClock } from "../../emulator";
import { useEmulator } from "../helpers/emulator";
import {
	classes,
	createProject,
	expectQuiet,
	type Front,
	fails,
	plugin,
	type Run,
	seenAt,
	succeeds,
} from "../helpers/engine";

// What is young may not be shown yet, and is waited for: nothing here is.
const right = useEmulator({ kyc: "immediate", clock: new VirtualClock(Date.now() - 2 * 24 * 3_600_000) });
const wrong = useEmulator({ kyc: "immediate" });
const purchases = () => ({
	right: seenAt(right).ledger("purchase").length,
	wrong: seenAt(wrong).ledger("purchase").length,
});

const number = (name: string, options = "{}") =>
	`const ${name} = new telephony.Number("${name}", { country: "NL", type: "mobile" }, ${options});\n`;
const trunk = (name: string) =>
	`const ${name} = new telephony.SipTrunk("${name}", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.7"] }, capacity: 3 });\n`;
const pool = (count: number) =>
	`new telephony.NumberPool("desk", { country: "NL", type: "mobile", count: ${count} });\n`;

async function stackOf(front: Front, program: string) {
	const stack = await createProject({ program, service: right, front });
	await succeeds(stack.up());
	const held = async () => (await stack.resources()).map(({ id = "" }) => id).sort();
	return {
		...stack,
		held,
		on: ({ url }: { readonly url: string }) => Object.assign(stack.env, { TELEPHONY_BASE_URL: url }),
		/** The state keeps all, and neither account has changed. */
		refused: async (run: () => Promise<Run>, times = 1) => {
			const before = { held: await held(), ...purchases() };
			for (let n = 0; n < times; n++) {
				await fails(run(), "wrong-account");
				expect({ held: await held(), ...purchases() }).toEqual(before);
			}
		},
	};
}

test.each([
	[classes, "8"],
	[plugin, "1"],
] as const)("%s: refresh, destroy and an up that removes or adds, --parallel %s", async (front, parallel) => {
	const both = number("a") + number("b");
	const stack = await stackOf(front, both);
	stack.on(wrong);
	const one = ["--parallel", parallel];
	// As "re-run job" would.
	await stack.refused(() => stack.refresh(...one), 2);
	await stack.refused(() => stack.destroy(...one), 2);
	const [entry] = await stack.resources();
	await stack.refused(() => stack.destroy("--target", entry?.urn ?? "", ...one));
	for (const added of [both + number("c"), number("c") + both]) {
		stack.write(added);
		await stack.refused(() => stack.up(...one));
	}
	stack.write(number("a"));
	await stack.refused(() => stack.up(...one));
	stack.write(both);
	stack.on(right);
	await expectQuiet(stack);
	expect(purchases()).toEqual({ right: 2, wrong: 0 });
});

test.each([
	["a number that depends on a trunk stays", classes, trunk("office") + number("a", "{ dependsOn: office }"), "a"],
	["two trunks stay", plugin, trunk("office") + trunk("backup"), "backup"],
	["a pool stays", plugin, pool(2), "desk"],
] as const)("%s in the state", async (_, front, program, name) => {
	const stack = await stackOf(front, program);
	stack.on(wrong);
	await stack.refused(() => stack.refresh("--parallel", "1"));
	await stack.refused(() => stack.destroy());
	const urn = (await stack.resources()).find((entry) => entry.urn.endsWith(`::${name}`))?.urn ?? "";
	await stack.refused(() => stack.destroy("--target", urn));
	stack.write(name === "desk" ? pool(3) : program + number("more") + trunk("third"));
	await stack.refused(() => stack.up());
	stack.on(right);
	await succeeds(stack.up());
	await succeeds(stack.destroy());
	expect(await stack.held()).toEqual([]);
});

test("the word that all of it is gone holds for one run", async () => {
	const stack = await stackOf(classes, number("a") + trunk("office"));
	stack.on(wrong);
	stack.env.TELEPHONY_ACCEPT_EMPTY_ACCOUNT = "yes";
	await succeeds(stack.refresh("--target", (await stack.resources())[0]?.urn ?? ""));
	expect(await stack.held()).toHaveLength(1);
	stack.env.TELEPHONY_ACCEPT_EMPTY_ACCOUNT = undefined;
	await stack.refused(() => stack.refresh());
	stack.env.TELEPHONY_ACCEPT_EMPTY_ACCOUNT = "yes";
	await succeeds(stack.destroy());
	expect(await stack.held()).toEqual([]);
});
