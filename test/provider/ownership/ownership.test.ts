import { describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useEmulator } from "../../helpers/emulator";
import { kinds } from "../../helpers/kinds";
import { aNumber, checked, create, failureOf, initErrorOf, openProvider } from "../../helpers/provider";
import { differs, failedUp, refreshed, updated } from "../../helpers/runs";

const emulator = useEmulator();
const { live, purchases } = emulator;
const open = (options = {}) => openProvider(emulator, options);
const elsewhere = { place: "https://elsewhere.example" };

/** A number that was bought and configured, but whose run was killed before it could say so. */
const lostNumber = async (args: Values = {}, options = {}) => (await create(open(options).number, aNumber(args))).id;

describe("a number is bought once", () => {
	test("by a second create for the same declaration, which resumes it with a warning", async () => {
		const id = await lostNumber({ label: "a" });
		const second = open();
		const made = await create(second.number, aNumber({ label: "a" }));
		expect(made.id).toBe(id);
		expect(purchases().length).toBe(1);
		expect(live()[0]?.label).toBe("a");
		expect(second.warnings).toEqual([expect.stringMatching(/\+316.*\[telephony:taken-over\]$/)]);
		expect(live()[0]?.reference).toContain(made.outs.lease);
	});

	const edited = { label: "a", routing: { type: "forward", to: "+31201234567" }, metadata: { team: "a" } };

	test.each([{}, { smsWebhookUrl: "https://hooks.example.com/sms" }, edited])(
		"and is configured as the program that resumes it declares: found with %j",
		async (args: Values) => {
			const id = await lostNumber(args);
			const made = await create(open().number, aNumber({ metadata: { team: "b" } }));
			const bare = { label: null, routing: null, sms_webhook_url: null };
			expect(live()).toMatchObject([{ id, ...bare, metadata: { team: "b" } }]);
			expect(made.outs).not.toHaveProperty("label");
			expect(purchases()).toHaveLength(1);
		},
	);

	test("a number is taken over though the list was read before the first create was done", async () => {
		const second = open();
		await (await second.session.service()).numbers.all();
		const id = await lostNumber();
		expect((await create(second.number, aNumber())).id).toBe(id);
		expect(purchases()).toHaveLength(1);
	});

	test("for each declaration: other names, stacks and generations have their own", async () => {
		await lostNumber();
		await create(open().number, aNumber({}, "other"));
		await create(open().number, aNumber({ generation: 1 }));
		const next = open();
		await create(next.number, aNumber({ type: "toll_free" }));
		expect(purchases()).toHaveLength(4);
		expect(next.warnings).toEqual([expect.stringContaining("This resource also has")]);
	});

	test("by many at once, each their own, under one list scan", async () => {
		const run = open();
		const made = await Promise.all(Array.from({ length: 12 }, (_, n) => create(run.number, aNumber({}, `n${n}`))));
		expect(new Set(made.map(({ id }) => id)).size).toBe(12);
		expect(purchases()).toHaveLength(12);
		expect(emulator.control.requests()).toHaveLength(1 + 12 * 2);
	});

	test("a number is bought again after it was released", async () => {
		const { id, outs } = await create(open().number, aNumber());
		await open().number.delete(id, outs);
		expect((await create(open().number, aNumber())).id).not.toBe(id);
		const keys = purchases().map(({ key }) => key);
		expect(new Set(keys).size).toBe(2);
		expect(live()).toHaveLength(1);
	});

	test("nothing is bought where the number belongs to the same stack kept elsewhere", async () => {
		await lostNumber({}, elsewhere);
		const error = await failureOf(create(open().number, aNumber()));
		expect(error.kind).toBe("Claimed");
		expect(error.message).toMatch(/\+316.*telephony:owner/);
		expect(purchases()).toHaveLength(1);
	});
});

test.each([
	["references", { reference: false }, { label: "a" }],
	[
		"single reads, PATCH and references",
		{ getById: false, patchNumber: false, reference: false, idempotencyKey: false },
		{},
	],
])("a service without %s leaves nothing to do after up", async (_, features, args) => {
	emulator.control.settings({ features });
	const made = await create(open().number, aNumber(args));
	const later = open();
	expect(await refreshed(later, made, aNumber(args))).toMatchObject({ changes: false });
	expect(later.warnings).toEqual([]);
});

describe("a number that was bought but not configured", () => {
	test("is saved with its id, the reason and all that the engine needs", async () => {
		const inputs = await checked(open().number, aNumber({ routing: { type: "trunk", trunkId: "trk_none" } }));
		const error = await initErrorOf(open().number.create(inputs));
		const [row] = live();
		expect(error.id).toBe(row?.id);
		expect(error.reasons).toEqual([expect.stringMatching(/is saved, but not configured.*invalid_reference/)]);
		expect(error.properties).toMatchObject({ __provider: inputs.__provider, resourceUrn: inputs.resourceUrn });
		expect(JSON.parse(JSON.stringify(error.properties))).toStrictEqual(error.properties);
		expect(error.stack).toBe(error.message);
		// The next up goes on where this one stopped.
		expect((await open().number.diff(error.id, error.properties, inputs)).changes).toBe(true);
		const fixed = await checked(open().number, aNumber({ label: "x" }));
		const { outs } = await open().number.update(error.id, error.properties, fixed);
		expect((await open().number.diff(error.id, outs, fixed)).changes).toBe(false);
		expect({ purchases: purchases().length, label: live()[0]?.label }).toEqual({ purchases: 1, label: "x" });
	});
});

test.each(kinds)(
	"a $noun that was renamed is claimed under its new name, also if the first try fails",
	async (kind) => {
		const { name, patch, declare } = kind;
		const reference = () => emulator.rows(name)[0]?.reference;
		const made = await create(open()[name], declare({}, "old"));
		expect(await differs(open(), made, declare({}, "new"))).toBe(true);
		emulator.control.faults.set({ operation: patch, every: true, status: 403 });
		const left = await failedUp(open(), declare({}, "new"), made);
		expect(reference()).toContain(made.outs.token);
		emulator.control.faults.clear();
		expect(await differs(open(), left, declare({}, "new"))).toBe(true);
		const { outs } = await updated(open(), left, declare({}, "new"));
		expect(outs.token).not.toBe(made.outs.token);
		expect(reference()).toContain(`${outs.token}`);
		expect(reference()).toContain(`${outs.lease}`);
	},
);
