/**
 * A service whose ids are unique only within an account. With another account's key, no run releases, forgets, changes or
 * buys anything, although that account has objects with the same ids.
 */
import { expect, test, vi } from "vitest";
import { VirtualClock } from "../../emulator";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, type Front, fails, fronts, type Run, succeeds } from "../helpers/engine";
import { showSmallIds, useFaultProxy } from "../helpers/fault-proxy";
import { variations } from "../short.mts";

vi.setConfig({ testTimeout: 600_000 });
// The provider waits for objects that are younger than a minute if they are missing.
const clock = new VirtualClock(Date.now() - 2 * 24 * 3_600_000);
const right = useEmulator({ kyc: "immediate", clock });
const wrong = useEmulator({ kyc: "immediate", clock });
const here = useFaultProxy(right);
const there = useFaultProxy(wrong);

const number = (name: string, label = name) =>
	`new telephony.Number("${name}", { country: "NL", type: "mobile", label: "${label}" });\n`;
const office = (capacity: number) =>
	`new telephony.SipTrunk("office", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.7"] }, capacity: ${capacity} });\n`;
const hook = (description: string) =>
	`new telephony.Webhook("hook", { url: "https://a.example.com/", events: ["*"], description: "${description}" });\n`;
const program = (text: string, capacity: number) =>
	number("a", text) + number("b", text) + office(capacity) + hook(text);

/** A stranger's objects, which differ from the stack's in what the stack declares alone. */
async function fillWrong() {
	for (let index = 1; index <= 5; index++) {
		const { id } = (await wrong.call("POST", "/numbers", { country: "NL", type: "mobile" })).body;
		wrong.edit("number", id, { number: `+3162000999${index}` });
	}
	await wrong.call("POST", "/trunks", {
		name: "office",
		auth: { mode: "ip_acl", allowed_cidrs: ["198.51.100.7/32"] },
		capacity: 3,
	});
	await wrong.call("POST", "/webhooks", { url: "https://b.example.com/", events: ["*"] });
	clock.advance(3_600_000);
}

const accountOf = ({ rows, kinds }: typeof wrong) => [rows("number"), rows("sipTrunk"), rows("webhook"), kinds()];

const cases = fronts.map((front, index) => [front, index === 1] as const);
test.each(variations(cases))("%s, references %s: touches nothing of a stranger", async (front: Front, reference) => {
	for (const { control } of [right, wrong]) control.settings({ features: { reference } });
	for (const proxy of [here, there]) showSmallIds(proxy);
	await fillWrong();
	const stack = await createProject({ program: program("before", 3), service: here, front });
	await succeeds(stack.up());
	const ids = await stack.ids();
	expect(ids).toEqual({
		a: expect.stringMatching(/^[12]$/),
		b: expect.stringMatching(/^[12]$/),
		office: "1",
		hook: "1",
	});
	clock.advance(3_600_000);

	const kept = async () => [await stack.ids(), accountOf(right), accountOf(wrong)];
	const before = await kept();
	const refused = async (running: Promise<Run>) => {
		const printed = await fails(running, "wrong-account");
		expect(await kept(), printed).toEqual(before);
	};
	stack.env.TELEPHONY_BASE_URL = there.url;
	await refused(stack.destroy());
	await refused(stack.refresh());
	for (const changed of [program("after", 4), `${program("before", 3)}${number("later")}`]) {
		stack.write(changed);
		await refused(stack.up());
	}

	stack.env.TELEPHONY_BASE_URL = here.url;
	stack.write(program("before", 3));
	await expectQuiet(stack);
	await succeeds(stack.destroy());
	expect(await stack.ids()).toEqual({});
	expect(accountOf(wrong)).toEqual(before[2]);
});
