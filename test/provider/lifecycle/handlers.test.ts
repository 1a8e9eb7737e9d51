import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { SettingsPatch } from "../../../emulator";
import type { Values } from "../../../provider/properties/table";
import { type Kind, useEmulator } from "../../helpers/emulator";
import { digest, kinds } from "../../helpers/kinds";
import { allGone, aNumber, aWebhook, checked, create, openProvider } from "../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
beforeEach(() => void emulator.control.settings({ acceptUnknownProfiles: true }));
const open = () => openProvider(emulator);

const writes = () => emulator.writes().length;
/** The host can send plain JSON only, in which nothing is undefined. */
const expectJson = (value: unknown) => expect(JSON.parse(JSON.stringify(value))).toStrictEqual(value);

/** Another run than the one that wrote it, as a refresh and the next `up` are. */
async function expectUnchanged(name: Kind, id: string, outs: Values, inputs: Values): Promise<void> {
	const later = open();
	const read = await later[name].read(id, outs);
	expectJson(read);
	expect(read.id).toBe(id);
	// The host adds the handler to what it gets.
	expect({ ...read.inputs, __provider: inputs.__provider }).toEqual(inputs);
	expect(await later[name].diff(id, read.props ?? {}, inputs)).toEqual({
		changes: false,
		replaces: [],
		deleteBeforeReplace: false,
	});
	expect(later.warnings).toEqual([]);
}

describe.each(kinds)("a $noun as declared", ({ name, args, declare, buys }) => {
	const settings: [string, SettingsPatch][] = [
		["a plain service", {}],
		["sets in any order", { shuffleArrays: true }],
		["addresses without /32", { cidr: "strip32", injectDefaults: false }],
		["addresses with /32, hosts in upper case", { cidr: "add32", hostCase: "upper" }],
		[
			"everything respelled",
			{
				maskHostBits: true,
				mergeDuplicates: true,
				hostCase: "upper",
				urlSlash: "add",
				phonePlus: false,
				trimText: true,
			},
		],
		["slashes gone, masked secrets, other prices", { urlSlash: "strip", secretEcho: "mask", repriceOnRead: true }],
		["hashed secrets, pages of chaos", { secretEcho: "hash", pageChaos: ["short", "empty", "duplicated", "expired"] }],
	];

	test.each(settings)("reads back without a difference: %s", (_, patch) =>
		fc.assert(
			fc.asyncProperty(args, async (given) => {
				emulator.control.reset();
				emulator.control.settings(patch);
				const { [name]: handler } = open();
				const inputs = await checked(handler, declare(given));
				const { id, outs } = await handler.create(inputs);
				expectJson(outs);
				await expectUnchanged(name, id, outs, inputs);
			}),
			{ numRuns: 25 },
		),
	);

	test("becomes what is declared next, whatever it was, and asks for nothing that is so already", () =>
		fc.assert(
			fc.asyncProperty(args, args, async (first, second) => {
				emulator.control.reset();
				const fixed = buys ? { country: "NL", type: "mobile", area: "20", generation: 0 } : {};
				const { id, outs } = await create(open()[name], declare({ ...first, ...fixed }));
				const inputs = await checked(open()[name], declare({ ...second, ...fixed }));
				const updated = await open()[name].update(id, outs, inputs);
				expectJson(updated);
				await expectUnchanged(name, id, updated.outs, inputs);
				const before = writes();
				const again = await open()[name].update(id, updated.outs, inputs);
				expect(writes()).toBe(before);
				expect(again.outs).toEqual(updated.outs);
			}),
			{ numRuns: 30 },
		));
});

const route = { type: "agent", agentId: "a" };
const changes: [Kind, Values, Record<string, unknown>][] = [
	["number", { routing: route }, { routing: { type: "agent", agent_id: "b" } }],
	["number", { routing: route }, { routing: { type: "forward", to: "+31201234567" } }],
	[
		"number",
		{ routing: { ...route, ringTimeoutSeconds: 20 } },
		{ routing: { type: "agent", agent_id: "a", ring_timeout_seconds: 30 } },
	],
	["number", { routing: { ...route, failover: route } }, { routing: { type: "agent", agent_id: "a" } }],
	["number", { routing: route }, { routing: { type: "hologram", room: "x" } }],
	["number", { routing: route }, { routing: null }],
	["number", { smsWebhookUrl: "https://a.example" }, { sms_webhook_url: "https://b.example" }],
	["number", { label: "a" }, { label: "b" }],
	["number", { label: "a" }, { label: null }],
	["number", { metadata: { a: "1" } }, { metadata: { a: "1", b: "2" } }],
	["number", { releaseProtection: false }, { release_protection: true }],
	["number", { country: "DE", kycProfileId: "p1" }, { kyc: { profile_id: "p2" } }],
	["number", {}, { reference: null }],
	["sipTrunk", { name: "a" }, { name: "b" }],
	["sipTrunk", {}, { auth: { mode: "ip_acl", allowed_cidrs: ["198.51.100.7", "198.51.100.8"] } }],
	["sipTrunk", {}, { auth: { ...digest, username: "intruder" } }],
	["sipTrunk", { auth: digest }, { auth: { ...digest, username: "pbx-2" } }],
	["sipTrunk", { auth: digest }, { auth: { ...digest, password: "somebody else's" } }],
	["sipTrunk", {}, { capacity: 11 }],
	["sipTrunk", { callsPerSecond: 5 }, { cps: null }],
	["sipTrunk", { targets: [{ host: "a" }] }, { targets: [{ host: "a" }, { host: "b" }] }],
	["sipTrunk", { targets: [{ host: "a", port: 5061 }] }, { targets: [{ host: "a", port: 5062 }] }],
	["sipTrunk", { mediaEncryption: "srtp" }, { media_encryption: "none" }],
	["sipTrunk", { codecs: ["PCMU", "opus"] }, { codecs: ["opus", "PCMU"] }],
	["sipTrunk", {}, { enabled: false }],
	["sipTrunk", { metadata: { a: "1" } }, { metadata: {} }],
	["sipTrunk", {}, { reference: null }],
	["webhook", {}, { url: "https://evil.example/sms" }],
	["webhook", {}, { events: ["*"] }],
	["webhook", { description: "a" }, { description: null }],
	["webhook", {}, { enabled: false }],
	["webhook", {}, { rotate_secret: true }],
	["webhook", {}, { reference: null }],
];

// A password that is set in the millisecond of the old one has the same time.
const tick = () => new Promise((resolve) => setTimeout(resolve, 2));

test.each(changes)(
	"a %s with %j, edited outside to %j, is found by refresh and mended by up",
	async (name, args, patch) => {
		const news = (kinds.find((kind) => kind.name === name) as (typeof kinds)[number]).declare(args);
		const { id, outs } = await create(open()[name], news);
		const inputs = await checked(open()[name], news);
		await tick();
		emulator.edit(name, id, patch);
		const later = open();
		const read = await later[name].read(id, outs);
		expect((await later[name].diff(id, read.props ?? {}, inputs)).changes).toBe(true);
		const mended = await open()[name].update(id, read.props ?? {}, inputs);
		await expectUnchanged(name, id, mended.outs, inputs);
	},
);

test("nothing that a program doesn't declare is drift", async () => {
	const { id, outs } = await create(open().number, aNumber());
	emulator.control.patchNumber(id, { label: "from the dashboard", metadata: { a: "b" }, capabilities: ["voice"] });
	await expectUnchanged("number", id, outs, await checked(open().number, aNumber()));
});

test("a webhook is named by its host and id: the rest of a URL may hold a secret", async () => {
	const run = openProvider(emulator);
	const { id, outs } = await create(
		run.webhook,
		aWebhook({ url: "https://hooks.example.com/T0/hunter2?token=hunter2" }),
	);
	emulator.control.deleteWebhook(id);
	const later = openProvider(emulator, allGone);
	await later.webhook.read(id, outs);
	expect(later.warnings).toEqual([expect.stringContaining(`hooks.example.com (${id}) is gone`)]);
	expect(later.warnings.join()).not.toContain("hunter2");
});
