/** A number that the account no longer has. */
import { expect, test } from "vitest";
import { useAccount } from "../../../helpers/account";
import { aNumber, checked, create, failureOf, openProvider } from "../../../helpers/provider";
import { refreshed } from "../../../helpers/runs";

const { clock, emulator, off, open: openUnpinned } = useAccount({ kyc: "immediate" });
const open = () => {
	const config = { "telephony:account": emulator.control.state().account.id };
	return openProvider(emulator, { clock, config });
};
const news = aNumber({}, "main");

/** Buys numbers, and deletes the one of `news` an hour later. */
async function deletedOf(others: number) {
	const run = open();
	const number = await create(run.number, news);
	await Promise.all(Array.from({ length: others }, (_, n) => create(run.number, aNumber({}, `other${n}`))));
	await clock.sleep(3_600_000);
	emulator.remove("number", number.id);
	return number;
}

test("costs a refresh few requests, whatever else the account has", async () => {
	const number = await deletedOf(250);
	const before = emulator.requests().length;
	expect((await refreshed(open(), number, news)).id).toBe("");
	// The account, the number, and another number that shows that single reads tell the truth.
	expect(emulator.requests(before)).toHaveLength(4);
});

test("is bought again by a replacement after a refresh, as the error says", async () => {
	const number = await deletedOf(1);
	const run = open();
	await checked(run.number, news, news);
	const error = await failureOf(create(run.number, news));
	expect(error.messageCode).toBe("claimed");
	expect(error.message).toContain("`pulumi up --refresh`");
	expect((await refreshed(open(), number, news)).id).toBe("");
	expect((await create(open().number, news)).id).not.toBe(number.id);
});

test("leaves the state if the account lists it as released", async () => {
	const number = await create(open().number, news);
	off("getById");
	emulator.remove("number", number.id);
	expect((await refreshed(openUnpinned(), number, news)).id).toBe("");
});
