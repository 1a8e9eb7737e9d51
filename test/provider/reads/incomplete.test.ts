/** A service whose lists show one page and no cursor, though more follows. */
import { beforeEach, describe, expect, test } from "vitest";
import { isIncomplete } from "../../../provider/api/paging";
import { useEmulator } from "../../helpers/emulator";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { kinds } from "../../helpers/kinds";
import { aNumber, create, failureOf, openProvider } from "../../helpers/provider";
import { handlerOf, refreshed } from "../../helpers/runs";

const emulator = useEmulator({ kyc: "immediate" });
const service = useFaultProxy(emulator);
const open = (env = {}) => openProvider(service, { env });
const posts = () => emulator.writes().filter((each) => each.startsWith("POST")).length;

/** Lists show the first item only, and say that more follows. */
const cut = () => {
	service.rewrite = (text, method, path) => {
		const { data, next_cursor: _, ...body } = JSON.parse(text || "{}") as { data?: unknown[]; next_cursor?: unknown };
		if (method !== "GET" || data === undefined || path.includes("status=released")) return text;
		return JSON.stringify({ ...body, data: data.slice(0, 1), has_more: true });
	};
};
beforeEach(cut);
const names = ["a", "b", "c", "d", "e"];
const make = async (declare: typeof aNumber) => {
	service.rewrite = (text) => text;
	const objects = [];
	for (const name of names) objects.push(await create(handlerOf(open(), declare()), declare({}, name)));
	cut();
	return objects;
};

describe.each(kinds)("a $noun", ({ name, declare }) => {
	test("isn't created, also if the state was lost", async () => {
		expect(isIncomplete(await failureOf(create(open()[name], declare())))).toBe(true);
		expect(posts()).toBe(0);
		await make(declare);
		const before = posts();
		expect(isIncomplete(await failureOf(create(open()[name], declare({}, "b"))))).toBe(true);
		expect(posts()).toBe(before);
	});

	test("is read alone if the page doesn't show it", async () => {
		const objects = await make(declare);
		const run = open();
		const reads = await Promise.all(objects.map((each, n) => refreshed(run, each, declare({}, names[n]))));
		expect(reads.map(({ id, changes }) => [id, changes])).toEqual(objects.map(({ id }) => [id, false]));
	});
});

test("keeps a number in the state if only the list could show it", async () => {
	const [, second = { id: "", outs: {} }] = await make(aNumber);
	const run = open({ TELEPHONY_FEATURES: "-getById" });
	expect(isIncomplete(await failureOf(run.number.read(second.id, second.outs)))).toBe(true);
});
