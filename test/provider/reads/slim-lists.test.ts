/** Services whose lists show less than they have: fewer fields of an object, or one page without a cursor. */
import { expect, test } from "vitest";
import { isIncomplete } from "../../../provider/api/paging";
import type { Values } from "../../../provider/properties/table";
import { type Kind, useEmulator } from "../../helpers/emulator";
import { rewriteReads, useFaultProxy } from "../../helpers/fault-proxy";
import { digest, kinds } from "../../helpers/kinds";
import { aNumber, create, failureOf, openProvider } from "../../helpers/provider";
import { differs, failedUp, handlerOf, refreshed, updated } from "../../helpers/runs";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);
const open = (env = {}) => openProvider(proxy, { env });

/** Lists show these fields only. */
const show = (...fields: string[]) =>
	rewriteReads(proxy, ({ data, ...json }) =>
		data === undefined
			? json
			: { ...json, data: data.map((item) => Object.fromEntries(fields.map((key) => [key, item[key]]))) },
	);
/** Lists show the first item only, and that more follows. */
const cut = () =>
	rewriteReads(proxy, ({ next_cursor, ...json }, path) =>
		json.data === undefined || path.includes("status=released")
			? { next_cursor, ...json }
			: { ...json, data: json.data.slice(0, 1), has_more: true },
	);

/** Values of kinds whose lists may leave out more than a text. */
const moreDeclared: Readonly<Partial<Record<Kind, Values>>> = {
	number: { routing: { type: "agent", agentId: "a" }, releaseProtection: true },
	sipTrunk: { auth: digest, codecs: ["PCMA"] },
};
/** So many that they are read from the list. */
const names = ["a", "b", "c", "d", "e"];
const made = async (declare: typeof aNumber, args: Values) => {
	const objects = [];
	const run = open();
	for (const name of names) objects.push(await create(handlerOf(run, declare()), declare(args, name)));
	return objects;
};
/** Reads them in one run. */
const read = async (name: Kind, objects: readonly { id: string; outs: Values }[]) => {
	const run = open();
	const reads = await Promise.all(objects.map(({ id, outs }) => run[name].read(id, outs)));
	return { props: reads.map(({ props }) => props), warnings: run.warnings };
};

test.each(kinds)("finds an edit and no drift of a $noun in slim lists", async (kind) => {
	const { name, text, unset, declare } = kind;
	const declared = { [text]: "Desk", ...moreDeclared[name] };
	const objects = await made(declare, declared);
	show("id", "country", "type", "status");
	const { props, warnings } = await read(name, objects);
	expect(props).toEqual(objects.map(({ outs: { __provider: _, ...outs } }) => outs));
	expect(warnings).toEqual([]);
	emulator.edit(name, objects[0]?.id ?? "", { [text]: unset });
	const after = (await read(name, objects)).props;
	const differ = objects.map(({ id }, n) => differs(open(), { id, outs: after[n] ?? {} }, declare(declared, names[n])));
	expect(await Promise.all(differ)).toEqual([true, false, false, false, false]);
});

test("finds and clears a dropped value that only single reads show", async () => {
	const [first, ...others] = await made(aNumber, { label: "Desk" });
	show("id", "country", "type", "status", "reference", "created_at", "updated_at");
	emulator.control.faults.set({ operation: "patchNumber", every: true, status: 403 });
	const { error: _, ...previous } = await failedUp(open(), aNumber({}, "a"), first);
	emulator.control.faults.clear();
	const [outs = {}] = (await read("number", [previous, ...others])).props;
	expect(outs.label).toBe("Desk");
	await updated(open(), { id: previous.id, outs }, aNumber({}, "a"));
	expect(emulator.row(previous.id)?.label).toBeNull();
});

test.each(kinds)("reads a $noun of an incomplete list alone, and creates no other", async ({ name, declare }) => {
	const objects = await made(declare, {});
	const before = emulator.writes().length;
	cut();
	for (const lost of ["b", "new"])
		expect(isIncomplete(await failureOf(create(open()[name], declare({}, lost))))).toBe(true);
	expect(emulator.writes()).toHaveLength(before);
	const run = open();
	const reads = await Promise.all(objects.map((object, n) => refreshed(run, object, declare({}, names[n]))));
	expect(reads.map(({ id, changes }) => [id, changes])).toEqual(objects.map(({ id }) => [id, false]));
	if (name !== "number") return;
	const listed = open({ TELEPHONY_FEATURES: "-getById" });
	expect(isIncomplete(await failureOf(listed[name].read(objects[1]?.id ?? "", objects[1]?.outs ?? {})))).toBe(true);
});

test("refuses another account's number that slim lists show as equal", async () => {
	emulator.control.settings({ features: { reference: false } });
	const objects = await made(aNumber, { label: "Desk" });
	show("id", "country", "type", "status");
	const { number } = open();
	for (const { id, outs } of objects) {
		const saved = { ...outs, phoneNumber: "+31612345678" };
		expect((await failureOf(number.read(id, saved))).messageCode).toBe("wrong-account");
	}
});
