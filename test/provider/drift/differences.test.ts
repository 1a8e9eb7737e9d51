/** What happens behind Pulumi's back is shown for what it is: by what a read says, what diff makes of it, and a warning. */
import { expect, test } from "vitest";
import type { Control } from "../../../emulator";
import type { Values } from "../../../provider/properties/table";
import { useEmulator } from "../../helpers/emulator";
import { observed } from "../../helpers/observed";
import { aNumber, aTrunk, aWebhook, create, initErrorOf, openProvider } from "../../helpers/provider";
import { type Entry, updated } from "../../helpers/runs";

const emulator = useEmulator({ kyc: "immediate" });
const open = () => openProvider(emulator);

const resources = { number: aNumber, sipTrunk: aTrunk, webhook: aWebhook } as const;
type Name = keyof typeof resources;

/** Made, changed by somebody else a moment later, and read by the next run. */
async function happened(name: Name, args: Values, event: (control: Control, id: string) => void) {
	const made = await create(open()[name], resources[name](args));
	// What is changed in the millisecond of the write has the same time.
	await new Promise((resolve) => setTimeout(resolve, 2));
	event(emulator.control, made.id);
	return { ...(await seen(made, resources[name](args))), ...made };
}

async function seen(entry: Entry, news: Values) {
	const { drifts, ...read } = await observed(open(), entry, news);
	return { ...read, drift: drifts[0] };
}

const gone: [string, (control: Control, id: string) => void, RegExp][] = [
	["released", (control, id) => control.deleteNumber(id), /is gone: released outside.*buys another number.*restore it/],
	[
		"ported out",
		(control, id) => control.patchNumber(id, { status: "ported_out" }),
		/gone: ported out.*Another carrier/,
	],
	["failed", (control, id) => control.patchNumber(id, { status: "failed" }), /is gone: failed outside/],
];
test.each(gone)("a number that is %s is gone, and a warning names it", async (_, event, warning) => {
	const { props, warnings, drift, outs, id } = await happened("number", {}, event);
	expect(props).toBeUndefined();
	expect(warnings).toHaveLength(1);
	expect(warnings[0]).toContain(`${outs.phoneNumber} (${id})`);
	expect(warnings[0]).toMatch(warning);
	expect(drift).toMatchObject({ kind: "missing", severity: "high", consequence: expect.stringMatching(/^buys a new/) });
});

test.each(["suspended", "porting_out"])(
	"a number that is %s is a problem with a warning: no difference, and never bought anew",
	async (status) => {
		const { props, differs, warnings, drift } = await happened("number", {}, (control, id) =>
			control.patchNumber(id, { status }),
		);
		expect({ status: props?.status, differs }).toEqual({ status, differs: false });
		expect(warnings).toEqual([expect.stringContaining(`cannot be repaired by Pulumi: its status is ${status}`)]);
		expect(drift).toMatchObject({ kind: "problem", changes: [{ path: "status", declared: "active", live: status }] });
	},
);

test("a rejected KYC is a problem with the service's reasons", async () => {
	emulator.control.kyc("manual");
	const args = { country: "DE", activationTimeoutSeconds: 5 };
	const { id, properties } = await initErrorOf(create(open().number, aNumber(args)));
	emulator.control.decide(id, "reject", [{ code: "blurred", message: "Send a sharper copy." }]);
	const { differs, warnings, drift } = await seen({ id, outs: properties }, aNumber(args));
	expect(differs).toBe(true);
	expect(warnings).toEqual([expect.stringContaining("KYC rejected: Send a sharper copy. (blurred)")]);
	expect(drift).toMatchObject({ kind: "problem" });
	// No program declares how KYC ends.
	expect(drift?.changes).toEqual([{ path: "kyc.status", live: "rejected" }]);
});

test("a pending number that becomes active is progress: no difference, no warning, nothing to report", async () => {
	emulator.control.kyc("manual");
	const { props, differs, warnings, drift } = await happened(
		"number",
		{ country: "DE", waitForActive: false },
		(control, id) => control.decide(id, "approve"),
	);
	expect(props?.status).toBe("active");
	expect(differs).toBe(false);
	expect(warnings).toEqual([]);
	expect(drift).toBeUndefined();
});

const edits: [
	string,
	Name,
	Values,
	(control: Control, id: string) => void,
	{ path: string; [key: string]: unknown },
][] = [
	[
		"a webhook that the service switches off after failures",
		"webhook",
		{},
		(control, id) => control.patchWebhook(id, { status: "disabled", disabled_reason: "failures" }),
		{ path: "enabled", declared: true, live: false },
	],
	[
		"a secret that was replaced, told by its version",
		"webhook",
		{},
		(control, id) => control.patchWebhook(id, { rotate_secret: true }),
		{ path: "secretVersion", declared: 1, live: 2 },
	],
	[
		"a password that was replaced, told by its time",
		"sipTrunk",
		{ auth: { mode: "digest", username: "office" } },
		(control, id) =>
			control.patchTrunk(id, { auth: { mode: "digest", username: "office", password: "somebody-elses" } }),
		{ path: "passwordUpdatedAt" },
	],
	[
		"a kind of routing that this version doesn't know",
		"number",
		{ routing: { type: "agent", agentId: "a" } },
		(control, id) => control.patchNumber(id, { routing: { type: "hologram", room: "x" } }),
		{
			path: "routing",
			declared: { type: "agent", agentId: "a" },
			live: { type: "hologram", room: "x", ringTimeoutSeconds: 30 },
		},
	],
];
test.each(edits)("%s is a difference that names what it is", async (_, name, args, event, change) => {
	const { differs, drift, outs } = await happened(name, args, event);
	expect(differs).toBe(true);
	expect(drift).toMatchObject({ kind: "changed", changes: expect.arrayContaining([expect.objectContaining(change)]) });
	for (const secret of [outs.secret, outs.password, "somebody-elses"].filter((each) => typeof each === "string")) {
		expect(JSON.stringify(drift)).not.toContain(secret);
	}
});

test("a capacity that the account clamps is a difference, however often it is asked for", async () => {
	emulator.control.settings({ capacityMax: 10, clampCapacity: true });
	const news = aTrunk({ capacity: 30 });
	const made = await create(open().sipTrunk, news);
	const clamped = { kind: "changed", changes: [{ path: "capacity", declared: 30, live: 10 }] };
	expect((await seen(made, news)).drift).toMatchObject(clamped);
	expect((await seen(await updated(open(), made, news), news)).drift).toMatchObject(clamped);
});
