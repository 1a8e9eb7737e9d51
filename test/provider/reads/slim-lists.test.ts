/** A service whose lists show less of an object than its single reads: a field that a list leaves out is no drift. */
import { beforeEach, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { type Kind, useEmulator } from "../../helpers/emulator";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { digest, kinds } from "../../helpers/kinds";
import { aNumber, create, openProvider } from "../../helpers/provider";
import { differs, failedUp, handlerOf, updated } from "../../helpers/runs";

const emulator = useEmulator({ kyc: "immediate" });
const service = useFaultProxy(emulator);
const open = () => openProvider(service);

/** Lists show these fields only. */
const show = (...fields: string[]) => {
	service.rewrite = (text, method, path) => {
		const body = JSON.parse(text || "{}") as { data?: Values[] };
		if (method !== "GET" || !/\/(numbers|trunks|webhooks)(\?|$)/.test(path) || body.data === undefined) return text;
		const slim = body.data.map((item) => Object.fromEntries(fields.map((key) => [key, item[key]])));
		return JSON.stringify({ ...body, data: slim });
	};
};
beforeEach(() => show("id", "country", "type", "status"));

const declared: Readonly<Record<Kind, Values>> = {
	number: { label: "Desk", routing: { type: "agent", agentId: "a" }, releaseProtection: true },
	sipTrunk: { auth: digest, codecs: ["PCMA"], name: "Desk" },
	webhook: { description: "inbox" },
};

/** Four, so that they are read from the list. */
const names = ["a", "b", "c", "d"];
const made = (declare: typeof aNumber, args: Values) =>
	Promise.all(names.map((name) => create(handlerOf(open(), declare()), declare(args, name))));
/** Reads them in one run. */
const refreshed = async (name: Kind, objects: readonly { id: string; outs: Values }[]) => {
	const run = open();
	const reads = await Promise.all(objects.map(({ id, outs }) => run[name].read(id, outs)));
	return { props: reads.map(({ props }) => props), warnings: run.warnings };
};

test.each(kinds)(
	"a $noun has no drift right after up, and an edit is found",
	async ({ name, text, unset, declare }) => {
		const objects = await made(declare, declared[name]);
		const { props, warnings } = await refreshed(name, objects);
		expect(props).toEqual(objects.map(({ outs: { __provider: _, ...outs } }) => outs));
		expect(warnings).toEqual([]);
		emulator.edit(name, objects[0]?.id ?? "", { [text]: unset });
		const after = (await refreshed(name, objects)).props;
		const differ = objects.map(({ id }, n) =>
			differs(open(), { id, outs: after[n] ?? {} }, declare(declared[name], names[n])),
		);
		expect(await Promise.all(differ)).toEqual([true, false, false, false]);
	},
);

test("finds a dropped value that only single reads show, and clears it", async () => {
	service.rewrite = (text, _, path) => (/\?/.test(path) ? text.replaceAll(/"label":("[^"]*"|null),?/g, "") : text);
	const [first, ...others] = await made(aNumber, { label: "Desk" });
	emulator.control.faults.set({ operation: "patchNumber", every: true, status: 403 });
	const { error: _, ...left } = await failedUp(open(), aNumber({}, "a"), first);
	emulator.control.faults.clear();
	const [outs = {}] = (await refreshed("number", [left, ...others])).props;
	expect(outs.label).toBe("Desk");
	await updated(open(), { id: left.id, outs }, aNumber({}, "a"));
	expect(emulator.row(left.id)?.label).toBeNull();
});
