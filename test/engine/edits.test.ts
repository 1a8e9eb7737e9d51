/** Changes of a program: in place, by a replacement, or under another name. The ledger judges that no number gets lost. */
import { expect, test, vi } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, plugin, flat, type Project, stepsIn, succeeds } from "../helpers/engine";
import { replacing, taint, tell, urnOf } from "../helpers/story";

vi.setConfig({ testTimeout: 600_000 });
const emulator = useEmulator({ kyc: "immediate" });

const acl = { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] }, capacity: 30 };
const digest = { auth: { mode: "digest", username: "office" }, capacity: 2 };

type Version = Readonly<Partial<Record<"n" | "acl" | "digest" | "hook", object>>>;
/** One of each in a component, and numbers that depend on them. */
const office = (version: Version) => `
	class Office extends pulumi.ComponentResource {
		constructor(name) {
			super("example:index:Office", name);
			const parent = this;
			const acl = new telephony.SipTrunk("acl", ${JSON.stringify({ ...acl, ...version.acl })}, { parent });
			const digest = new telephony.SipTrunk("digest", ${JSON.stringify({ ...digest, ...version.digest })}, { parent });
			const number = new telephony.Number("n", ${JSON.stringify({ country: "SE", type: "mobile", ...version.n }).replace('"$acl"', "acl.id")}, { parent });
			const hook = new telephony.Webhook("hook", ${JSON.stringify({ url: "https://a.example.com/1", events: ["*"], ...version.hook })}, { parent });
			const args = { country: "NL", type: "mobile" };
			new telephony.Number("byId", { ...args, routing: { type: "trunk", trunkId: acl.id }, label: number.id, metadata: { country: number.country } }, { parent });
			new telephony.Number("byNumber", { ...args, label: number.phoneNumber }, { parent });
			new telephony.Number("bySipDomain", { ...args, label: acl.sipDomain }, { parent });
			Object.assign(exports, { password: digest.password, secret: hook.secret });
		}
	}
	new Office("office");
`;
const firstVersion: Version = {
	n: {
		...{
			routing: { type: "trunk", trunkId: "$acl", ringTimeoutSeconds: 20 },
			smsWebhookUrl: "https://a.example.com/1",
		},
		...{ label: "One", metadata: { a: "1", b: "1" }, releaseProtection: false, activationTimeoutSeconds: 60 },
	},
	acl: {
		...{ name: "One", callsPerSecond: 1, mediaEncryption: "srtp", codecs: ["opus"], enabled: false },
		...{ targets: [{ host: "one.example.com", port: 5061, transport: "tls" }], metadata: { a: "1" } },
	},
	hook: { description: "One", enabled: false },
};
const two: Version = {
	n: {
		...{ routing: { type: "sip_uri", uri: "sip:a@pbx.example.com" }, smsWebhookUrl: "https://a.example.com/2" },
		...{
			label: "Two",
			metadata: { b: "2" },
			releaseProtection: true,
			activationTimeoutSeconds: 61,
			onDelete: "retain",
		},
	},
	acl: {
		...{
			name: "Two",
			capacity: 31,
			callsPerSecond: 2,
			mediaEncryption: "none",
			codecs: ["PCMA", "opus"],
			enabled: true,
		},
		...{ targets: [{ host: "two.example.com" }], metadata: { b: "2" } },
	},
	digest: { auth: { mode: "digest", username: "office-2" }, passwordRotation: 1 },
	hook: { events: ["message.received"], description: "Two", enabled: true, secretRotation: "a" },
};

test("changes properties in place, and clears what is no longer declared", async () => {
	const stack = await createProject({ program: office(firstVersion), service: emulator });
	await succeeds(stack.up());
	const ids = await stack.ids();
	const rows = () => Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, emulator.row(id)]));
	const secrets = async () => {
		const { digest, hook } = rows();
		const { password } = { ...(digest?.auth as { password?: string }) };
		const outputs = await stack.outputs();
		expect(outputs).toEqual({ password, secret: hook?.secret });
		return Object.values(outputs);
	};
	const before = await secrets();

	stack.write(office(two));
	const updates = { acl: "update", digest: "update", n: "update", hook: "update" };
	// docs/limits.md, "Previews": the preview of an update knows the resource's id, and no other output.
	expect(stepsIn(await stack.preview())).toEqual({ ...updates, byNumber: "update", bySipDomain: "update" });
	expect(stepsIn(await succeeds(stack.up()))).toEqual(updates);
	expect(await stack.ids()).toEqual(ids);
	expect(rows()).toMatchObject({
		n: {
			...{ routing: { type: "sip_uri", uri: "sip:a@pbx.example.com" }, sms_webhook_url: "https://a.example.com/2" },
			...{ label: "Two", release_protection: true, metadata: { b: "2" } },
		},
		acl: {
			...{ name: "Two", capacity: 31, cps: 2, media_encryption: "none", codecs: ["PCMA", "opus"], enabled: true },
			...{ targets: [{ host: "two.example.com" }], metadata: { b: "2" } },
		},
		digest: { auth: { username: "office-2" } },
		hook: { events: ["message.received"], description: "Two", enabled: true },
	});
	const rotated = await secrets();
	expect(rotated.filter((secret) => before.includes(secret))).toEqual([]);

	stack.write(office({ digest: { auth: { mode: "ip_acl", allowedCidrs: ["203.0.113.7"] } } }));
	await succeeds(stack.up());
	expect(await stack.ids()).toEqual(ids);
	expect(rows()).toMatchObject({
		n: { routing: null, sms_webhook_url: null, label: null, metadata: {}, release_protection: false },
		acl: { name: "acl", cps: null, targets: null, media_encryption: null, codecs: null, enabled: true, metadata: {} },
		digest: { auth: { mode: "ip_acl", allowed_cidrs: ["203.0.113.7"] } },
		hook: { description: null, enabled: true },
	});
	expect(emulator.kinds()).toEqual(Array(4).fill("purchase"));
	await expectQuiet(stack);
});

test("replaces by country, area, type and generation; releases after", async () => {
	const declare = (name: string, args: object = {}, options = "{}") =>
		`new telephony.Number("${name}", ${JSON.stringify({ country: "NL", type: "geographic", area: "20", ...args })}, ${options});\n`;
	const changed = {
		country: { country: "US", area: "212" },
		area: { area: "10" },
		type: { type: "mobile", area: undefined },
		generation: { generation: 1 },
	};
	const first = "{ deleteBeforeReplace: true }";
	const program = (isLater: boolean) =>
		Object.entries(changed)
			.map(([name, args]) => declare(name, isLater ? args : {}))
			.join("") +
		declare("first", isLater ? { generation: 1 } : {}, first) +
		declare("guarded", { releaseProtection: true, ...(isLater ? { generation: 1 } : {}) });
	const stack = await createProject({ program: program(false), service: emulator });
	await succeeds(stack.up());
	const before = await stack.ids();
	stack.write(program(true));
	const { output } = await succeeds(stack.preview());
	for (const name of Object.keys(before)) expect(output).toMatch(new RegExp(`${name} replace`));
	expect(flat(await succeeds(stack.up()))).toContain("[telephony:kept]");
	expect(emulator.kinds()).toEqual([...Array(12).fill("purchase"), ...Array(5).fill("release")]);
	const { guarded, ...others } = before;
	expect(emulator.released().sort()).toEqual(Object.values(others).sort());
	expect(emulator.row(guarded)?.status).toBe("active");
	const after = await stack.ids();
	expect(emulator.row(after.country)).toMatchObject({ country: "US", area: "212" });
	expect(emulator.row(after.area)).toMatchObject({ country: "NL", area: "10" });
	await succeeds(stack.up("--expect-no-changes"));
});

const number = (name: string, args: object = {}, options = "{}") =>
	`new telephony.Number("${name}", ${JSON.stringify({ country: "NL", type: "geographic", area: "20", ...args })}, ${options});\n`;
const kept = (name: string, args: object = {}, options = "{}") =>
	number(name, { onDelete: "retain", ...args }, options);
const officeOf = (options: string) => `
	class Office extends pulumi.ComponentResource {
		constructor() {
			super("example:index:Office", "office");
			${kept("a", {}, options)}
		}
	}
	new Office();
`;
const renamed = (from: string, to: string) => async (stack: Project) =>
	succeeds(stack.pulumi("state", "rename", await urnOf(stack, from), to, "--yes"));

test("keeps or leaves a number under each refactoring", async () => {
	const stack = await createProject({ service: emulator, front: plugin });
	const [a, b, inOffice] = [kept("a"), number("b"), officeOf("{ parent: this }")];
	const formerly = (name: string) => `{ aliases: [{ name: "${name}" }] }`;
	const [d10, has, d] = [{ area: "10" }, { a: "first" }, { d: "last" }];
	const both = { buys: 1, steps: { b: "create", e: "update" } };
	const replaced = { buys: 1, releases: ["d"], notes: { last: "d" } };
	await tell(stack, emulator, [
		{ name: "first up", program: a + b, buys: 2, notes: { first: "a" } },
		{ name: "rename", program: kept("c") + b, buys: 1, says: "kept" },
		{ name: "rename back", program: a + b, has, says: "taken-over" },
		{ name: "move into a component", program: inOffice + b, buys: 1, says: "kept" },
		{ name: "move back", program: a + b, has, says: "taken-over" },
		{
			name: "move with an alias",
			program: officeOf("{ parent: this, aliases: [{ parent: pulumi.rootStackResource }] }") + b,
			...{ has, steps: { a: "update" } },
		},
		{ name: "without the alias", program: inOffice + b, steps: {} },
		{ name: "rename with an alias", program: inOffice + number("d", {}, formerly("b")), has: { d: "b" } },
		{ name: "rename in the state", first: renamed("d", "b"), program: inOffice + b, steps: { b: "update" } },
		// Declared first, it is made before the number that had its name.
		{ name: "the old name", first: renamed("b", "e"), program: inOffice + b + number("e"), ...both },
		{ name: "remove and add", program: a + number("d"), buys: 2, releases: ["b", "e"], notes: { first: "a" } },
		{ name: "another area, retained", program: kept("a", d10) + number("d"), buys: 1, says: "kept" },
		{ name: "another area, released", program: a + number("d", d10), buys: 1, releases: ["d"], has },
		{ name: "generation", program: a + number("d", { ...d10, generation: 1 }), ...replaced },
		{ name: "taint", first: taint("d"), has: d },
		{ name: "--replace", args: replacing("a", "d"), has: { ...has, ...d } },
		{ name: "taint, another area", first: taint("d"), program: a + number("d"), ...replaced },
		{ name: "--target", program: a + number("f"), args: async () => ["--target", "**::f"], buys: 1, has: d },
		{ name: "removal", program: number("f"), releases: ["d"], says: "kept" },
	]);
	await expectQuiet(stack);
	await succeeds(stack.destroy());
	expect(await stack.ids()).toEqual({});
	const leases = emulator.live().map(({ reference }) => reference?.split("~")[0]?.split(".")[3]);
	expect(new Set(leases)).toEqual(new Set(["left"]));
});

/** A resource of another provider, which is deleted before it is made anew, and hands on its area. */
const afterSite = (version: number, area: string) => `
	const provider = {
		async create(inputs) { return { id: "site-" + inputs.version, outs: inputs }; },
		async diff(_, olds, news) {
			const changes = olds.version !== news.version;
			return { changes, replaces: changes ? ["version"] : [], deleteBeforeReplace: true };
		},
	};
	class Site extends pulumi.dynamic.Resource {
		constructor(name, args) { super(provider, name, args); }
	}
	const site = new Site("site", { version: ${version}, area: "${area}", generation: 0 });
	new telephony.Number("main", { country: "NL", type: "geographic", area: site.area, generation: site.generation });`;

test("keeps a number though the engine deletes first", async () => {
	const stack = await createProject({ program: afterSite(1, "20"), service: emulator });
	await succeeds(stack.up());
	const { main } = await stack.ids();
	stack.write(afterSite(2, "20"));
	expect((await succeeds(stack.up())).output).toMatch(/dynamic:Resource site delet/);
	expect({ ids: await stack.ids(), kinds: emulator.kinds() }).toEqual({ ids: { main }, kinds: ["purchase"] });
	stack.write(afterSite(3, "10"));
	await succeeds(stack.up());
	expect(emulator.kinds()).toEqual(["purchase", "purchase", "release"]);
	expect(emulator.released()).toEqual([main]);

	// Verbatim names make the engine delete before it creates.
	await stack.pulumi("config", "set", "--path", "pulumi:autonaming.mode", "verbatim");
	stack.write(number("released") + kept("retained"));
	await succeeds(stack.up());
	const ids = await stack.ids();
	const before = emulator.kinds().length;
	stack.write(number("released", { generation: 1 }) + kept("retained", { generation: 1 }));
	await succeeds(stack.up());
	expect(emulator.kinds().slice(before).sort()).toEqual(["purchase", "purchase", "release"]);
	expect([ids.released, ids.retained].map((id) => emulator.row(id)?.status)).toEqual(["released", "active"]);
	await expectQuiet(stack);
});
