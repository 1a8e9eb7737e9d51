/** A change or a removal is done once the service shows it: responses of 2xx with an error object or a page. */
import { expect, test, vi } from "vitest";
import { drift, telephony } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import {
	createProject,
	expectQuiet,
	type Front,
	fails,
	fronts,
	type Project,
	type Run,
	run,
	succeeds,
} from "../helpers/engine";
import { type Fault, faultsAt, page, refusalOf, useFaultProxy } from "../helpers/fault-proxy";
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

	// The destroy has retained `kept`. A claim that the state has lost is released too.
	const lost = emulator.row(kept)?.reference?.replace(".left~", ".a1b2c3~");
	emulator.control.patchNumber(kept, { reference: lost });
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
