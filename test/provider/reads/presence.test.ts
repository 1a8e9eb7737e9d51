/** Another account's key by mistake: where nothing that a run asks for is on the account, nothing counts as gone. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isGone, TelephonyError } from "../../../provider/api/errors";
import { Presence } from "../../../provider/reads/presence";
import { useAccount } from "../../helpers/account";
import { FakeClock } from "../../helpers/clock";
import { useEmulator } from "../../helpers/emulator";
import { aNumber, aTrunk, aWebhook, create, failureOf, openProvider } from "../../helpers/provider";

const gone = () => Promise.reject(new TelephonyError("NotFound", "gone"));

/** What each look tells: its record, "gone", or the kind of another error. */
const judged = (presence: Presence, id: string, look: () => Promise<unknown>) =>
	presence.judge(id, look).then(
		() => "there",
		(error: TelephonyError) => (isGone(error) ? "gone" : error.kind),
	);

describe("whether what is not found is gone", () => {
	const open = (options: { allGone?: boolean; released?: string[] } = {}) => {
		const clock = new FakeClock();
		const presence = new Presence({
			clock,
			allGone: options.allGone ?? false,
			async *released() {
				yield (options.released ?? []).map((id) => ({ id }));
			},
		});
		return { clock, presence };
	};

	test("one alone is", async () => {
		expect(await judged(open().presence, "a", gone)).toBe("gone");
	});

	test.each([
		["two are not", {}, "Config"],
		["two are, where somebody says so", { allGone: true }, "gone"],
		["two are, where the account remembers one as released", { released: ["x", "b"] }, "gone"],
	])("%s", async (_, options, verdict) => {
		const { presence } = open(options);
		expect(await Promise.all(["a", "b"].map((id) => judged(presence, id, gone)))).toEqual([verdict, verdict]);
	});

	test("two that come one after the other: the first is, the second not", async () => {
		const { presence } = open();
		expect([await judged(presence, "a", gone), await judged(presence, "b", gone)]).toEqual(["gone", "Config"]);
	});

	test("however many come at the same time, in whatever order they end: all are, where one is there", () =>
		fc.assert(
			fc.asyncProperty(
				fc.array(fc.tuple(fc.constantFrom("there", "gone", "Unavailable"), fc.nat({ max: 9 })), { minLength: 2 }),
				async (looks) => {
					const { clock, presence } = open();
					const verdicts = await Promise.all(
						looks.map(([says, turns], n) =>
							judged(presence, `id${n}`, async () => {
								for (let turn = 0; turn < turns; turn++) await clock.sleep(1);
								if (says === "gone") return gone();
								if (says !== "there") throw new TelephonyError("Unavailable", "no answer");
								return {};
							}),
						),
					);
					const isThere = looks.some(([says]) => says === "there");
					expect(verdicts).toEqual(looks.map(([says]) => (says === "gone" && !isThere ? "Config" : says)));
				},
			),
		));
});

describe("with another account's key", () => {
	const { emulator, clock, open } = useAccount();
	const other = useEmulator({ kyc: "immediate" });
	const stack = async () => {
		const run = open();
		return [
			{ kind: "number", ...(await create(run.number, aNumber({}, "a"))) },
			{ kind: "number", ...(await create(run.number, aNumber({}, "b"))) },
			{ kind: "sipTrunk", ...(await create(run.sipTrunk, aTrunk())) },
			{ kind: "webhook", ...(await create(run.webhook, aWebhook())) },
		] as const;
	};

	test.each([0, 1, 5])(
		"no read and no delete of a number takes anything for gone (%i numbers there)",
		async (there) => {
			const made = await stack();
			clock.sleep(120_000);
			for (let n = 0; n < there; n++) await other.call("POST", "/numbers", { country: "NL", type: "mobile" });
			const wrong = () => openProvider(other, { clock });
			const run = wrong();
			const errors = await Promise.all(made.map(({ kind, id, outs }) => failureOf(run[kind].read(id, outs))));
			expect(errors.map(({ kind }) => kind)).toEqual(Array(4).fill("Config"));
			expect(errors[0]?.message).toMatch(
				/^num_\w+ is not on the account, nor .* 4 objects .* Is this the right account\?/,
			);
			expect(errors[0]?.message).toContain("TELEPHONY_ALL_GONE=yes");
			const deleting = wrong();
			const kept = made.slice(0, 2).map(({ id, outs }) => failureOf(deleting.number.delete(id, outs)));
			expect((await Promise.all(kept)).map(({ kind }) => kind)).toEqual(["Config", "Config"]);
			const told = openProvider(other, { clock, env: { TELEPHONY_ALL_GONE: "yes" } });
			expect(await Promise.all(made.map(({ kind, id, outs }) => told[kind].read(id, outs)))).toEqual(Array(4).fill({}));
		},
	);

	test("on the right account all may be gone but one, or all be released", async () => {
		const made = await stack();
		clock.sleep(120_000);
		for (const { id } of made.slice(0, 2)) emulator.control.deleteNumber(id);
		const run = open();
		const read = await Promise.all(made.map(({ kind, id, outs }) => run[kind].read(id, outs)));
		expect(read.map(({ id }) => id !== undefined)).toEqual([false, false, true, true]);
		emulator.control.deleteTrunk(made[2].id);
		emulator.control.deleteWebhook(made[3].id);
		const later = open();
		const none = await Promise.all(made.map(({ kind, id, outs }) => later[kind].read(id, outs)));
		expect(none).toEqual(Array(4).fill({}));
	});
});
