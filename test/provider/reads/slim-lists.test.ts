/** A service whose lists show less of an object than its single reads: what a list leaves out is no drift. */
import { beforeEach, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useEmulator } from "../../helpers/emulator";
import { useFaultProxy } from "../../helpers/fault-proxy";
import {
	aNumber,
	aTrunk,
	aWebhook,
	checked,
	create,
	declaration,
	initErrorOf,
	openProvider,
} from "../../helpers/provider";

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

const resources = [
	["number", aNumber, { label: "Desk", routing: { type: "agent", agentId: "a" }, releaseProtection: true }],
	["sipTrunk", aTrunk, { auth: { mode: "digest", username: "office" }, codecs: ["PCMA"], metadata: { a: "b" } }],
	["webhook", aWebhook, { description: "inbox" }],
] as const;
type Name = (typeof resources)[number][0];

/** Four, so that they are read from the list. */
const names = ["a", "b", "c", "d"];
const made = (handler: Name, declare: typeof aNumber, args: Values) =>
	Promise.all(names.map((name) => create(open()[handler], declare(args, name))));
const refreshed = async (handler: Name, objects: readonly { id: string; outs: Values }[]) => {
	const run = open();
	const reads = await Promise.all(objects.map(({ id, outs }) => run[handler].read(id, outs)));
	return { props: reads.map(({ props }) => props), warnings: run.warnings };
};

test.each(resources)("a refresh of %ss right after up is empty", async (handler, declare, args) => {
	const objects = await made(handler, declare, args);
	const { props, warnings } = await refreshed(handler, objects);
	expect(props).toEqual(objects.map(({ outs: { __provider: _, ...outs } }) => outs));
	expect(warnings).toEqual([]);
});

test.each(resources)("what was changed or cleared of %ss is found all the same", async (handler, declare, args) => {
	const objects = await made(handler, declare, args);
	const id = objects[0]?.id ?? "";
	const cleared = { number: { label: null }, sipTrunk: { metadata: null }, webhook: { description: null } };
	emulator.edit(handler, id, cleared[handler]);
	const { props } = await refreshed(handler, objects);
	const run = open();
	const differ = await Promise.all(
		objects.map(async ({ id: each }, n) => {
			const inputs = await checked(run[handler], declare(args, names[n]));
			return (await run[handler].diff(each, props[n] ?? {}, inputs)).changes;
		}),
	);
	expect(differ).toEqual([true, false, false, false]);
});

test.each(resources)(
	"times of %ss in whole seconds, where a single read has more, are no lag",
	async (handler, declare, args) => {
		service.rewrite = (text, _, path) => (/\?/.test(path) ? text.replaceAll(/\.\d{3}Z"/g, 'Z"') : text);
		const objects = await made(handler, declare, args);
		const run = open();
		const before = gets();
		await Promise.all(objects.map(({ id, outs }) => run[handler].read(id, outs)));
		expect([gets() - before, Math.max(...run.clock.slept)]).toEqual([1, 10]);
	},
);

test("an Activation takes no status from a list that shows none", async () => {
	listing("id");
	const objects = await made("number", aNumber, {});
	const fleet = await create(
		open().activation,
		declaration("Activation", "f", { numberIds: objects.map(({ id }) => id) }),
	);
	expect((await open().activation.read(fleet.id, fleet.outs)).props).toEqual(fleet.outs);
});

test("what the program has dropped, and only single reads show, is found in a refresh and cleared by the next up", async () => {
	service.rewrite = (text, _, path) => (/\?/.test(path) ? text.replaceAll(/"label":("[^"]*"|null),?/g, "") : text);
	const objects = await made("number", aNumber, { label: "Desk" });
	const inputs = await checked(open().number, aNumber({}, "a"));
	emulator.control.faults.set({ operation: "patchNumber", every: true, status: 403 });
	const [{ id, outs } = { id: "", outs: {} }] = objects;
	const { properties } = await initErrorOf(open().number.update(id, outs, inputs));
	emulator.control.faults.clear();
	const { props } = await refreshed("number", [{ id, outs: properties }, ...objects.slice(1)]);
	expect(props[0]?.label).toBe("Desk");
	await open().number.update(id, props[0] ?? {}, inputs);
	expect(emulator.control.state().numbers.find((row) => row.id === id)?.label).toBeNull();
});

test("what was cleared costs no request of its own where lists show all", async () => {
	service.rewrite = (text) => text;
	const objects = await made("number", aNumber, { label: "Desk", metadata: { a: "b" } });
	for (const { id } of objects) emulator.control.patchNumber(id, { label: null, metadata: null });
	const before = gets();
	const { props } = await refreshed("number", objects);
	expect(props.map((each) => each?.label)).toEqual(names.map(() => null));
	expect(gets() - before).toBe(1);
});

test("where lists are all that there is, they are not read again for what they leave out", async () => {
	emulator.control.settings({ features: { getById: false } });
	const objects = await made("number", aNumber, {});
	const before = gets();
	await refreshed("number", objects);
	expect(gets() - before).toBe(1);
});
