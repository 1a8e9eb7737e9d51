/**
 * Only what the service shows is done: responses of 2xx with an error object or a page, writes without their effect, and a
 * release that the service refuses.
 */
import { expect, test, vi } from "vitest";
import { drift, kindsIn, reported, telephony } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import {
	createProject,
	expectQuiet,
	type Front,
	fails,
	flat,
	fronts,
	type Project,
	type Run,
	run,
	succeeds,
} from "../helpers/engine";
import { clearsNothing, type Fault, faultsAt, page, refusalOf, useFaultProxy } from "../helpers/fault-proxy";
import { inTurn } from "../short.mts";

vi.setConfig({ testTimeout: 600_000 });
const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);

const declare = (type: string, name: string, args: object) =>
	`new telephony.${type}("${name}", ${JSON.stringify(args)});\n`;
const number = (name: string, args: object = {}) => declare("Number", name, { country: "NL", type: "mobile", ...args });
const trunk = (args: object = {}) =>
	declare("SipTrunk", "office", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.7"] }, capacity: 3, ...args });
const webhook = (args: object = {}) =>
	declare("Webhook", "hook", { url: "https://a.example.com/", events: ["message.received"], ...args });
const pool = (args: object = {}) => declare("NumberPool", "desk", { country: "NL", type: "mobile", count: 1, ...args });
const forwardTo = (to: string) => ({ type: "forward", to });

/** Returns the messages with this code, each with what precedes it. */
const messagesWith = (printed: string, code: string): string[] => printed.split(`[telephony:${code}]`).slice(0, -1);

/** Expects a message with the code that has all of these texts. */
const expectMessage = (printed: string, code: string, ...texts: readonly string[]) =>
	expect(messagesWith(printed, code), printed).toContainEqual(
		expect.toSatisfy((message: string) => texts.every((text) => message.includes(text))),
	);

/** Refusals with a 2xx status, by kind, with a code and a message of their own. */
const refusals = {
	numbers: ["number_in_use", "A call is in progress on the number"],
	trunks: ["trunk_locked", "The trunk is being moved"],
	webhooks: ["webhook_locked", "The webhook is being moved"],
} as const;
const refusing = (method: string): Record<string, Fault> =>
	Object.fromEntries(
		Object.entries(refusals).map(([kind, [code, message]]) => [`${method} /${kind}`, refusalOf(code, message)]),
	);
const expectRefusals = (printed: string, kinds: readonly (keyof typeof refusals)[]) => {
	for (const kind of kinds) for (const text of [...refusals[kind], "req_x"]) expect(printed).toContain(text);
};

const started = async (front: Front, program: string) => {
	const stack = await createProject({ program, service: proxy, front });
	await succeeds(stack.up());
	return stack;
};

/** Rows of the account, by the names of their resources. */
const rowsOf = async (stack: Project) => {
	const ids = await stack.ids();
	return Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, emulator.row(id)]));
};

test.each(inTurn(fronts))("%s: a refused release leaves number and routing alone", async (front) => {
	const stack = await started(front, number("main", { routing: forwardTo("+31201234567") }));
	const before = await rowsOf(stack);
	// As with a call in progress: clearing the routing doesn't help.
	proxy.plan = faultsAt({ "DELETE /numbers/": refusalOf(...refusals.numbers, 409) });
	expect(await fails(stack.destroy(), "in-use")).toContain("number_in_use");
	expect((await rowsOf(stack)).main).toMatchObject({ routing: before.main?.routing, status: "active" });
	proxy.plan = () => undefined;
	await expectQuiet(stack);
	expect(emulator.released()).toEqual([]);
});

test.each(inTurn(fronts))("%s: a delete counts once the service shows it", async (front) => {
	const program = number("main", { routing: forwardTo("+31201234567") }) + pool() + trunk() + webhook();
	const stack = await started(front, program + number("kept", { onDelete: "retain" }));
	const { kept = "", ...ids } = await stack.ids();
	const { main, office, hook } = ids;
	const member = emulator.live().find(({ id }) => id !== main && id !== kept)?.id;
	const before = await rowsOf(stack);
	const expectUnchanged = async (printed: string) => {
		expect({ ids: await stack.ids(), released: emulator.released() }, printed).toEqual({ ids, released: [] });
		expect((await rowsOf(stack)).main?.routing).toMatchObject(before.main?.routing as object);
	};

	proxy.plan = faultsAt(refusing("DELETE"));
	const refused = await fails(stack.destroy("--continue-on-error"));
	await expectUnchanged(refused);
	expectRefusals(refused, ["numbers", "trunks", "webhooks"]);

	proxy.plan = faultsAt({ DELETE: page({ isCarriedOut: false }) });
	const unconfirmed = await fails(stack.destroy("--continue-on-error"), "not-applied");
	await expectUnchanged(unconfirmed);
	for (const id of [main, member, office, hook]) expectMessage(unconfirmed, "not-applied", id ?? "");

	// The destroy has retained `kept`.
	const release = (): Promise<Run> =>
		run("node", [telephony, "release", kept, "--yes", "--stack", "dev"], stack.folder, stack.env);
	expectMessage(await fails(release()), "not-applied", kept);
	proxy.plan = faultsAt(refusing("DELETE"));
	expectRefusals(await fails(release()), ["numbers"]);
	expect(emulator.released()).toEqual([]);

	proxy.plan = faultsAt({ DELETE: page({ isCarriedOut: true }) });
	await succeeds(release());
	expect(emulator.released()).toEqual([kept]);
	await succeeds(stack.destroy());
	expect(await stack.ids()).toEqual({});
	expect(emulator.live()).toEqual([]);
	expect([...emulator.rows("sipTrunk"), ...emulator.rows("webhook")]).toEqual([]);
});

test.each(inTurn(fronts))("%s: continues a purchase whose configuration isn't shown", async (front) => {
	const stack = await createProject({ program: number("main", { label: "declared" }), service: proxy, front });
	proxy.plan = faultsAt({ PATCH: page({ isCarriedOut: false }) });
	expectMessage(await fails(stack.up()), "not-applied", "label", "declared");
	const ids = await stack.ids();
	expect(Object.values(ids)).toEqual(emulator.live().map(({ id }) => id));

	// The read that would confirm the change is refused.
	const unconfirmed = {
		PATCH: page({ isCarriedOut: true }),
		"GET /numbers/": refusalOf("forbidden", "This key can't read numbers.", 403),
	};
	proxy.plan = (_, method) => {
		if (method === "PATCH") proxy.plan = faultsAt(unconfirmed);
		return method === "PATCH" ? unconfirmed.PATCH : undefined;
	};
	await stack.up();
	proxy.plan = () => undefined;
	await succeeds(stack.up());
	expect({ ids: await stack.ids(), kinds: emulator.kinds() }).toEqual({ ids, kinds: ["purchase"] });
	expect(emulator.labels()).toEqual(["declared"]);
	await expectQuiet(stack);
});

test.each(inTurn(fronts))("%s: a change counts once the service shows it", async (front) => {
	const programWith = (text: string, capacity: number) =>
		number("main", { label: text }) +
		trunk({ capacity }) +
		webhook({ description: text }) +
		pool({ label: `desk ${text}` });
	const stack = await started(front, programWith("before", 31));
	const rows = await rowsOf(stack);
	stack.write(programWith("after", 32));

	proxy.plan = faultsAt(refusing("PATCH"));
	expectRefusals(await fails(stack.up("--continue-on-error")), ["numbers", "trunks", "webhooks"]);

	proxy.plan = faultsAt({ PATCH: page({ isCarriedOut: false }) });
	const unconfirmed = await fails(stack.up("--continue-on-error"), "not-applied");
	for (const property of ["label", "description"])
		expectMessage(unconfirmed, "not-applied", property, "before", "after");
	expectMessage(unconfirmed, "not-applied", "capacity", "31", "32");
	expectMessage(unconfirmed, "not-applied", "label", "desk before", "desk after");

	proxy.plan = () => undefined;
	expect(await rowsOf(stack)).toEqual(rows);
	await fails(stack.preview("--expect-no-changes"));
	expect((await drift(stack)).code).toBe(7);
	await succeeds(stack.up());
	expect(await rowsOf(stack)).toMatchObject({ main: { label: "after" }, office: { capacity: 32 } });
	expect(emulator.labels()).toEqual(["after", "desk after"]);
	await expectQuiet(stack);

	// A page in place of the response, after the service has carried the change out, is a success.
	stack.write(programWith("later", 33));
	proxy.plan = faultsAt({ PATCH: page({ isCarriedOut: true }) });
	await succeeds(stack.up());
	await expectQuiet(stack);
});

test.each(inTurn(fronts))("%s: a property counts as cleared once the service shows it", async (front) => {
	const [main, desk] = [forwardTo("+31201234567"), forwardTo("+31207654321")];
	const hook = "https://a.example.com/sms";
	const stack = await started(
		front,
		number("main", { routing: main, smsWebhookUrl: hook }) +
			trunk({ callsPerSecond: 7, targets: [{ host: "pbx.example.com" }] }) +
			pool({ routing: desk }),
	);
	stack.write(number("main") + trunk() + pool());
	proxy.plan = faultsAt({ PATCH: clearsNothing });
	const printed = await fails(stack.up("--continue-on-error"), "not-applied");
	for (const [property, value] of [
		["routing", main.to],
		["smsWebhookUrl", hook],
		["callsPerSecond", "7"],
		["targets", "pbx.example.com"],
		["routing", desk.to],
	] as const)
		expectMessage(printed, "not-applied", property, value);

	const drifted = await reported(stack);
	expect(drifted.code, drifted.output).toBe(7);
	expect(Object.keys(kindsIn(drifted.report)).sort()).toEqual(["desk[0]", "main", "office"]);
	await fails(stack.preview("--expect-no-changes"));

	proxy.plan = () => undefined;
	await succeeds(stack.up());
	for (const { routing, sms_webhook_url } of emulator.rows("number"))
		expect({ routing, sms_webhook_url }).toEqual({ routing: null, sms_webhook_url: null });
	const [office] = emulator.rows("sipTrunk");
	expect(office?.targets).toBeNull();
	expect(office?.cps).not.toBe(7);
	await expectQuiet(stack);
});

test.each(inTurn(fronts))("%s: a refused purchase or creation leaves nothing in doubt", async (front) => {
	const stack = await createProject({ program: number("main") + trunk() + webhook(), service: proxy, front });
	const posts: string[] = [];
	const refuse = faultsAt(refusing("POST"));
	proxy.plan = (request, method, path) => {
		if (method === "POST") posts.push(path.replace("/v1", ""));
		return refuse(request, method, path);
	};
	const printed = await fails(stack.up("--continue-on-error"));
	expectRefusals(printed, ["numbers", "trunks", "webhooks"]);
	expect(posts.sort(), printed).toEqual(["/numbers", "/trunks", "/webhooks"]);
	for (const code of ["purchase-unknown", "unconfirmed-write"]) expect(printed).not.toContain(`[telephony:${code}]`);
	expect(await stack.ids()).toEqual({});

	proxy.plan = () => undefined;
	expect(flat(await succeeds(stack.up()))).not.toContain("[telephony:resumed]");
	expect(emulator.kinds()).toEqual(["purchase"]);
	expect([emulator.rows("sipTrunk").length, emulator.rows("webhook").length]).toEqual([1, 1]);
	await expectQuiet(stack);
});
