/**
 * States that a team shares, in an object store and in a database: two runners with names, users and folders of their own,
 * each with its own spelling of the place, in turn and at once. One stack goes through all of it, as each command costs seconds.
 */
import { expect, test, vi } from "vitest";
import { backends } from "../helpers/backends";
import { useEmulator } from "../helpers/emulator";
import { createProject, flat, seenAt, succeeds } from "../helpers/engine";
import { startUp } from "../helpers/engine-running";
import { crashAtClaim, moveTo } from "../helpers/machines";

vi.setConfig({ testTimeout: 15 * 60_000 });
const emulator = useEmulator();
const { kinds } = seenAt(emulator);

const waiting = `
	new telephony.Number("paris", { country: "NL", type: "mobile" });
	new telephony.Number("berlin", { country: "DE", type: "mobile", label: "held" });
`;
const more = `${waiting}
	new telephony.Number("second", { country: "NL", type: "mobile" });
`;

test.for(Object.entries(backends))("a state in %s is shared by two runners", async ([_, start], context) => {
	const { spellings, other, env } = await start((why) => context.skip(why));
	const [here, there] = spellings;
	const service = emulator;
	const first = await createProject({ program: waiting, service, backend: here, env });
	moveTo("runner-1", first);
	const second = await createProject({ program: waiting, service, backend: there, env, joins: first });
	moveTo("runner-2", second);
	// This one knows the place from its login alone.
	await succeeds(second.pulumi("login", there));
	second.env.PULUMI_BACKEND_URL = undefined;

	// At once: the second is kept out. Then the first is interrupted.
	const running = startUp(first);
	await vi.waitFor(() => {
		expect(emulator.control.state().numbers.find(({ label }) => label === "held")?.reference).toBeTruthy();
		expect(running.output()).toMatch(/KYC action required/);
	}, 60_000);
	const locked = await second.up();
	expect(locked.code, locked.output).not.toBe(0);
	expect(flat(locked)).toContain("currently locked");
	process.kill(-(running.child.pid ?? Number.NaN), "SIGINT");
	expect(await running.code, running.output()).not.toBe(0);
	const saved = await first.deployment();
	expect(saved.pending_operations ?? []).toEqual([]);
	const ids = Object.fromEntries(emulator.control.state().numbers.map(({ id, country }) => [country, id]));
	expect(await first.ids()).toEqual({ paris: ids.NL, berlin: ids.DE });

	// In turn: the second goes on where the first was interrupted, and is killed itself.
	emulator.control.decide(ids.DE ?? "", "approve");
	await succeeds(second.up());
	expect(kinds()).toEqual(["purchase", "purchase"]);
	second.write(more);
	const { id } = await crashAtClaim(emulator, second, "after");
	first.write(more);
	await succeeds(first.pulumi("cancel", "--yes"));
	const taken = flat(await succeeds(first.up()));
	expect(taken).toMatch(new RegExp(`Resumed .*\\(${id}\\).*\\[telephony:taken-over\\]`));
	const all = { paris: ids.NL, berlin: ids.DE, second: id };
	expect(await first.ids()).toEqual(all);
	expect(kinds()).toEqual(["purchase", "purchase", "purchase"]);

	// A state of the same name, elsewhere at the same server, has no part in it; both run at once.
	const stranger = await createProject({ program: more, service, backend: other, env });
	const [refused, clean] = await Promise.all([stranger.up(), second.drift()]);
	expect(refused.code, refused.output).not.toBe(0);
	expect(flat(refused)).toContain("[telephony:another-state]");
	await succeeds(clean);
	expect(kinds()).toEqual(["purchase", "purchase", "purchase"]);
	await succeeds(second.destroy());
	expect(kinds().slice(3)).toEqual(["release", "release", "release"]);
});
