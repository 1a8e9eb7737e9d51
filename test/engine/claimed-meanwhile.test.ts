/** Two stacks that adopt the same objects at the same time: the later one sees the claim of the other. */
import { expect, test, vi } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails, fronts, succeeds } from "../helpers/engine";
import { eventually } from "../helpers/eventually";
import { inTurn } from "../short.mts";

vi.setConfig({ testTimeout: 600_000 });
const emulator = useEmulator({ kyc: "immediate" });

const auth = `{ mode: "ip_acl", allowedCidrs: ["198.51.100.7"] }`;
const adopting = (number: string, trunk: string, [afterNumber, afterTrunk] = ["{}", "{}"]) => `
	new telephony.Number("main", { country: "NL", type: "mobile", adopt: "${number}", label: "ours" }, ${afterNumber});
	new telephony.SipTrunk("office", { auth: ${auth}, capacity: 5, adopt: "${trunk}" }, ${afterTrunk});
`;
/** The first requests of the run list the account, and `main` and `office` wait for the writes of these two. */
const before = `
	const first = new telephony.Number("first", { country: "NL", type: "mobile" });
	const gate = new telephony.SipTrunk("gate", { auth: ${auth}, capacity: 1 });
`;

test.each(inTurn(fronts))("%s: refuses objects that another stack adopted meanwhile", async (front) => {
	const { control, call } = emulator;
	const { id: number } = (await call("POST", "/numbers", { country: "NL", type: "mobile" })).body;
	const { id: trunk } = (
		await call("POST", "/trunks", {
			name: "by hand",
			auth: { mode: "ip_acl", allowed_cidrs: ["198.51.100.7/32"] },
			capacity: 3,
		})
	).body;
	const program = before + adopting(number, trunk, ["{ dependsOn: first }", "{ dependsOn: gate }"]);
	const late = await createProject({ program, service: emulator, front, name: "late" });
	const early = await createProject({ program: adopting(number, trunk), service: emulator, front, name: "early" });

	for (const operation of ["patchNumber", "createTrunk"] as const)
		control.faults.set({ operation, kind: "hold", phase: "before" });
	const running = late.up("--continue-on-error");
	await eventually(() => expect(control.faults.list()).toMatchObject([{ held: 1 }, { held: 1 }]));
	await succeeds(early.up());
	const claimed = [emulator.row(number), emulator.row(trunk)];
	for (const row of claimed) expect(row?.reference).toMatch(/~early\/dev$/);
	control.faults.clear();

	const refused = (await fails(running)).split("[telephony:claimed]").slice(0, -1);
	for (const id of [number, trunk])
		expect(refused).toContainEqual(expect.stringMatching(new RegExp(`${id}.*early/dev`)));
	expect(Object.keys(await late.ids()).sort()).toEqual(["first", "gate"]);
	expect([emulator.row(number), emulator.row(trunk)]).toEqual(claimed);
	expect(emulator.purchases()).toHaveLength(2);
});
