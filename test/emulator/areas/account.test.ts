import { expect, test } from "vitest";
import { refusal, useVirtualEmulator } from "../fixture";
import { newFolder, open } from "../folders";

const { emulator, call, read, set, state } = useVirtualEmulator();

test("shows the account of the key, which stays after a reset", async () => {
	const account = await read("/account");
	expect(account).toEqual({ id: expect.stringMatching(/^acc_[a-z2-7]{12}$/), name: "Emulator" });
	expect(state().account).toEqual({ id: account.id });
	emulator.control.reset();
	expect(await read("/account")).toEqual(account);
});

test("names the account in a header, unless the service doesn't offer it", async () => {
	const header = async () => (await call("GET", "/numbers")).headers.get("telephony-account");
	expect(await header()).toBe(state().account.id);
	set({ features: { account: false } });
	expect(await header()).toBeNull();
	expect(await call("GET", "/account")).toMatchObject(refusal(404, "operation_not_offered"));
});

test("shows the account that the settings name", async () => {
	const { id } = state().account;
	set({ accountId: "AC-1" });
	expect(await read("/account")).toMatchObject({ id: "AC-1" });
	set({ accountId: null });
	expect(await read("/account")).toMatchObject({ id });
	expect(() => set({ accountId: "" })).toThrow();
});

test("is another account in each emulator, also with one seed", async () => {
	const emulators = await Promise.all([open({ seed: 1 }), open({ seed: 1 })]);
	const ids = new Set(emulators.map(({ control }) => control.state().account.id));
	expect(ids.size).toBe(2);
});

test("keeps the account with the folder, and with a snapshot", async () => {
	const data = newFolder();
	const first = await open({ data });
	const { account } = first.control.state();
	const snapshot = first.control.snapshot();
	await first.close();
	const second = await open({ data });
	expect(second.control.state().account).toEqual(account);
	await second.close();
	emulator.control.restore(snapshot);
	expect(state().account).toEqual(account);
});
