/** A carrier that responds to each DELETE with 404, as to any request that it doesn't know. */
import { expect, test } from "vitest";
import { useAccount } from "../../helpers/account";
import { refusalOf, useFaultProxy } from "../../helpers/fault-proxy";
import { freeKinds } from "../../helpers/kinds";
import { aNumber, create, failureOf, openProvider } from "../../helpers/provider";

const { clock, emulator } = useAccount();
const proxy = useFaultProxy(emulator);
const denyRemovals = () => {
	proxy.plan = (_request, method) =>
		method === "DELETE" ? refusalOf("not_found", "There is no such path.", 404) : undefined;
};

test("a number that the carrier still shows stays in the state", async () => {
	const { id, outs } = await create(openProvider(emulator, { clock }).number, aNumber());
	denyRemovals();
	const error = await failureOf(openProvider(proxy, { clock }).number.delete(id, outs));
	expect([error.messageCode, error.message]).toEqual(["not-applied", expect.stringContaining(id)]);
});

test.each(freeKinds)("a $noun that the carrier still shows stays in the state", async ({ name, declare }) => {
	const { id, outs } = await create(openProvider(emulator, { clock })[name], declare());
	denyRemovals();
	const error = await failureOf(openProvider(proxy, { clock })[name].delete(id, outs));
	expect(error.messageCode).toBe("not-applied");
});

test("a number that is deleted before its release leaves the state", async () => {
	const { id, outs } = await create(openProvider(emulator, { clock }).number, aNumber());
	await create(openProvider(emulator, { clock }).number, aNumber({}, "other"));
	proxy.plan = (_request, method) => {
		if (method === "DELETE") emulator.remove("number", id);
		return undefined;
	};
	await openProvider(proxy, { clock }).number.delete(id, outs);
});
