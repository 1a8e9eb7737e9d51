/** Another account whose small ids are this state's: each way in which its objects may look like this stack's. */
import { beforeEach, describe, expect, test } from "vitest";
import { InitError } from "../../../provider/lifecycle/resource";
import { formatReference } from "../../../provider/ownership/reference";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { dynamic, identity } from "../../helpers/claim-source";
import { eachRecord, showSmallIds, useFaultProxy } from "../../helpers/fault-proxy";
import { usePlainService } from "../../helpers/plain-service";
import {
	allGone,
	aNumber,
	aTrunk,
	aWebhook,
	create,
	type Name,
	openProvider,
	type Provider,
	type ProviderOptions,
} from "../../helpers/provider";
import type { Entry } from "../../helpers/runs";

const otherStack = formatReference(identity({}, dynamic.replace("dev", "prod")), "theirs");

interface Saved extends Entry {
	readonly name: Name;
	declare(args?: Values): Values;
}

/** Returns the codes of all that a run may do with the objects of a state. */
async function tried(open: () => Provider, state: readonly Saved[]) {
	const outcomes: unknown[] = [];
	const run = async (work: Promise<unknown>) =>
		outcomes.push(await work.then((result) => (result as Values | undefined)?.id ?? "done", codeOf));
	for (const [operation, work] of [
		["refresh", (run: Provider, { name, id, outs }: Saved) => run[name].read(id, outs)],
		["up", (run: Provider, { name, id, outs, declare }: Saved) => run[name].update(id, outs, declare({ label: "x" }))],
		["destroy", (run: Provider, { name, id, outs }: Saved) => run[name].delete(id, outs)],
	] as const) {
		void operation;
		const together = open();
		await Promise.all(state.map((saved) => run(work(together, saved))));
		// `--parallel 1` and `--target`: the run knows one object.
		for (const saved of state) await run(work(open(), saved));
	}
	return outcomes;
}

const codeOf = (error: unknown) => {
	const cause = error instanceof InitError ? error.cause : error;
	return (cause as { messageCode?: string }).messageCode ?? cause;
};

describe("numbers", () => {
	const right = usePlainService();
	const wrong = usePlainService();
	const numbers = ["a", "b"];

	/** Buys the numbers of the stack, then fills the other account with numbers of the same ids. */
	async function fill(ours: (index: number) => object, theirs: (index: number) => object): Promise<Saved[]> {
		let made = 0;
		right.fresh = () => ours(made++);
		const run = openProvider(right);
		const state: Saved[] = [];
		for (const name of numbers) {
			const declare = (args: Values = {}) => aNumber(args, name);
			state.push({ name: "number", declare, ...(await create(run.number, declare({ waitForActive: false }))) });
		}
		for (const index of state.keys()) {
			wrong.fresh = () => ({ status: "pending", ...theirs(index) });
			const body = JSON.stringify({ country: "NL", type: "mobile" });
			await fetch(`${wrong.url}/numbers`, { method: "POST", body, headers: { "idempotency-key": `theirs ${index}` } });
		}
		expect(wrong.rows.map(({ id }) => String(id))).toEqual(state.map(({ id }) => id));
		return state;
	}
	const e164 = (index: number) => `+3161234567${index}`;

	test.each<[string, (index: number) => object, (index: number) => object]>([
		["that lost every reference", () => ({ status: "pending", reference: null }), () => ({ reference: null })],
		["that another stack claims", () => ({ status: "pending", reference: null }), () => ({ reference: otherStack })],
		["that another tool claims", () => ({ status: "pending", reference: null }), () => ({ reference: "order 4711" })],
		["that show no E.164", (index) => ({ number: e164(index) }), () => ({})],
		[
			"that show no E.164 and no reference",
			(index) => ({ number: e164(index), reference: null }),
			() => ({ reference: null }),
		],
		["with other E.164s", (index) => ({ number: e164(index) }), (index) => ({ number: e164(index + 5) })],
		[
			"made at another time",
			() => ({ created_at: "2026-01-01T00:00:00Z" }),
			() => ({ created_at: "2026-01-02T00:00:00Z" }),
		],
	])("%s are left alone", async (_, ours, theirs) => {
		const state = await fill(ours, theirs);
		const before = structuredClone(wrong.rows);
		const outcomes = await tried(() => openProvider(wrong), state);
		expect(new Set(outcomes)).toEqual(new Set(["wrong-account"]));
		const run = openProvider(wrong);
		for (const { id, outs, declare } of state) await run.number.diff(id, outs, declare());
		expect(await create(run.number, aNumber({}, "third")).catch(codeOf)).toBe("wrong-account");
		await tried(() => openProvider(wrong, allGone), state);
		// `--replace` creates a resource that the state holds, on an account that the user has accepted by mistake.
		const accepted = openProvider(wrong, allGone);
		for (const { id, outs, declare } of state) await accepted.number.diff(id, outs, declare());
		await create(accepted.number, aNumber({ label: "replaced" }, numbers[0])).catch(codeOf);
		expect(wrong.rows.slice(0, before.length)).toEqual(before);
		const rightful = openProvider(right);
		for (const { id, outs } of state) expect((await rightful.number.read(id, outs)).id).toBe(id);
	});
});

describe("trunks and webhooks", () => {
	const right = useAccount();
	const wrong = useAccount();
	const here = useFaultProxy(right.emulator);
	const there = useFaultProxy(wrong.emulator);
	const through = (url: string, more: ProviderOptions = {}) => ({
		...more,
		env: { TELEPHONY_BASE_URL: url, ...more.env },
	});
	const open = (more?: ProviderOptions) => wrong.open(through(there.url, more));
	/** Shows the same domain for all trunks and no time, as some services do. */
	const vague = eachRecord(({ created_at: _, updated_at: __, ...record }) =>
		"sip_domain" in record ? { ...record, sip_domain: "sip.example.com" } : record,
	);
	beforeEach(() => {
		for (const proxy of [here, there]) {
			showSmallIds(proxy);
			const { rewrite } = proxy;
			proxy.rewrite = (text, method, path) =>
				text === "" ? text : JSON.stringify(vague(JSON.parse(rewrite(text, method, path))));
		}
	});

	const declarations = [
		["sipTrunk", aTrunk],
		["webhook", aWebhook],
	] as const;

	async function fill(reference: string | null): Promise<Saved[]> {
		const state: Saved[] = [];
		for (const [name, declare] of declarations) {
			state.push({ name, declare: () => declare(), ...(await create(right.open(through(here.url))[name], declare())) });
			const stranger = wrong.open(through(there.url, { place: "https://elsewhere.example" }));
			await create(stranger[name], declare({}, "theirs"));
			for (const { id } of wrong.emulator.rows(name)) wrong.emulator.edit(name, id, { reference });
		}
		expect(state.map(({ id }) => id)).toEqual(["1", "1"]);
		return state;
	}

	test.each([null, otherStack, "order 4711"])("with the reference %j are left alone", async (reference) => {
		const state = await fill(reference);
		const rows = () => declarations.map(([name]) => wrong.emulator.rows(name));
		const before = rows();
		expect(new Set(await tried(open, state))).toEqual(new Set(["wrong-account"]));
		const run = open();
		for (const { name, id, outs, declare } of state) await run[name].diff(id, outs, declare());
		expect(await create(run.number, aNumber()).catch(codeOf)).toBe("wrong-account");
		await tried(() => open(allGone), state);
		expect([rows(), wrong.live()]).toEqual([before, []]);
		const rightful = right.open(through(here.url));
		for (const { name, id, outs } of state) expect((await rightful[name].read(id, outs)).id).toBe(id);
	});
});
