/** What becomes of the secret of a trunk or webhook that an earlier run made, and nobody here knows. */
import { expect, test } from "vitest";
import { useEmulator } from "../../helpers/emulator";
import { aTrunk, aWebhook, create, openProvider } from "../../helpers/provider";

const emulator = useEmulator();
const open = () => openProvider(emulator);

test("a trunk that is taken over gets the password that is declared now", async () => {
	const digest = (password: string) => aTrunk({ auth: { mode: "digest", username: "pbx-1", password } });
	await create(open().sipTrunk, digest("the first password"));
	const { outs } = await create(open().sipTrunk, digest("the second password"));
	expect(emulator.control.state().trunks).toMatchObject([{ auth: { password: "the second password" } }]);
	expect(outs.password).toBe("the second password");
});

test.each(["sipTrunk", "webhook"] as const)(
	"a %s that is taken over has its secret replaced, as nobody knows it",
	async (name) => {
		const declared = name === "sipTrunk" ? aTrunk({ auth: { mode: "digest", username: "pbx-1" } }) : aWebhook();
		const secret = name === "sipTrunk" ? "password" : "secret";
		const first = await create(open()[name], declared);
		const second = await create(open()[name], declared);
		expect(second.id).toBe(first.id);
		expect(second.outs[secret]).not.toBe(first.outs[secret]);
		expect(JSON.stringify(emulator.control.state())).toContain(second.outs[secret]);
	},
);
