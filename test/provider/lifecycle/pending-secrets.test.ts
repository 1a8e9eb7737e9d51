/** Values that later responses hide: after a failed write, each reaches the service or the state. */
import { describe, expect, test } from "vitest";
import { useAccount } from "../../helpers/account";
import { refusalOf, useFaultProxy } from "../../helpers/fault-proxy";
import { digest, secretIn } from "../../helpers/kinds";
import { createDesk, aLetteredOrder as order, aWholeProfile as profile } from "../../helpers/papers";
import { aTrunk, create, openProvider } from "../../helpers/provider";
import { failedUp, refreshed, upAgain } from "../../helpers/runs";

const { clock, emulator, open } = useAccount({ kyc: "manual" });
const proxy = useFaultProxy(emulator);

describe("a trunk that changes from ip_acl to digest while the response is lost", () => {
	const losing = () =>
		emulator.control.faults.set({ operation: "patchTrunk", kind: "reset", phase: "after", every: true });
	const byHand = { name: "by hand", auth: { mode: "ip_acl", allowed_cidrs: ["198.51.100.7"] }, capacity: 10 };

	const both = [false, true];
	test.each(["adopted", "made"].flatMap((how) => both.flatMap((a) => both.map((b) => [how, a, b] as const))))(
		"has a known password in the end: %s, refreshed %s, killed %s",
		async (how, isRefreshed, isKilled) => {
			const more = how === "made" ? {} : { adopt: (await emulator.call("POST", "/trunks", byHand)).body.id };
			const made = await create(open().sipTrunk, aTrunk(more));
			const news = aTrunk({ ...more, auth: digest });
			losing();
			const saved = await failedUp(open(), news, made);
			emulator.control.faults.clear();
			expect(emulator.row(made.id)).toMatchObject({ auth: { mode: "digest" } });
			await clock.sleep(5000);
			const state = isKilled ? made : saved;
			const before = isRefreshed ? await refreshed(open(), state, news) : state;
			const { outs } = await upAgain(open(), before, news, aTrunk(more));
			expect(outs.password).toBe(secretIn(emulator.row(made.id)));
		},
	);
});

test("knows the password after an empty response and a refused read", async () => {
	const made = await create(open().sipTrunk, aTrunk());
	const news = aTrunk({ auth: digest });
	let isPatched = false;
	proxy.plan = (_, method) => {
		if (method === "PATCH") isPatched = true;
		if (method === "PATCH") return { kind: "empty" };
		return isPatched && method === "GET" ? refusalOf("unauthorized", "The key was revoked.", 401) : undefined;
	};
	const saved = await failedUp(openProvider(proxy, { clock }), news, made);
	expect([isPatched, saved.error.message]).toEqual([true, expect.stringContaining("revoked")]);
	expect(emulator.row(made.id)).toMatchObject({ auth: { mode: "digest" } });
	await clock.sleep(60_000);
	const { outs } = await upAgain(open(), await refreshed(open(), saved, news), news);
	expect(outs.password).toBe(secretIn(emulator.row(made.id)));
});

function desk() {
	const { folder } = createDesk();
	return () => open({ cwd: folder });
}

describe("after a submission whose response is lost", () => {
	test("another id number isn't taken for written", async () => {
		const run = desk();
		emulator.control.faults.set({ operation: "submitKycProfile", kind: "reset", phase: "after", every: true });
		const saved = await failedUp(run(), profile());
		emulator.control.faults.clear();
		const row = () => emulator.control.state().kycProfiles.find(({ id }) => id === saved.id);
		expect(row()).toMatchObject({ status: "in_review", id_number: "L01X00T471" });
		const up = await upAgain(run(), saved, profile({ idNumber: "L01X00T999" }), profile()).catch((e) => e);
		expect(up instanceof Error ? up.message : row()?.id_number).toMatch(/L01X00T999|kyc-locked/);
	});

	test("another PIN isn't taken for written", async () => {
		const run = desk();
		emulator.control.faults.set({ operation: "submitPortOrder", kind: "reset", phase: "after", every: true });
		const saved = await failedUp(run(), order("0000"));
		emulator.control.faults.clear();
		const row = () => emulator.control.state().portOrders.find(({ id }) => id === saved.id);
		expect(row()).toMatchObject({ status: "submitted", carrier: { pin: "0000" } });
		const up = await upAgain(run(), saved, order("4711"), order("0000")).catch((e) => e);
		expect(up instanceof Error ? up.message : row()?.carrier.pin).toMatch(
			/4711|port_in_progress|in progress|can't be changed/,
		);
	});
});
