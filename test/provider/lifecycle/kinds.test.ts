/** What holds of every kind of object: how it begins, is read, looked up and ends, and how many requests that costs. */
import { describe, expect, test } from "vitest";
import { nextStep } from "../../../provider/api/errors";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { freeKinds, kinds } from "../../helpers/kinds";
import { allGone, aNumber, checked, create, failureOf, openProvider } from "../../helpers/provider";
import { refreshed, upAgain, updated } from "../../helpers/runs";

const { emulator, open, clock } = useAccount();
const proxy = useFaultProxy(emulator);

describe.each(kinds)("a $noun", ({ name, noun, path, text, edit, buys, declare }) => {
	const ids = () => emulator.rows(name).map(({ id }) => id);

	test("is made after a look, read by one request, and deleted by one after a look", async () => {
		const { id, outs } = await create(open()[name], declare());
		// A number is claimed by a request of its own.
		const claims = buys ? [`PATCH ${path}/${id}`] : [];
		expect(emulator.requests()).toEqual([`GET ${path}`, `POST ${path}`, ...claims]);
		const before = emulator.requests().length;
		await open()[name].read(id, outs);
		expect(emulator.requests(before)).toHaveLength(1);
		await open()[name].delete(id, outs);
		expect(emulator.writes(before)).toEqual([`DELETE ${path}/${id}`]);
		expect(ids()).toEqual([]);
	});

	test("that was written is read again in the same run", async () => {
		const { id, outs } = await create(open()[name], declare());
		const run = open();
		await run[name].read(id, outs);
		const edited = await updated(run, { id, outs }, declare(edit));
		expect((await run[name].read(id, edited.outs)).props).toMatchObject(edit);
	});

	test("is kept by the delete of a replacement, with a word, as this program still declares it", async () => {
		const { id, outs } = await create(open()[name], declare());
		for (const isFirst of [true, false]) {
			const run = open();
			const inputs = await checked(run[name], declare());
			if (!isFirst) expect((await run[name].create(inputs)).id).toBe(id);
			const before = run.warnings.length;
			await run[name].delete(id, outs);
			expect(run.warnings.slice(before)).toEqual([expect.stringMatching(`${id}.*\\[telephony:kept\\]$`)]);
			expect(ids()).toEqual([id]);
		}
	});

	test.each([{}, { getById: false }, { getById: false, reference: false }, { readLagMs: 1_000 }])(
		"is configured all the same by a service that answers a PATCH with 204 and no body: %j",
		async ({ readLagMs = 0, ...features }) => {
			emulator.control.settings({ features, readLagMs });
			proxy.plan = (_, method) => (method === "PATCH" ? { kind: "empty" } : undefined);
			const silent = () => openProvider(proxy, { clock });
			const run = silent();
			const made = await create(run[name], declare({ [text]: "a" }));
			const done = await upAgain(silent(), made, declare({ [text]: "b" }));
			expect(done.outs[text]).toBe("b");
			expect(emulator.rows(name)).toMatchObject([{ id: made.id, [text]: "b" }]);
			const later = silent();
			expect(await refreshed(later, done, declare({ [text]: "b" }))).toMatchObject({ changes: false });
			expect([...run.warnings, ...later.warnings]).toEqual([]);
		},
	);

	describe("that a program only reads", () => {
		const urn = { resourceUrn: `${declare().resourceUrn}-read` };

		test("shows an edit to the program's next read, and to no refresh", async () => {
			const { id } = await create(open()[name], declare());
			const { props = {} } = await open()[name].read(id, urn);
			expect(props.status).toBeDefined();
			emulator.edit(name, id, { [text]: "edited" });
			const refresh = open();
			expect(await refresh[name].read(id, props)).toEqual({ id, props });
			expect(refresh.warnings).toEqual([]);
			expect((await open()[name].read(id, urn)).props).toMatchObject({ [text]: "edited" });
		});

		test("is the same to a refresh if the service shows no status", async () => {
			proxy.rewrite = (body) => body.replace(/"status":"[a-z]+",?/g, "").replace(/,}/g, "}");
			const { id } = await create(open()[name], declare());
			const read = (props: Values) => openProvider(proxy, { clock })[name].read(id, props);
			const { status, ...props } = (await read(urn)).props ?? {};
			emulator.edit(name, id, { [text]: "edited" });
			expect((await read({ ...urn, ...props })).props).toEqual({ ...urn, ...props });
			expect((await read(urn)).props).toMatchObject({ [text]: "edited" });
			emulator.remove(name, id);
			expect(await read({ ...urn, ...props })).toMatchObject({ id });
			expect((await failureOf(read(urn))).kind).toBe("NotFound");
		});

		test("has live values and no inputs, and is nobody's", async () => {
			const { id } = await create(open()[name], declare());
			const read = await open()[name].read(id, {});
			expect(JSON.parse(JSON.stringify(read))).toStrictEqual(read);
			expect(read.inputs).toBeUndefined();
			expect(read.props).not.toHaveProperty("token");
		});

		test("that is gone fails the program's next read, and a refresh only warns", async () => {
			const { id } = await create(open()[name], declare());
			const { props = {} } = await open()[name].read(id, urn);
			emulator.remove(name, id);
			const error = await failureOf(open()[name].read(id, urn));
			expect(error).toMatchObject({ kind: "NotFound", message: expect.stringContaining(id) });
			expect(error.message).toContain("`.get`");
			expect(error.cause).toMatchObject({ kind: "NotFound" });
			const refresh = open();
			const state: Values = { ...props, ...urn };
			expect(await refresh[name].read(id, state)).toEqual({ id, props: state });
			const shown = buys ? `number ${String(props.phoneNumber).replace("+", "\\+")} \\(${id}\\)` : `${noun} ${id}`;
			expect(refresh.warnings).toEqual([expect.stringMatching(`${shown},.*\\[telephony:not-found\\]$`)]);
		});
	});

	describe("that is gone", () => {
		/** Two of one state, of which one is there to be found. */
		const pair = async () => {
			const first = open();
			const [one, other] = [await create(first[name], declare()), await create(first[name], declare({}, "other"))];
			/** A run that finds the other one. */
			const run = async () => {
				const next = open();
				expect((await next[name].read(other.id, other.outs)).id).toBe(other.id);
				return next;
			};
			return { ...one, run };
		};

		test("is named by refresh, is as well as deleted, and can't be updated, beside one that is there", async () => {
			const { id, outs, run } = await pair();
			emulator.remove(name, id);
			const refresh = await run();
			expect(await refresh[name].read(id, outs)).toEqual({});
			expect(refresh.warnings).toEqual([
				expect.stringMatching(`${id}.*\\. \\[telephony:(released|removed)-outside\\]$`),
			]);
			expect(refresh.warnings.join()).not.toMatch(/undefined|`adopt`/);
			await (await run())[name].delete(id, outs);
			const error = await failureOf(open()[name].update(id, outs, declare()));
			expect(error).toMatchObject({ kind: "NotFound", stack: error.message });
			expect(error.message).toContain("pulumi refresh");
			// Somebody else's object that is only looked up is not "gone" but not there.
			expect((await failureOf(open()[name].read(id, {}))).kind).toBe("NotFound");
		});

		test("is deleted once, however often that is asked, beside one that is there", async () => {
			const { id, outs, run } = await pair();
			await open()[name].delete(id, outs);
			await (await run())[name].delete(id, outs);
			expect(await (await run())[name].read(id, outs)).toEqual({});
			expect(emulator.writes().filter((each) => each.startsWith("DELETE"))).toHaveLength(1);
		});

		test("and is all the state has, is believed to be where something says so: a list, or the user", async () => {
			const { id, outs } = await create(open()[name], declare());
			emulator.remove(name, id);
			const settled = { read: {}, delete: undefined };
			const asked = async (how: "read" | "delete", options = {}) =>
				open(options)
					[name][how](id, outs)
					.catch(({ kind, messageCode }) => ({ kind, messageCode }));
			for (const how of ["read", "delete"] as const) {
				// Of what isn't bought no list shows which are gone.
				expect(await asked(how)).toEqual(buys ? settled[how] : { kind: "Config", messageCode: "wrong-account" });
				expect(await asked(how, allGone)).toEqual(settled[how]);
			}
		});

		test("is not told of one whose service is at another address, or away, or refuses the key", async () => {
			const { id, outs } = await create(open()[name], declare());
			const { url, apiKey } = emulator;
			for (const [service, kinds] of [
				[{ url: url.replace("/v1", "/v2"), apiKey }, ["Config", "Config"]],
				[{ url: "http://127.0.0.1:1/v1", apiKey: "k" }, ["Unavailable", "Unavailable"]],
				[{ url, apiKey: "no" }, ["Unauthorized", "Unauthorized"]],
			] as const) {
				const run = openProvider(service);
				const errors = [await failureOf(run[name].read(id, outs)), await failureOf(run[name].delete(id, outs))];
				expect(errors.map(({ kind }) => kind)).toEqual(kinds);
				for (const error of errors) expect(error.stack, "no stack is shown").toBe(error.message);
			}
		});
	});
});

describe.each(freeKinds)("a $noun, which costs nothing,", ({ name, text, unset, declare, like, unlike }) => {
	const ids = () => emulator.rows(name).map(({ id }) => id);

	test("loses what an interrupted run had declared, and this one doesn't", async () => {
		await create(open()[name], declare({ [text]: "old" }));
		await create(open()[name], declare());
		expect(emulator.rows(name)).toMatchObject([{ [text]: unset }]);
	});

	test.each([{ reference: false }, { idempotencyKey: false }])(
		"is made beside a like one without a word where the service can tell whose that is: without %j",
		async (features) => {
			await create(open()[name], declare({}, "first"));
			emulator.control.settings({ features });
			const run = open();
			await create(run[name], declare(like("first"), "second"));
			expect({ warnings: run.warnings, count: ids().length }).toEqual({ warnings: [], count: 2 });
		},
	);

	describe("at a service without keys and references", () => {
		const neither = { features: { idempotencyKey: false, reference: false } };

		test("is made beside one that an interrupted run may have left, which is named", async () => {
			emulator.control.settings(neither);
			const left = await create(open()[name], declare());
			const run = open();
			const { id } = await create(run[name], declare());
			expect(id).not.toBe(left.id);
			expect(run.warnings).toEqual([expect.stringMatching(`${left.id}.*\\[telephony:duplicate\\]$`)]);
			expect(run.warnings[0]).not.toContain(id);
		});

		test("is made without a word beside one that this program has, or that is another one", async () => {
			emulator.control.settings(neither);
			const first = await create(open()[name], declare({}, "first"));
			const run = open();
			await create(run[name], declare(unlike, "other"));
			await run[name].read(first.id, first.outs);
			await create(run[name], declare(like("first"), "twin"));
			expect(run.warnings).toEqual([]);
		});
	});
});

test("a number that has ended, and that the service shows still, is changed, looked up and imported no more", async () => {
	emulator.control.settings({ softDelete: true });
	const { id, outs } = await create(open().number, aNumber());
	emulator.control.deleteNumber(id);
	const inputs = await checked(open().number, aNumber());
	for (const refused of [
		() => open().number.update(id, outs, inputs),
		() => open().number.import?.(id, { resourceUrn: outs.resourceUrn }) ?? Promise.resolve(),
		() => open().number.read(id, {}),
	]) {
		const { kind, text } = await failureOf(refused());
		expect({ kind, text }).toEqual({
			kind: "NotFound",
			text: expect.stringMatching(`${id}\\) \\(released\\).* removed`),
		});
	}
	expect((await failureOf(open().number.update(id, outs, inputs))).message).toContain(nextStep("NotFound"));
});

test("a number whose time for KYC has run out is lost, and the warning says so", async () => {
	emulator.control.kyc("manual");
	const german = aNumber({ country: "DE", type: "geographic", area: "30", waitForActive: false });
	const { id, outs } = await create(open().number, german);
	emulator.control.decide(id, "expire");
	const run = open();
	expect(await run.number.read(id, outs)).toEqual({});
	expect(run.warnings).toEqual([expect.stringMatching(`${id}.*\\[telephony:number-failed\\]$`)]);
});
