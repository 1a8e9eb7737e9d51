/** A service whose lists show less of an object than its single reads: what a list leaves out is no drift. */
import { beforeEach, describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { type Kind, useEmulator } from "../../helpers/emulator";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { digest, kinds } from "../../helpers/kinds";
import { aNumber, create, declaration, openProvider } from "../../helpers/provider";
import { differs, failedUp, handlerOf, updated } from "../../helpers/runs";

const emulator = useEmulator({ kyc: "immediate" });
const service = useFaultProxy(emulator);
const open = () => openProvider(service);
const gets = () => emulator.control.requests().filter(({ method }) => method === "GET").length;

/** Lists show these alone. */
const listing = (...shown: string[]) => {
	service.rewrite = (text, method, path) => {
		const body = JSON.parse(text || "{}") as { data?: Values[] };
		if (method !== "GET" || !/\/(numbers|trunks|webhooks)(\?|$)/.test(path) || body.data === undefined) return text;
		const slim = body.data.map((item) => Object.fromEntries(shown.map((key) => [key, item[key]])));
		return JSON.stringify({ ...body, data: slim });
	};
};
beforeEach(() => listing("id", "country", "type", "status"));

const declared: Readonly<Record<Kind, Values>> = {
	number: { label: "Desk", routing: { type: "agent", agentId: "a" }, releaseProtection: true },
	sipTrunk: { auth: digest, codecs: ["PCMA"], name: "Desk" },
	webhook: { description: "inbox" },
};

/** Four, so that they are read from the list. */
const names = ["a", "b", "c", "d"];
const made = (declare: typeof aNumber, args: Values) =>
	Promise.all(names.map((name) => create(handlerOf(open(), declare()), declare(args, name))));
const refreshed = async (name: Kind, objects: readonly { id: string; outs: Values }[]) => {
	const run = open();
	const reads = await Promise.all(objects.map(({ id, outs }) => run[name].read(id, outs)));
	return { props: reads.map(({ props }) => props), warnings: run.warnings };
};

describe.each(kinds)("of each $noun", ({ name, text, unset, declare }) => {
	test("nothing is to be done by a refresh right after up", async () => {
		const objects = await made(declare, declared[name]);
		const { props, warnings } = await refreshed(name, objects);
		expect(props).toEqual(objects.map(({ outs: { __provider: _, ...outs } }) => outs));
		expect(warnings).toEqual([]);
	});

	test("what was cleared is found all the same", async () => {
		const objects = await made(declare, declared[name]);
		emulator.edit(name, objects[0]?.id ?? "", { [text]: unset });
		const { props } = await refreshed(name, objects);
		const differ = objects.map(({ id }, n) =>
			differs(open(), { id, outs: props[n] ?? {} }, declare(declared[name], names[n])),
		);
		expect(await Promise.all(differ)).toEqual([true, false, false, false]);
	});

	test("a time in whole seconds, where a single read has more, is no lag", async () => {
		service.rewrite = (text, _, path) => (/\?/.test(path) ? text.replaceAll(/\.\d{3}Z"/g, 'Z"') : text);
		const objects = await made(declare, declared[name]);
		const run = open();
		const before = gets();
		await Promise.all(objects.map(({ id, outs }) => run[name].read(id, outs)));
		expect(gets() - before, "requests").toBe(1);
		expect(Math.max(...run.clock.slept)).toBe(10);
	});
});

test("an Activation takes no status from a list that shows none", async () => {
	listing("id");
	const objects = await made(aNumber, {});
	const fleet = await create(
		open().activation,
		declaration("Activation", "f", { numberIds: objects.map(({ id }) => id) }),
	);
	expect((await open().activation.read(fleet.id, fleet.outs)).props).toEqual(fleet.outs);
});

test("a value that the program has dropped, and only single reads show, is found in a refresh and cleared by the next up", async () => {
	service.rewrite = (text, _, path) => (/\?/.test(path) ? text.replaceAll(/"label":("[^"]*"|null),?/g, "") : text);
	const [entry, ...others] = await made(aNumber, { label: "Desk" });
	if (entry === undefined) throw new Error("nothing was made");
	emulator.control.faults.set({ operation: "patchNumber", every: true, status: 403 });
	const { error: _, ...left } = await failedUp(open(), aNumber({}, "a"), entry);
	emulator.control.faults.clear();
	const { props } = await refreshed("number", [left, ...others]);
	expect(props[0]?.label).toBe("Desk");
	await updated(open(), { id: entry.id, outs: props[0] ?? {} }, aNumber({}, "a"));
	expect(emulator.row(entry.id)?.label).toBeNull();
});

test("what was cleared costs no request of its own where lists show all", async () => {
	service.rewrite = (text) => text;
	const objects = await made(aNumber, { label: "Desk", metadata: { a: "b" } });
	for (const { id } of objects) emulator.control.patchNumber(id, { label: null, metadata: null });
	const before = gets();
	const { props } = await refreshed("number", objects);
	expect(props.map((each) => each?.label)).toEqual(names.map(() => null));
	expect(gets() - before).toBe(1);
});

test("where lists are all that there is, they are not read again for what they leave out", async () => {
	emulator.control.settings({ features: { getById: false } });
	const objects = await made(aNumber, {});
	const before = gets();
	await refreshed("number", objects);
	expect(gets() - before).toBe(1);
});
