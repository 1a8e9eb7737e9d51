/** Regulated markets: pending is a state to go on from, a refusal ends the wait, and no number is bought twice. */
import { expect, test } from "vitest";
import { dialect } from "../helpers/dialect.mts";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails, flat, seenAt, stepsIn, succeeds } from "../helpers/engine";

const emulator = useEmulator();
const { kinds, number } = seenAt(emulator);
const patch = dialect?.operations?.patchNumber;
const method = typeof patch === "string" ? patch.split(" ")[0] : "PATCH";

test("a number that KYC holds up is saved with the reason, and later runs go on with it", async () => {
	const stack = await createProject({
		program: `
			const held = { country: "DE", type: "geographic", area: "30", label: "held", activationTimeoutSeconds: 2 };
			exports.berlin = new telephony.Number("berlin", held).phoneNumber;
			exports.munich = new telephony.Number("munich", { ...held, area: "89" }).phoneNumber;
			new telephony.Number("later", { ...held, waitForActive: false });
		`,
		service: emulator,
	});
	// Otherwise the engine starts nothing more after the first failure.
	const first = await stack.up("--continue-on-error");
	expect(first.code).not.toBe(0);
	const ids = await stack.ids();
	expect(flat(first)).toContain(
		`${number(ids.berlin)?.number} (${ids.berlin}) is bought and saved, but not active yet after 2 s: KYC action required; the service waits until ${number(ids.berlin)?.kyc?.deadline}`,
	);
	expect(first.output, "the status column while it waits").toMatch(
		/berlin creating \(\d+s\) KYC action required: set `kycProfileId`, \d+ s left/,
	);
	expect(first.output).toMatch(/later created/);
	const saved = Object.fromEntries((await stack.resources()).map(({ id, initErrors }) => [id, initErrors ?? []]));
	expect(saved[ids.berlin ?? ""]?.length).toBe(1);
	expect(saved[ids.munich ?? ""]?.length).toBe(1);
	expect(saved[ids.later ?? ""]).toEqual([]);
	expect(saved[ids.berlin ?? ""]?.[0]).toContain("KYC action required");
	expect(kinds()).toEqual(["purchase", "purchase", "purchase"]);
	expect(emulator.control.state().numbers.map(({ label }) => label)).toEqual(["held", "held", "held"]);

	// A refresh clears the init error; what is still wanted must not be forgotten with it.
	await succeeds(stack.refresh());
	const waiting = await stack.preview();
	expect(stepsIn(waiting), waiting.output).toEqual({ berlin: "update", munich: "update" });

	emulator.control.decide(ids.berlin ?? "", "approve");
	const reasons = [{ code: "address_mismatch", message: "The address differs from the passport's." }];
	emulator.control.decide(ids.munich ?? "", "reject", reasons);
	const second = await stack.up("--continue-on-error");
	expect(second.code).not.toBe(0);
	expect(flat(second)).toContain(
		`(${ids.munich}) will not become active: its status is pending, KYC rejected: The address differs from the passport's. (address_mismatch).`,
	);
	expect(second.output).toMatch(/berlin updated/);

	emulator.control.decide(ids.munich ?? "", "approve");
	await succeeds(stack.up());
	expect(await stack.ids()).toEqual(ids);
	expect(await stack.outputs()).toEqual({ berlin: number(ids.berlin)?.number, munich: number(ids.munich)?.number });
	expect(kinds()).toEqual(["purchase", "purchase", "purchase"]);
	await succeeds(stack.preview("--expect-no-changes", "--refresh"));
});

test("up goes on by itself as soon as KYC clears, and is clean afterwards", async () => {
	emulator.control.kyc("1s");
	const stack = await createProject({
		program: `new telephony.Number("paris", { country: "FR", type: "mobile", activationTimeoutSeconds: 60 });`,
		service: emulator,
	});
	const up = await succeeds(stack.up());
	expect(up.output).toMatch(/paris creating \(\d+s\) KYC in review, \d+ s left/);
	expect((await stack.resources())[0]?.outputs).toMatchObject({
		status: "active",
		kycRequired: true,
		kyc: { status: "approved" },
	});
	await succeeds(stack.drift());
});

test("a number that nobody waits for is bought at once and is no difference while it is pending", async () => {
	const stack = await createProject({
		program: `
			const number = new telephony.Number("milan", { country: "IT", type: "mobile", waitForActive: false });
			Object.assign(exports, { status: number.status, kyc: number.kyc.status });
		`,
		service: emulator,
	});
	await succeeds(stack.up());
	expect(await stack.outputs()).toEqual({ status: "pending", kyc: "action_required" });
	await succeeds(stack.preview("--expect-no-changes"));
	await succeeds(stack.drift());
	// Approval is news, and no drift: nothing that was declared differs.
	const [milan] = await stack.resources();
	emulator.control.decide(milan?.id ?? "", "approve");
	await succeeds(stack.drift());
	await succeeds(stack.up("--refresh"));
	expect(await stack.outputs()).toMatchObject({ status: "active" });
	expect(kinds()).toEqual(["purchase"]);
});

test("a number rejected from the start ends the wait at once, with the service's reasons", async () => {
	emulator.control.kyc("reject");
	const stack = await createProject({
		program: `new telephony.Number("rio", { country: "BR", type: "mobile" });`,
		service: emulator,
	});
	const up = await fails(stack.up());
	expect(up).toContain("The proof of address can't be read: send a sharper copy. (document_unreadable)");
	expect(kinds()).toEqual(["purchase"]);
	const [rio] = await stack.resources();
	expect(rio?.initErrors).toHaveLength(1);
	await succeeds(stack.destroy());
	expect(kinds()).toEqual(["purchase", "release"]);
});

test("a number whose configuration is refused after the purchase is saved, and finished by the next up", async () => {
	const program = (trunkId: string) => `
		const trunk = new telephony.SipTrunk("trunk", { auth: { mode: "digest", username: "office" }, capacity: 1 });
		new telephony.Number("n", { country: "NL", type: "mobile", label: "n", routing: { type: "trunk", trunkId: ${trunkId} } }, { dependsOn: trunk });
	`;
	const stack = await createProject({ program: program('"trk_unknown"'), service: emulator });
	const up = await fails(stack.up());
	const ids = await stack.ids();
	expect(up).toContain(`(${ids.n}) is saved, but not configured as declared: ${method} /numbers/${ids.n} failed:`);
	expect(up).toContain("invalid_reference");
	expect(up).toContain("routing.trunk_id");

	stack.write(program("trunk.id"));
	await succeeds(stack.up());
	expect(await stack.ids()).toEqual(ids);
	expect(number(ids.n)).toMatchObject({
		label: "n",
		routing: { type: "trunk", trunk_id: ids.trunk },
		status: "active",
	});
	expect(kinds()).toEqual(["purchase"]);
	await succeeds(stack.preview("--expect-no-changes", "--refresh"));
});
