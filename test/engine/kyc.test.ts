/** Regulated markets: a wait is saved and continued, and an approval isn't drift. */
import { expect, test, vi } from "vitest";
import { kindsIn, pathsIn, reported } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, fails, flat, stepsIn, succeeds } from "../helpers/engine";

vi.setConfig({ testTimeout: 600_000 });
const emulator = useEmulator();
const numbers = () => emulator.control.state().numbers;
const labelled = (label: string) => numbers().find((each) => each.label === label)?.id ?? "";

const german = 'country: "DE", type: "geographic", area: "30"';
const all = (seconds: number) => `
	const args = (label) => ({ ${german}, label, activationTimeoutSeconds: ${seconds} });
	exports.berlin = new telephony.Number("berlin", args("berlin")).phoneNumber;
	new telephony.Number("munich", { ...args("munich"), area: "89" });
	new telephony.NumberPool("support", { ...args("support-{index}"), count: 2 });
	const desk = new telephony.Number("desk", { ${german}, label: "desk", waitForActive: false });
	exports.status = desk.status;
	new telephony.Activation("fleet", { numberIds: [desk.id], timeoutSeconds: ${seconds} });
`;

test("saves each wait, and later runs continue it", async () => {
	const { control } = emulator;
	const stack = await createProject({ service: emulator, program: all(2) });
	// Otherwise the engine starts nothing more after the first failure.
	const first = await stack.up("--continue-on-error");
	await fails(first, "kyc-pending");
	const ids = await stack.ids();
	const berlin = numbers().find(({ id }) => id === ids.berlin);
	expect(flat(first)).toContain(
		`${berlin?.number} (${ids.berlin}) is bought and saved, but not active yet after 2 s: KYC action required; the service waits until ${berlin?.kyc?.deadline}`,
	);
	expect(first.output).toMatch(/berlin creating \(\d+s\) KYC action required: set `kycProfileId`, \d+ s left/);
	expect(first.output).toMatch(/fleet creating \(\d+s\) 0 of 1 active, 1 action required, \d+ s left/);
	const errors = async () =>
		Object.fromEntries(
			(await stack.resources()).map(({ urn, initErrors = [] }) => [urn.split("::").at(-1), initErrors.length]),
		);
	expect(await errors()).toEqual({ berlin: 1, munich: 1, support: 1, desk: 0, fleet: 1 });
	const desk = (await stack.resources()).find(({ urn }) => urn.endsWith("::desk"));
	expect(desk?.outputs).toMatchObject({ status: "pending", kyc: { status: "action_required" } });

	const waits = { berlin: "update", munich: "update", support: "update", fleet: "update" };
	// A wait isn't drift.
	expect(stepsIn(await stack.drift())).toEqual({});
	const waiting = await succeeds(reported(stack));
	expect(waiting.report).toMatchObject({ total: 6, drifted: 0 });
	const names = ["berlin", "desk", "fleet", "munich", "support[0]", "support[1]"];
	expect(kindsIn(waiting.report)).toEqual(Object.fromEntries(names.map((name) => [name, "waiting"])));

	// A refresh that is written forgets no wait.
	expect(stepsIn(await stack.refresh("--run-program"))).toEqual({});
	expect(stepsIn(await stack.preview())).toEqual(waits);

	control.decide(ids.berlin ?? "", "approve");
	control.decide(ids.munich ?? "", "reject", [{ code: "address_mismatch", message: "The address differs." }]);
	control.decide(labelled("support-0"), "approve");
	control.patchNumber(labelled("support-0"), { label: "by hand" });
	const found = await reported(stack);
	expect(found.code, found.output).toBe(7);
	expect(kindsIn(found.report)).toMatchObject({ munich: "problem", "support[0]": "changed", "support[1]": "waiting" });
	expect(pathsIn(found.report)).toMatchObject({ "support[0]": ["label"] });

	const second = await stack.up("--refresh", "--continue-on-error");
	expect(await fails(second, "kyc-pending")).toContain(
		`(${ids.munich}) will not become active: its status is pending, KYC rejected: The address differs. (address_mismatch).`,
	);
	for (const { id, status } of numbers()) if (status === "pending") control.decide(id, "approve");
	await succeeds(stack.up("--refresh"));
	expect(await stack.ids()).toEqual(ids);
	expect(await stack.outputs()).toMatchObject({ berlin: berlin?.number, status: "active" });
	expect(numbers().map(({ status }) => status)).toEqual(Array(5).fill("active"));
	expect(emulator.kinds()).toEqual(Array(5).fill("purchase"));
	await expectQuiet(stack);
});
