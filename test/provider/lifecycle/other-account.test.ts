/** Another account: its ids may be this state's, and one object of this state on it doesn't prove it. */
import { beforeEach, describe, expect, test } from "vitest";
import { type Handler, InitError } from "../../../provider/lifecycle/resource";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { allKinds } from "../../helpers/kinds";
import {
	allGone,
	aNumber,
	aPool,
	create,
	declaration,
	failureOf,
	type Provider,
	type ProviderOptions,
} from "../../helpers/provider";
import type { ResourceState } from "../../helpers/runs";

const hour = 3_600_000;
const day = 24 * hour;
const right = useAccount();
const wrong = useAccount();
const stranger: ProviderOptions = { place: "https://elsewhere.example" };
/** Advances the time of both accounts, and of the runs on them. */
const wait = (ms: number) => Promise.all([right, wrong].map(({ clock }) => clock.sleep(ms)));
beforeEach(() => wrong.clock.sleep(30 * day));

const codes = async (works: readonly Promise<unknown>[]) =>
	(await Promise.all(works.map(failureOf))).map(({ messageCode }) => messageCode);
const wrongOf = <T>(works: readonly T[]) => works.map(() => "wrong-account");
/** The provider doesn't know the requirements of this country. A profile without documents stays a draft. */
const valid = (name: string): Values => (name === "kycProfile" ? { country: "US" } : {});
const made = (handler: Handler, inputs: Values): Promise<ResourceState> =>
	create(handler, inputs).catch((error: unknown) => {
		if (error instanceof InitError) return { id: error.id, outs: error.properties };
		throw error;
	});

describe.each([
	["with", []],
	["without", ["reference"]],
])("on an account with the same ids, %s references", (_, missing) => {
	beforeEach(() => {
		for (const account of [right, wrong]) account.off(...missing);
	});

	test.each(allKinds)("changes no $noun and keeps the state", async ({ name, declare }) => {
		const { outs } = await made(right.open()[name], declare(valid(name)));
		const { id } = await made(wrong.open(stranger)[name], declare(valid(name), "theirs"));
		const before = wrong.emulator.writes();
		const run = wrong.open();
		const failed = await codes([
			run[name].read(id, outs),
			run[name].update(id, outs, declare()),
			run[name].delete(id, outs),
		]);
		expect(failed).toEqual(wrongOf(failed));
		expect(wrong.emulator.writes()).toEqual(before);
	});

	test("changes no number of a pool and buys none", async () => {
		const { id, outs } = await create(right.open().numberPool, aPool());
		const theirs = await create(wrong.open(stranger).numberPool, aPool({}, "theirs"));
		const idsIn = (pool: Values) => (pool.members as { id: string }[]).map((member) => member.id);
		const ids = idsIn(theirs.outs);
		const renumber = (values: unknown) =>
			(values as { id: string }[]).map((value, index) => ({ ...value, id: ids[index] }));
		const state = { ...outs, members: renumber(outs.members), numbers: renumber(outs.numbers) };
		const before = wrong.emulator.writes();
		const { numberPool } = wrong.open();
		expect(await codes([numberPool.read(id, state)])).toEqual(["wrong-account"]);
		const error = await failureOf(
			numberPool.delete(id, state).catch((reason) => Promise.reject(reason.cause ?? reason)),
		);
		expect(error.messageCode).toBe("wrong-account");
		expect(wrong.emulator.writes()).toEqual(before);
	});

	test.each(["pinned", "unpinned"])("finds no number of an Activation deleted: %s", async (how) => {
		const made = await create(right.open().number, aNumber());
		const fleet = await create(right.open().activation, declaration("Activation", "fleet", { numberIds: [made.id] }));
		await create(wrong.open(stranger).number, aNumber({}, "theirs"));
		const { account } = right.emulator.control.state();
		const config = { ...(how === "pinned" && { "telephony:account": account.id }) };
		expect(await codes([wrong.open({ config }).activation.read(fleet.id, fleet.outs)])).toEqual(["wrong-account"]);
		const { props } = await right.open().activation.read(fleet.id, fleet.outs);
		expect(props?.numbers).toEqual(fleet.outs.numbers);
	});

	test("buys and creates nothing", async () => {
		const { outs } = await create(right.open().number, aNumber());
		const { id } = await create(wrong.open(stranger).number, aNumber({}, "theirs"));
		const before = wrong.emulator.writes();
		for (const { name, declare } of allKinds) {
			const run = wrong.open();
			await run.number.diff(id, outs, aNumber());
			expect(await codes([create(run[name], declare(valid(name), "second"))])).toEqual(["wrong-account"]);
		}
		expect(wrong.emulator.writes()).toEqual(before);
	});
});

describe("the numbers of a stack that shrank", () => {
	/** Buys numbers, an hour apart. */
	const bought = async (names: readonly string[]) => {
		const made: ResourceState[] = [];
		// Without references, only the run knows which numbers are its own.
		const run = right.open();
		for (const name of names) {
			made.push(await create(run.number, aNumber({}, name)));
			await wait(hour);
		}
		return made;
	};
	/** Refreshes all numbers in one run. Returns `found`, `lost`, or the code of the error. */
	const refreshAll = async (run: Provider, state: readonly ResourceState[]) =>
		Promise.all(
			state.map(({ id, outs }) =>
				run.number.read(id, outs).then(
					(read) => (read.id === undefined ? "lost" : "found"),
					(error) => error.messageCode,
				),
			),
		);
	const remove = async (state: readonly { id: string }[]) => {
		for (const { id } of state) right.emulator.remove("number", id);
		await wait(day);
	};

	test("stay until the user accepts it if only the youngest is found", async () => {
		right.off("statusFilter");
		const state = await bought(["a", "b", "c", "d"]);
		await remove(state.slice(0, 3));
		const expected = [...wrongOf(state.slice(1)), "found"];
		expect(await refreshAll(right.open(), state)).toEqual(expected);
		expect(await refreshAll(right.open(allGone), state)).toEqual(["lost", "lost", "lost", "found"]);
	});

	test("are found lost if the account lists them as released", async () => {
		const state = await bought(["a", "b", "c", "d"]);
		await remove(state);
		expect(await refreshAll(right.open(), state)).toEqual(["lost", "lost", "lost", "lost"]);
	});
});
