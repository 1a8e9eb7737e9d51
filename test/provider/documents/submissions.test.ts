/** A correction whose submission the service refuses for now, or doesn't carry out: later runs submit it. */
import { expect, test } from "vitest";
import { useAccount } from "../../helpers/account";
import { faultsAt, page, useFaultProxy } from "../../helpers/fault-proxy";
import { createDesk, aLetteredOrder as order, aWholeProfile as profile } from "../../helpers/papers";
import { create, openProvider } from "../../helpers/provider";
import { failedUp, refreshed, upAgain } from "../../helpers/runs";

const { clock, emulator } = useAccount({ kyc: "manual" });
const proxy = useFaultProxy(emulator);
function desk() {
	const { folder } = createDesk();
	return (service: { url: string; apiKey: string } = emulator) => openProvider(service, { clock, cwd: folder });
}
const refused = [
	[429, "rate_limited"],
	[409, "resource_busy"],
	[403, "forbidden"],
] as const;

test.each(refused)("a profile is submitted by the next up after a refresh: %i %s", async (status, error) => {
	const run = desk();
	const made = await create(run().kycProfile, profile());
	emulator.control.decideProfile(made.id, "reject", [{ code: "name", message: "wrong name" }]);
	const news = profile({ name: "Erika Musterfrau" });
	emulator.control.faults.set({ operation: "submitKycProfile", status, error, every: true } as never);
	const saved = await failedUp(run(), news, await refreshed(run(), made, profile()));
	emulator.control.faults.clear();
	const row = () => emulator.control.state().kycProfiles.find(({ id }) => id === made.id);
	expect(row()).toMatchObject({ status: "rejected", name: "Erika Musterfrau" });
	await clock.sleep(60_000);
	await upAgain(run(), await refreshed(run(), saved, news), news);
	expect(row()).toMatchObject({ status: "in_review", name: "Erika Musterfrau" });
});

test.each(refused)("a port order is submitted by the next up after a refresh: %i %s", async (status, error) => {
	const run = desk();
	const made = await create(run().portOrder, order("0000"));
	await clock.sleep(25 * 3_600_000);
	emulator.control.faults.set({ operation: "submitPortOrder", status, error, every: true } as never);
	const saved = await failedUp(run(), order("4711"), await refreshed(run(), made, order("0000")));
	emulator.control.faults.clear();
	const row = () => emulator.control.state().portOrders.find(({ id }) => id === made.id);
	expect(row()).toMatchObject({ status: "exception", carrier: { pin: "4711" } });
	await clock.sleep(60_000);
	await upAgain(run(), await refreshed(run(), saved, order("4711")), order("4711"));
	expect(row()).toMatchObject({ status: "submitted", carrier: { pin: "4711" } });
});

const noop = {
	kind: "chosen",
	status: 202,
	type: "application/json",
	body: '{"queued":true}',
	isCarriedOut: false,
} as const;
test.each([
	["a sign-in page", page({ isCarriedOut: false })],
	["another body", noop],
] as const)("a profile whose submission only shows %s isn't taken for submitted", async (_, fault) => {
	const run = desk();
	const made = await create(run().kycProfile, profile());
	await clock.sleep(60_000);
	emulator.control.decideProfile(made.id, "reject", [{ code: "name", message: "wrong name" }]);
	const news = profile({ name: "Erika Musterfrau" });
	const rejected = await refreshed(run(), made, profile());
	proxy.plan = faultsAt({ [`POST /kyc/profiles/${made.id}/submit`]: fault });
	const saved = await failedUp(run(proxy), news, rejected);
	expect(saved.error.message).toContain("telephony:not-applied");
	const row = () => emulator.control.state().kycProfiles.find(({ id }) => id === made.id);
	expect(row()).toMatchObject({ status: "rejected", name: "Erika Musterfrau" });
	await upAgain(run(), await refreshed(run(), saved, news), news);
	expect(row()).toMatchObject({ status: "in_review", name: "Erika Musterfrau" });
});
