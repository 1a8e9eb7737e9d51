/** Where each warning is told: at the resource whose entry it is of, or at none where the entry names none. */
import { describe, expect, test, vi } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useEmulator } from "../../helpers/emulator";
import { freeKinds, type Kind, kinds, secretKinds } from "../../helpers/kinds";
import { allGone, checked, create, openProvider, type Provider, type ProviderOptions } from "../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
const theirs = "another.token.another-state.lease~theirs/prod";

interface Story {
	readonly code: string;
	readonly of?: readonly Kind[];
	readonly options?: ProviderOptions;
	/** Leads there, and returns what warns. `at` puts the URN of this round into values. */
	lead(kind: Kind, at: (values: Values) => Values): Promise<(run: Provider) => Promise<unknown>>;
}

/** One whose reference was changed since, and what asks for it then. */
const referred =
	(reference: string | null, how: "read" | "delete"): Story["lead"] =>
	async ({ name, declare }, at) => {
		const { id, outs } = await create(openProvider(emulator)[name], declare());
		emulator.edit(name, id, { reference });
		return (run) => run[name][how](id, at(outs));
	};

const stories: readonly Story[] = [
	{ code: "reference-cleared", lead: referred(null, "read") },
	{ code: "claimed", lead: referred(theirs, "delete") },
	{
		code: "(removed|released)-outside",
		options: allGone,
		lead: async ({ name, declare }, at) => {
			const { id, outs } = await create(openProvider(emulator)[name], declare());
			emulator.remove(name, id);
			return (run) => run[name].read(id, at(outs));
		},
	},
	{
		code: "not-found",
		lead: async ({ name }, at) => {
			return (run) => run[name].read("none_such", at({ status: "active" }));
		},
	},
	{
		code: "kept",
		lead: async ({ name, declare }, at) => {
			const { id, outs } = await create(openProvider(emulator)[name], declare());
			return async (run) => {
				await checked(run[name], declare());
				await run[name].delete(id, at(outs));
			};
		},
	},
	{
		code: "kept",
		lead: async ({ name, path, byHand, declare }, at) => {
			const { id: adopt } = (await emulator.call("POST", path, byHand)).body;
			const { id, outs } = await create(openProvider(emulator)[name], declare({ adopt }));
			return (run) => run[name].delete(id, at(outs));
		},
	},
	{
		code: "taken-over",
		of: kinds.filter(({ buys }) => buys),
		lead: async ({ name, declare }, at) => {
			const inputs = at(await checked(openProvider(emulator)[name], declare()));
			await openProvider(emulator)[name].create(inputs);
			return (run) => run[name].create(inputs);
		},
	},
	{
		code: "another-state",
		lead: async ({ name, declare }, at) => {
			const { id } = await openProvider(emulator)[name].create(
				at(await checked(openProvider(emulator)[name], declare())),
			);
			return async (run) => run[name].import?.(id, at({ resourceUrn: declare().resourceUrn }));
		},
	},
	{
		code: "duplicate",
		of: freeKinds,
		lead: async ({ name, declare }, at) => {
			emulator.control.settings({ features: { idempotencyKey: false, reference: false } });
			const inputs = at(await checked(openProvider(emulator)[name], declare()));
			await openProvider(emulator)[name].create(inputs);
			return (run) => run[name].create(inputs);
		},
	},
	{
		code: "secret-replaced",
		of: secretKinds,
		lead: async ({ name, path, secret }, at) => {
			const { id, outs } = await create(openProvider(emulator)[name], secret?.declare() ?? {});
			// One that is made in the millisecond of the old one has the same time.
			await new Promise((resolve) => setTimeout(resolve, 2));
			await emulator.call("POST", `${path}/${id}/${secret?.path}`);
			return (run) => run[name].read(id, at(outs));
		},
	},
];

describe.each(stories)("the warning $code", ({ code, of = kinds, options = {}, lead }) => {
	test.each(of)("of a $noun is told there, and nowhere else", async (kind) => {
		for (const resourceUrn of [kind.declare().resourceUrn, undefined]) {
			emulator.control.reset();
			const warns = await lead(kind, (values) => ({ ...values, resourceUrn }));
			const run = openProvider(emulator, options);
			const warn = vi.spyOn(run.session.progress, "warn");
			await warns(run);
			const told = warn.mock.calls.map(([urn, told]) => [urn, told]);
			expect(told).toEqual([[resourceUrn ?? "", expect.stringMatching(new RegExp(`^${code}$`))]]);
		}
	});
});
