/** An Activation and the account: only a number that the account certainly lacks is deleted. */
import { expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { useEmulator } from "../../helpers/emulator";
import { aNumber, aTrunk, create, declaration, openProvider } from "../../helpers/provider";

const { clock, emulator, open } = useAccount({ kyc: "manual" });
const stranger = useEmulator({});
const anActivation = (numberIds: readonly string[], args: Values = {}) =>
	declaration("Activation", "fleet", { numberIds, ...args });

test.each([
	["pinned", true],
	["unpinned", false],
])("reports no deleted number for another account's key: %s", async (_, isPinned) => {
	const made = await create(open().number, aNumber());
	const fleet = await create(open().activation, anActivation([made.id]));
	const account = String((await emulator.call("GET", "/account")).body.id);
	await stranger.call("POST", "/numbers", { country: "NL", type: "mobile" });
	const wrong = openProvider(stranger, { clock, config: isPinned ? { "telephony:account": account } : {} });
	await expect(wrong.activation.read(fleet.id, fleet.outs)).rejects.toThrow("telephony:wrong-account");
	expect((await open().activation.read(fleet.id, fleet.outs)).props?.numbers).toEqual(fleet.outs.numbers);
});

test.each([
	["with a trunk that is older", 2],
	["with the stack's other number", 1],
])("reports deleted numbers in a refresh %s", async (_, deleted) => {
	const trunk = await create(open().sipTrunk, aTrunk());
	const numbers = await Promise.all(["a", "b"].map((name) => create(open().number, aNumber({}, name))));
	const fleet = await create(open().activation, anActivation(numbers.map(({ id }) => id)));
	for (const { id } of numbers.slice(0, deleted)) emulator.control.deleteNumber(id);
	const run = open();
	const [refreshedFleet] = await Promise.all([
		run.activation.read(fleet.id, fleet.outs),
		run.sipTrunk.read(trunk.id, trunk.outs),
		...numbers.map(({ id, outs }) => run.number.read(id, outs)),
	]);
	const statuses = ((refreshedFleet.props?.numbers ?? []) as Values[]).map(({ status }) => status);
	expect(statuses.filter((status) => status === "deleted")).toHaveLength(deleted);
});
