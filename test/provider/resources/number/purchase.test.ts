import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { Values } from "../../../../provider/properties/table";
import { FakeClock } from "../../../helpers/clock";
import { useEmulator } from "../../../helpers/emulator";
import { type Fault, useFaultProxy } from "../../../helpers/fault-proxy";
import { kinds, secretIn } from "../../../helpers/kinds";
import {
	aNumber,
	checked,
	create,
	failureOf,
	initErrorOf,
	openProvider,
	type Provider,
} from "../../../helpers/provider";
import { type Entry, refreshed, type State, up, urnOf } from "../../../helpers/runs";

const emulator = useEmulator();
const { live, purchases } = emulator;
const proxy = useFaultProxy(emulator);

const fault: fc.Arbitrary<Fault | undefined> = fc.oneof(
	fc.constant(undefined),
	fc.constantFrom<Fault>({ kind: "lost" }, { kind: "unanswered" }, { kind: "cut" }),
	fc.record({
		kind: fc.constant("refused" as const),
		status: fc.constantFrom(429 as const, 503 as const),
		retryAfter: fc.constantFrom("3", "600"),
	}),
	fc.record({
		kind: fc.constantFrom("refused" as const, "replaced" as const),
		status: fc.constantFrom(500 as const, 503 as const),
	}),
);
const faults = fc.array(fault, { maxLength: 14 });

// One for all, as what a service asked for (quiet, say) holds for all that follows.
const clock = new FakeClock();
beforeEach(() => clock.sleep(3_600_000));
const open = () => openProvider(proxy, { clock });

/** `up` again and again, each in a new process, until it succeeds. */
async function upUntilDone(news: Values) {
	const state: State = new Map();
	let errors: Error[] = [];
	for (let run = 0; run < 30; run++) {
		errors = await up(open(), state, [news]);
		if (errors.length === 0) return state.get(urnOf(news)) as Entry;
		await clock.sleep(600_000);
	}
	throw new Error("no run succeeded", { cause: errors.at(-1) });
}

describe("whatever fails on the way", () => {
	test.each(kinds)("one $noun is made, configured and claimed, and its secret is known", ({ name, secret, ...kind }) =>
		fc.assert(
			fc.asyncProperty(faults, async (planned) => {
				emulator.control.reset();
				await clock.sleep(600_000);
				proxy.plan = () => planned.shift();
				const news = (secret ?? kind).declare({ [kind.text]: "front desk" });
				const made = await upUntilDone(news);
				expect(emulator.rows(name)).toMatchObject([{ id: made.id, [kind.text]: "front desk" }]);
				if (kind.buys) expect(purchases()).toHaveLength(1);
				if (secret) expect(secretIn(emulator.row(made.id))).toBe(made.outs[secret.output]);
				expect(await refreshed(openProvider(emulator), made, news)).toMatchObject({ changes: false });
			}),
			{ numRuns: kind.buys ? 60 : 40 },
		),
	);
});

/** Only the nth request of a kind. */
const onlyThe = (nth: number, wanted: string, what: Fault) => {
	let seen = 0;
	proxy.plan = (_, method) => (method === wanted && seen++ === nth ? what : undefined);
};
const everyPost = (what: Fault) => {
	proxy.plan = (_, method) => (method === "POST" ? what : undefined);
};

describe("a purchase of which nobody knows", () => {
	test("is never taken from somebody else who bought the like meanwhile, where keys count", async () => {
		proxy.plan = (_, method) => {
			if (method !== "POST") return undefined;
			if (purchases().length === 0) void emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
			return { kind: "lost" };
		};
		const error = await failureOf(create(open().number, aNumber()));
		expect(error.kind).toBe("OutcomeUnknown");
		expect(error.message).toContain("Run `pulumi up` again");
		expect(live()).toMatchObject([{ reference: null }]);
		proxy.plan = () => undefined;
		await create(open().number, aNumber());
		expect(purchases()).toHaveLength(2);
	});

	test("is found under its key by the next run", async () => {
		everyPost({ kind: "unanswered" });
		await failureOf(create(open().number, aNumber()));
		proxy.plan = () => undefined;
		const { id } = await create(open().number, aNumber());
		expect(live().map((row) => row.id)).toEqual([id]);
		expect(purchases()).toHaveLength(1);
	});

	test("is found in the list when the answer names no number", async () => {
		emulator.control.settings({ purchaseId: false });
		const { id } = await create(open().number, aNumber({ label: "x" }));
		expect(live()).toMatchObject([{ id, label: "x" }]);
	});

	test("is found in the list when the answer fits no contract", async () => {
		everyPost({ kind: "garbled" });
		const { id } = await create(open().number, aNumber({ label: "x" }));
		expect(live()).toMatchObject([{ id, label: "x" }]);
		expect(purchases()).toHaveLength(1);
	});

	test("is known again under its key, though the service doesn't say that it has answered before", async () => {
		const { id } = await create(open().number, aNumber());
		emulator.control.patchNumber(id, { reference: "order 4711" });
		everyPost({ kind: "unmarked" });
		expect((await failureOf(create(open().number, aNumber()))).kind).toBe("Claimed");
		expect(live()).toMatchObject([{ id, reference: "order 4711" }]);
	});

	test("is found in the list by each of many that buy the like at once", async () => {
		emulator.control.settings({ purchaseId: false });
		const run = open();
		const made = await Promise.all(Array.from({ length: 6 }, (_, n) => create(run.number, aNumber({}, `n${n}`))));
		expect(new Set(made.map(({ id }) => id)).size).toBe(6);
		expect(purchases()).toHaveLength(6);
	});
});

describe("without keys", () => {
	const off = () => emulator.control.settings({ features: { idempotencyKey: false } });

	const lost: Fault[] = [{ kind: "unanswered" }, { kind: "cut" }];
	test.each<Fault>([...lost, { kind: "replaced", status: 408 }, { kind: "replaced", status: 504 }])(
		"a purchase whose answer is %j is named, not repeated, and taken over when it is adopted",
		async (what) => {
			off();
			onlyThe(0, "POST", what);
			const error = await failureOf(create(open().number, aNumber()));
			const [row] = live();
			expect(error).toMatchObject({ kind: "OutcomeUnknown", message: expect.stringContaining(String(row?.id)) });
			expect((await create(open().number, aNumber({ adopt: row?.id }))).id).toBe(row?.id);
			expect(purchases()).toHaveLength(1);
		},
	);

	test("a purchase that can't be told from somebody else's ends in a list of both", async () => {
		off();
		proxy.plan = (_, method) => {
			if (method !== "POST") return undefined;
			void emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
			return { kind: "unanswered" };
		};
		const error = await failureOf(create(open().number, aNumber()));
		expect(error.kind).toBe("OutcomeUnknown");
		for (const { id } of live()) expect(error.message).toContain(id);
		expect(purchases()).toHaveLength(2);
	});

	test("of two purchases whose answers are missing neither takes what somebody else has bought", async () => {
		off();
		let asked = 0;
		proxy.plan = (_, method) => {
			if (method !== "POST") return undefined;
			asked += 1;
			if (asked > 1) return { kind: "unanswered" };
			void emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
			return { kind: "lost" };
		};
		const run = open();
		const errors = await Promise.all(["a", "b"].map((name) => failureOf(create(run.number, aNumber({}, name)))));
		expect(errors.map(({ kind }) => kind)).toEqual(["OutcomeUnknown", "OutcomeUnknown"]);
		expect(live()).toMatchObject([{ reference: null }, { reference: null }]);
	});

	test("a purchase that never arrived is an unknown outcome, and not repeated by this run", async () => {
		off();
		everyPost({ kind: "lost" });
		const error = await failureOf(create(open().number, aNumber()));
		expect(error).toMatchObject({ kind: "OutcomeUnknown", message: expect.stringContaining("no new number") });
		expect(purchases()).toEqual([]);
	});

	test("one fault anywhere never buys two numbers in one run", () =>
		fc.assert(
			fc.asyncProperty(fc.nat({ max: 3 }), fault, async (nth, what) => {
				emulator.control.reset();
				off();
				const start = proxy.count;
				proxy.plan = (request) => (request - start === nth ? what : undefined);
				await clock.sleep(600_000);
				await create(open().number, aNumber()).catch(() => undefined);
				expect(live().length).toBeLessThanOrEqual(1);
			}),
			{ numRuns: 40 },
		));
});

test("a number that is gone before it could be configured is not bought again in its place", async () => {
	proxy.plan = (_, method) => {
		const [row] = live();
		if (method === "PATCH" && row !== undefined) emulator.control.deleteNumber(row.id);
		return undefined;
	};
	expect((await initErrorOf(create(open().number, aNumber({ label: "x" })))).message).toContain("not_found");
	expect(purchases()).toHaveLength(1);
});

describe("a number of the same resource with other criteria", () => {
	const warningsOf = async (work: (run: Provider, inputs: Values) => Promise<unknown>) => {
		const run = openProvider(emulator);
		const inputs = await checked(run.number, aNumber({ generation: 1 }));
		await work(run, inputs);
		await run.number.create(inputs);
		return run.warnings;
	};

	test("is no duplicate if the state holds it: the replacement ends it", async () => {
		const { id, outs } = await create(openProvider(emulator).number, aNumber());
		expect(await warningsOf((run, inputs) => run.number.diff(id, outs, inputs))).toEqual([]);
	});

	test("is no duplicate if the stack has left it", async () => {
		const { id, outs } = await create(openProvider(emulator).number, aNumber({ onDelete: "retain" }));
		await openProvider(emulator).number.delete(id, outs);
		expect(await warningsOf(async () => {})).toEqual([]);
	});

	test("is a duplicate if a killed run bought it", async () => {
		const { id } = await create(openProvider(emulator).number, aNumber());
		const warnings = await warningsOf(async () => {});
		expect(warnings).toEqual([
			expect.stringMatching(`telephony release ${id} --stack dev.*\\[telephony:duplicate\\]$`),
		]);
	});
});
