/** The lifecycle that all kinds of objects share: requests, lookups, losses and warnings. */
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { freeKinds, kinds } from "../../helpers/kinds";
import { allGone, aNumber, checked, create, failureOf, openProvider, type Provider } from "../../helpers/provider";
import { refreshed, upAgain, updated } from "../../helpers/runs";

const { emulator, open, clock } = useAccount();
const proxy = useFaultProxy(emulator);
beforeEach(() => void emulator.control.settings({ acceptUnknownProfiles: true }));
const isLost = /\[telephony:(released|removed)-outside\]$/;

describe.each(kinds)("a $noun", ({ name, path, text, edit, buys, declare }) => {
	const made = () => create(open()[name], declare());

	test("costs a list and a POST to create, one read, and one DELETE", async () => {
		const { id, outs } = await made();
		// A number is claimed after its purchase.
		const claims = buys ? [`PATCH ${path}/${id}`] : [];
		expect(emulator.requests()).toEqual([`GET ${path}`, `POST ${path}`, ...claims]);
		const before = emulator.requests().length;
		const run = open();
		await run[name].read(id, outs);
		expect(emulator.requests(before)).toHaveLength(1);
		const edited = await updated(run, { id, outs }, declare(edit));
		expect((await run[name].read(id, edited.outs)).props, "read again after a write").toMatchObject(edit);
		await open()[name].delete(id, edited.outs);
		expect(emulator.writes(before)).toEqual([`PATCH ${path}/${id}`, `DELETE ${path}/${id}`]);
		expect(emulator.rows(name)).toEqual([]);
	});

	test.each([{}, { getById: false, reference: false }, { readLagMs: 1_000 }])(
		"is configured by a service whose PATCH returns no body: %j",
		async ({ readLagMs = 0, ...features }) => {
			emulator.control.settings({ features, readLagMs });
			proxy.plan = (_, method) => (method === "PATCH" ? { kind: "empty" } : undefined);
			const [run, later] = [openProvider(proxy, { clock }), openProvider(proxy, { clock })];
			const resource = await create(run[name], declare({ [text]: "a" }));
			const done = await upAgain(openProvider(proxy, { clock }), resource, declare({ [text]: "b" }));
			expect([done.outs[text], emulator.rows(name)[0]?.[text]]).toEqual(["b", "b"]);
			expect(await refreshed(later, done, declare({ [text]: "b" }))).toMatchObject({ changes: false });
			expect([...run.warnings, ...later.warnings]).toEqual([]);
		},
	);

	describe("that a program only reads", () => {
		const urn = { __resourceUrn: `${declare().__resourceUrn}-read` };
		/** Reads at a service that shows no status. */
		const statusless = (props: Values) => {
			proxy.rewrite = (body) => body.replace(/"status":"[a-z]+",?/g, "").replace(/,}/g, "}");
			return openProvider(proxy, { clock })[name].read(id, props);
		};
		let id = "";
		beforeEach(async () => {
			({ id } = await made());
		});

		test("shows an edit to the program's next read, and to no refresh", async () => {
			const { props = {}, inputs } = await open()[name].read(id, urn);
			expect({ inputs, token: props.token, status: props.status }).toEqual({ status: expect.any(String) });
			emulator.edit(name, id, { [text]: "edited" });
			const refresh = open();
			expect(await refresh[name].read(id, props)).toEqual({ id, props });
			expect(refresh.warnings).toEqual([]);
			expect((await open()[name].read(id, urn)).props).toMatchObject({ [text]: "edited" });
			const { status, ...rest } = (await statusless(urn)).props ?? {};
			emulator.edit(name, id, { [text]: "again" });
			expect((await statusless({ ...urn, ...rest })).props).toEqual({ ...urn, ...rest });
			expect((await statusless(urn)).props).toMatchObject({ [text]: "again" });
		});

		test("fails the program's next read after its deletion; a refresh warns", async () => {
			const { props = {} } = await open()[name].read(id, urn);
			emulator.remove(name, id);
			const error = await failureOf(open()[name].read(id, urn));
			expect(error).toMatchObject({
				kind: "NotFound",
				message: expect.stringContaining(id),
				cause: { kind: "NotFound" },
			});
			const refresh = open();
			const state: Values = { ...props, ...urn };
			expect(await refresh[name].read(id, state)).toEqual({ id, props: state });
			expect(refresh.warnings).toEqual([expect.stringMatching(`${id}.*\\[telephony:not-found\\]$`)]);
			expect(refresh.warnings[0]).not.toContain("undefined");
			if (buys) expect(refresh.warnings[0]).toContain(String(props.phoneNumber));
		});
	});

	describe("that was deleted", () => {
		test("is lost to a refresh, and can't be updated, beside one that is there", async () => {
			const [{ id, outs }, second] = [await made(), await create(open()[name], declare({}, "other"))];
			/** A run that finds the other one. */
			const run = async () => {
				const next = open();
				await next[name].read(second.id, second.outs);
				return next;
			};
			emulator.remove(name, id);
			const refresh = await run();
			expect(await refresh[name].read(id, outs)).toEqual({});
			expect(refresh.warnings).toEqual([expect.stringMatching(isLost)]);
			expect(refresh.warnings.join()).toContain(id);
			expect(refresh.warnings.join()).not.toMatch(/undefined|`adopt`/);
			await (await run())[name].delete(id, outs);
			const error = await failureOf(open()[name].update(id, outs, declare()));
			expect(error).toMatchObject({ kind: "NotFound", stack: error.message });
			await open()[name].delete(second.id, second.outs);
			await open(allGone)[name].delete(second.id, second.outs);
			expect(emulator.writes().filter((write) => write.startsWith("DELETE"))).toHaveLength(1);
		});
	});

	test.each([declare().__resourceUrn, undefined])(
		"warns at the resource of the state alone: %s",
		async (__resourceUrn) => {
			const { id, outs } = await made();
			const warned: unknown[] = [];
			const warns = async (work: (handler: Provider[typeof name], state: Values) => Promise<unknown>) => {
				const run = open(allGone);
				const warn = vi.spyOn(run.session.progress, "warn");
				await work(run[name], { ...outs, __resourceUrn });
				for (const [urn, code] of warn.mock.calls) warned.push([urn, code]);
			};
			emulator.edit(name, id, { reference: null });
			await warns((handler, state) => handler.read(id, state));
			emulator.edit(name, id, { reference: "another.token.another-state.lease~theirs/prod" });
			await warns((handler, state) => handler.read(id, state));
			await warns((handler, state) => handler.delete(id, state));
			emulator.remove(name, id);
			await warns((handler, state) => handler.read(id, state));
			await warns((handler) => handler.read(id, { status: "active", __resourceUrn }));
			const codes = [
				"reference-cleared",
				"claimed",
				"claimed",
				buys ? "released-outside" : "removed-outside",
				"not-found",
			];
			expect(warned).toEqual(codes.map((code) => [__resourceUrn ?? "", code]));
		},
	);
});

describe.each(freeKinds)("a $noun, which costs nothing,", ({ name, declare, like }) => {
	test.each([{ reference: false }, { idempotencyKey: false }])(
		"is created beside a matching one without a warning: %j",
		async (features) => {
			await create(open()[name], declare({}, "first"));
			emulator.control.settings({ features });
			const run = open();
			await create(run[name], declare(like("first"), "second"));
			expect({ warnings: run.warnings, count: emulator.rows(name).length }).toEqual({ warnings: [], count: 2 });
		},
	);
});

describe("a number that has ended", () => {
	test("is refused by update, import and lookup", async () => {
		emulator.control.settings({ softDelete: true });
		const { id, outs } = await create(open().number, aNumber());
		emulator.control.deleteNumber(id);
		const inputs = await checked(open().number, aNumber());
		for (const refused of [
			() => open().number.update(id, outs, inputs),
			() => open().number.import?.(id, { __resourceUrn: outs.__resourceUrn }) ?? Promise.resolve(),
			() => open().number.read(id, {}),
		])
			expect(await failureOf(refused())).toMatchObject({ kind: "NotFound", text: expect.stringContaining(id) });
	});
});
