/** A number waits for KYC only while it is pending, and names the steps that the user has to take. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../../provider/properties/table";
import { useEmulator } from "../../../helpers/emulator";
import { observed } from "../../../helpers/observed";
import { aNumber, aPool, create, declaration, initErrorOf, openProvider, openWith } from "../../../helpers/provider";
import { differs, failedUp, refreshed, updated } from "../../../helpers/runs";
import { type Row, useCarrier } from "../../../helpers/scripted-carrier";

const emulator = useEmulator();
const open = () => openProvider(emulator);
const german = { country: "DE", type: "geographic" };
const regulated = (args: Values = {}, name?: string) => aNumber({ ...german, area: "30", ...args }, name);
const only = () => emulator.control.state().numbers[0]?.id ?? "";
const blurred = [{ code: "blurred", message: "Send a sharper copy." }];
const decide = (decision: "approve" | "reject" | "expire") => void emulator.control.decide(only(), decision, blurred);
const happening = (seconds: number, event: () => unknown) => openWith(emulator, [seconds, event]);

describe("a number in a regulated market", () => {
	test("is saved when the wait ends, and the next up continues", async () => {
		const run = openWith(emulator);
		const news = regulated({ activationTimeoutSeconds: 300, label: "a" });
		const saved = await failedUp(run, news);
		expect(run.seconds()).toBeCloseTo(300, 0);
		expect(saved.error.cause).toMatchObject({ messageCode: "kyc-pending" });
		expect(saved).toMatchObject({ id: only(), outs: { status: "pending", label: "a", __provider: news.__provider } });
		const read = await refreshed(open(), saved, news);
		const next = happening(60, () => decide("approve"));
		expect(await differs(next, { ...saved, outs: read.outs }, news)).toBe(true);
		const done = await updated(next, read, news);
		expect(done.outs.status).toBe("active");
		expect(await differs(open(), done, news)).toBe(false);
		expect(emulator.kinds()).toEqual(["purchase"]);
	});

	test("is configured after approval if the service refuses it before", async () => {
		emulator.control.faults.set({ operation: "patchNumber", kind: "status", error: "number_not_active", nth: [1] });
		const { outs } = await create(happening(60, () => decide("approve")).number, regulated({ label: "a" }));
		expect(outs).toMatchObject({ status: "active", label: "a" });
		await expect(emulator.call("GET", `/numbers/${only()}`)).resolves.toMatchObject({ body: { label: "a" } });
	});

	test.each<[string, () => unknown, string | undefined]>([
		["suspended", () => emulator.control.patchNumber(only(), { status: "suspended" }), undefined],
		["being_blessed", () => emulator.control.patchNumber(only(), { status: "being_blessed" }), undefined],
		["rejected", () => decide("reject"), "kyc-rejected"],
		["expired", () => decide("expire"), "kyc-rejected"],
		["failed", () => emulator.control.patchNumber(only(), { status: "failed" }), "kyc-rejected"],
		["deleted", () => emulator.control.deleteNumber(only()), "not-found"],
	])("ends the wait once it is %s", async (status, event, messageCode) => {
		const run = happening(30, event);
		if (messageCode === undefined) expect((await create(run.number, regulated())).outs.status).toBe(status);
		else expect((await initErrorOf(create(run.number, regulated()))).cause).toMatchObject({ messageCode });
		expect(run.seconds()).toBeLessThan(40);
		expect(run.warnings).toEqual([]);
	});
});

describe("a rejected number", () => {
	test("fails with its status, the reasons, the request id and the steps", async () => {
		const { cause } = await initErrorOf(create(happening(30, () => decide("reject")).number, regulated()));
		expect((cause as Error).message).toMatch(
			/^\+49\d+ \(num_\w+\) is bought and saved, but not active: KYC rejected: Send a sharper copy\. \(blurred\) \(request_id \w+\)\. Set `kycProfileId`, .*, then run `pulumi up` again\. \[telephony:kyc-rejected\]$/,
		);
	});

	test.each([
		["retain", "retains it on the account"],
		["release", "releases it"],
	])("warns of the effect of its saved onDelete: %s %s", async (onDelete, effect) => {
		const made = await create(open().number, regulated({ onDelete, waitForActive: false }));
		decide("reject");
		const run = open();
		await refreshed(run, made, regulated({ onDelete, waitForActive: false }));
		expect(run.warnings).toEqual([
			expect.stringMatching(/is not active: KYC rejected: .*\[telephony:kyc-rejected\]$/s),
		]);
		expect(run.warnings[0]).toContain(`\`pulumi up\` ${effect} (saved \`onDelete: "${onDelete}"\`)`);
	});
});

describe("a reminder of a number that the program doesn't wait for", () => {
	const idle = regulated({ waitForActive: false, onDelete: "release" });

	test("says that it is the state's until a run reads the number", async () => {
		const made = await create(open().number, idle);
		decide("approve");
		const run = open();
		expect(await differs(run, made, idle)).toBe(false);
		expect(run.warnings).toEqual([
			expect.stringMatching(
				/^\+49\d+ \(num_\w+\) was not active yet when the provider last read it: KYC action required.*\. `pulumi up --refresh` reads it again\. \[telephony:kyc-pending\]$/s,
			),
		]);
		const refreshing = open();
		await differs(refreshing, await refreshed(refreshing, made, idle), idle);
		expect(refreshing.warnings).toEqual([]);
	});

	test("is a warning of the run that buys or changes the number", async () => {
		const run = open();
		const news = regulated({ waitForActive: false });
		const made = await create(run.number, news);
		await updated(run, made, { ...news, label: "a" }, news);
		expect(run.warnings).toEqual(Array(2).fill(expect.stringMatching(/not active yet.*\[telephony:kyc-pending\]$/s)));
	});

	test("is omitted in a run that has read the number and warned", async () => {
		const made = await create(open().number, idle);
		const run = open();
		await differs(run, await refreshed(run, made, idle), idle);
		expect(run.warnings).toEqual([expect.stringMatching(/ is not active yet: KYC action required/)]);
		await run.number.configure({ config: { get: () => undefined } });
		await differs(run, made, idle);
		expect(run.warnings[1]).toContain("when the provider last read it");
	});
});

describe("a rejected number under releaseProtection", () => {
	const declared = (args: Values = {}) =>
		regulated({ onDelete: "release", releaseProtection: true, waitForActive: false, ...args });

	test("is released by the steps that its warning names", async () => {
		const made = await create(open().number, declared());
		decide("reject");
		const run = open();
		const read = await refreshed(run, made, declared());
		expect(run.warnings[0]).toContain(
			"Accept it: set `releaseProtection: false`, run `pulumi up`, remove it from the program, then `pulumi up` releases it",
		);
		const unprotected = await updated(open(), read, declared({ releaseProtection: false }));
		await open().number.delete(unprotected.id, unprotected.outs);
		expect(emulator.kinds()).toEqual(["purchase", "release"]);
	});

	test("is retained in one step if its saved onDelete retains it", async () => {
		const retained = declared({ onDelete: "retain" });
		const made = await create(open().number, retained);
		decide("reject");
		const run = open();
		await refreshed(run, made, retained);
		expect(run.warnings[0]).toContain("Accept it: remove it from the program, then `pulumi up` retains it");
	});
});

describe("at a service with status values of its own", () => {
	const carrier = useCarrier("idempotencyKey reference -statusFilter", () => ({ keys: "marked" }));
	/** Shows only these fields, and the reference. */
	const selling = (fields: object) => {
		carrier.make.sell = (serial) => ({ id: `n${serial}`, ...fields });
	};
	const declared = {
		number: () => aNumber(german),
		numberPool: () => aPool({ ...german, count: 2 }),
		activation: () => declaration("Activation", "fleet", { numberIds: carrier.rows.map(({ id }) => id) }),
	};
	const names = Object.keys(declared) as (keyof typeof declared)[];
	const statusesOf = ({ status, numbers }: Values) =>
		new Set(status === undefined ? (numbers as Values[]).map((member) => member.status) : [status]);
	/** Creates it; an activation's numbers are there before. */
	const created = async (name: (typeof names)[number]) => {
		const run = carrier.open();
		if (name === "activation") carrier.rows.push(carrier.make.sell(1, {}), carrier.make.sell(2, {}));
		const made = await create(run[name], declared[name]());
		return {
			...made,
			statuses: statusesOf(made.outs),
			waited: Math.max(0, ...run.clock.slept) >= 1000,
			warnings: run.warnings,
		};
	};
	const later = async (name: (typeof names)[number], made: { id: string; outs: Values }) =>
		observed(carrier.open(), made, declared[name]());
	const calm = { differs: false, warnings: [], drifts: [] };

	test.each(names.flatMap((name) => ["in_service", "Approved", "active"].map((word) => [name, word] as const)))(
		"a %s doesn't wait for a number that is %s",
		async (name, word) => {
			selling({ status: word, kyc_required: true });
			const made = await created(name);
			expect(made).toMatchObject({ statuses: new Set([word]), waited: false, warnings: [] });
			expect(await later(name, made)).toMatchObject(calm);
		},
	);

	test.each(names.flatMap((name) => [[name, "list"] as const, [name, "single"] as const]))(
		"a %s waits while the status is PENDING, as the %s shows",
		async (name, place) => {
			selling({ status: "PENDING", kyc_required: true });
			const slim = ({ id, reference, kyc_required }: Row) => ({ id, reference, kyc_required });
			if (place === "single") carrier.make.show = (row, where) => (where === "single" ? row : slim(row));
			carrier.clock.after(60, () => {
				for (const row of carrier.rows) Object.assign(row, { status: "in_service" });
			});
			const made = await created(name);
			expect(made).toMatchObject({ statuses: new Set(["in_service"]), waited: true, warnings: [] });
			expect(await later(name, made)).toMatchObject(calm);
		},
	);

	test.each(names.flatMap((name) => [[name, {}] as const, [name, { kyc_required: true }] as const]))(
		"a %s doesn't wait without a status: %j",
		async (name, fresh) => {
			selling(fresh);
			const made = await created(name);
			const needsKyc = "kyc_required" in fresh;
			expect(made.warnings).toEqual(needsKyc ? [expect.stringContaining("[telephony:kyc-not-shown]")] : []);
			expect(made.waited).toBe(false);
			expect(await later(name, made)).toMatchObject(calm);
		},
	);

	test.each([
		["rejected", "kyc-rejected"],
		["in_review", "kyc-pending"],
	])("a number waits for KYC that is shown as %s: %s", async (status, messageCode) => {
		selling({ kyc_required: true, kyc: { status, reasons: [] } });
		expect((await initErrorOf(create(carrier.open().number, aNumber(german)))).cause).toMatchObject({ messageCode });
	});
});
