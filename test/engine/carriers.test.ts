/** A stack's life on the real engine at each service: `kill -9` in the wait, drift, repair, a wrong key, destroy. */
import { expect, onTestFinished, test, vi } from "vitest";
import { realTime } from "../carriers/place.mts";
import { places } from "../carriers/places.mts";
import { createProject, expectQuiet, fails, flat, fronts, succeeds } from "../helpers/engine";
import { crash, startUp } from "../helpers/engine-running";
import { eventually } from "../helpers/eventually";
import { inTurn } from "../short.mts";

vi.setConfig({ testTimeout: 600_000 });

const argsOf = (args: object) => JSON.stringify(args);
const auth = argsOf({ mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] });

// The other stories of this folder run at the emulator.
const carriers = Object.keys(places).filter((name) => !name.startsWith("emulator"));
const cases = carriers.flatMap((name) => inTurn(fronts).map((front) => [name, front] as const));

test.each(cases)("%s, %s: keeps its promises on the engine", async (name, front) => {
	const place = await (places[name] as (typeof places)[string])(realTime);
	onTestFinished(() => place.close());
	const { config } = place;
	const env = { TELEPHONY_SERVICE: config["telephony:service"], TELEPHONY_FEATURES: config["telephony:features"] };
	const program = (label = "front desk", more: object = {}) => `
		const office = new telephony.SipTrunk("office", { name: "office", auth: ${auth}, capacity: 4 });
		new telephony.Webhook("hook", { url: "https://hooks.example.com/a", events: ["*"] });
		const open = ${argsOf({ ...place.open, label })};
		new telephony.Number("open", { ...open, routing: { type: "trunk", trunkId: office.id } });
		new telephony.Number("held", ${argsOf({ ...place.regulated, label: "held", ...more })});
	`;
	const changes = (what: string) => place.log().flatMap((entry) => (entry.what === what ? [entry.id] : []));
	const stack = await createProject({ program: program(), service: place, front, env });

	const running = startUp(stack);
	await eventually(async () => {
		expect(place.numbers().map(({ label, isPending }) => ({ label, isPending }))).toContainEqual({
			label: "held",
			isPending: true,
		});
		// The engine prints "created" before it saves the state.
		expect(await stack.ids()).toHaveProperty("open");
	});
	await crash(running);
	await succeeds(stack.pulumi("cancel", "--yes"));
	place.approveAll();
	const heldId = place.numbers().find(({ label }) => label === "held")?.id ?? "";
	const resumed = await stack.up();
	if (!place.hasReferences) {
		expect(await fails(resumed, "purchase-unknown")).toContain(heldId);
		stack.write(program("front desk", { adopt: heldId, onDelete: "release" }));
		await succeeds(stack.up());
	} else await succeeds(resumed);
	const adopted = place.hasReferences ? {} : { adopt: heldId, onDelete: "release" };
	expect(changes("purchase")).toHaveLength(2);
	expect((await stack.ids()).held).toBe(heldId);
	await expectQuiet(stack);

	const { open = "", office } = await stack.ids();
	place.label(open, "edited");
	const drift = await stack.drift("--diff");
	expect(drift.code, drift.output).toBe(7);
	expect(flat(drift)).toMatch(/label/);
	await succeeds(stack.refresh());
	await succeeds(stack.up());
	expect(place.numbers().find(({ id }) => id === open)).toMatchObject({ label: "front desk", trunkId: office });
	await expectQuiet(stack);

	const before = [place.log().length, await stack.ids()];
	const { url, apiKey } = place.stranger;
	Object.assign(stack.env, { TELEPHONY_BASE_URL: url, TELEPHONY_API_KEY: apiKey });
	await fails(stack.destroy());
	await fails(stack.refresh());
	stack.write(program("changed", adopted));
	await fails(stack.up());
	expect([place.log().length, await stack.ids()]).toEqual(before);

	Object.assign(stack.env, { TELEPHONY_BASE_URL: place.url, TELEPHONY_API_KEY: place.apiKey });
	await succeeds(stack.destroy());
	expect(changes("release").sort()).toEqual(changes("purchase").sort());
	expect([place.numbers(), place.ids("trunk"), place.ids("webhook")]).toEqual([[], [], []]);
});
