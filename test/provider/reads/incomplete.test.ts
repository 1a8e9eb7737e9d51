/** A service whose lists show one page and no cursor, though more follows. */
import { beforeEach, describe, expect, test } from "vitest";
import { isIncomplete } from "../../../provider/api/paging";
import type { Values } from "../../../provider/properties/table";
import { type Kind, useEmulator } from "../../helpers/emulator";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { kinds } from "../../helpers/kinds";
import { aNumber, create, failureOf, openProvider } from "../../helpers/provider";
import { handlerOf, refreshed } from "../../helpers/runs";

const emulator = useEmulator({ kyc: "immediate" });
const service = useFaultProxy(emulator);
const open = () => openProvider(service);
const posts = () => emulator.control.requests().filter(({ method }) => method === "POST").length;

/** Lists show the first items only, and say that more follows. */
const cut = (shown: number) => {
	service.rewrite = (text, method, path) => {
		const { data, next_cursor: _, ...body } = JSON.parse(text || "{}") as { data?: Values[]; next_cursor?: unknown };
		if (method !== "GET" || data === undefined || path.includes("status=released")) return text;
		return JSON.stringify({ ...body, data: data.slice(0, shown), has_more: true });
	};
};
beforeEach(() => cut(1));

describe.each(kinds)("of each $noun", ({ name, declare }: { name: Kind; declare: typeof aNumber }) => {
	const made = async (names: readonly string[]) => {
		service.rewrite = (text) => text;
		const objects = [];
		for (const each of names) objects.push(await create(handlerOf(open(), declare()), declare({}, each)));
		cut(1);
		return objects;
	};

	test("nothing is created", async () => {
		const before = posts();
		expect(isIncomplete(await failureOf(create(open()[name], declare())))).toBe(true);
		expect(posts()).toBe(before);
	});

	test("a lost state doesn't create anything again", async () => {
		await made(["a", "b"]);
		const before = posts();
		expect(isIncomplete(await failureOf(create(open()[name], declare({}, "b"))))).toBe(true);
		expect(posts()).toBe(before);
	});

	test("objects that the page doesn't show are read alone", async () => {
		const names = ["a", "b", "c", "d", "e"];
		const objects = await made(names);
		const run = open();
		const reads = objects.map((object, index) => refreshed(run, object, declare({}, names[index])));
		const ids = (await Promise.all(reads)).map(({ id, changes }) => [id, changes]);
		expect(ids).toEqual(objects.map(({ id }) => [id, false]));
	});
});

test("a number is no less there if only the list could show it", async () => {
	service.rewrite = (text) => text;
	const [, second] = [await create(open().number, aNumber({}, "a")), await create(open().number, aNumber({}, "b"))];
	cut(1);
	const run = openProvider(service, { env: { TELEPHONY_FEATURES: "-getById" } });
	expect(isIncomplete(await failureOf(run.number.read(second.id, second.outs)))).toBe(true);
});
