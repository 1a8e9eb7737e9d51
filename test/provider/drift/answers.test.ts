/** What a service may answer while nothing has changed, or while something is under way: no difference, and no report. */
import { expect, test } from "vitest";
import { patchBody, type Values } from "../../../provider/properties/table";
import { numberProperties } from "../../../provider/resources/number/properties";
import { useEmulator } from "../../helpers/emulator";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { observed } from "../../helpers/observed";
import { aNumber, aPool, aTrunk, aWebhook, checked, create, declaration, openProvider } from "../../helpers/provider";
import { differs } from "../../helpers/runs";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);
const open = () => openProvider(proxy);

type Fields = Record<string, unknown>;
type Kind = "number" | "sipTrunk" | "webhook" | "activation" | "numberPool";

const numbered = {
	country: "DE",
	label: "Desk",
	kycProfileId: "",
	smsWebhookUrl: "https://hooks.example.com/sms",
	metadata: { team: "a" },
	releaseProtection: false,
	routing: {
		type: "forward",
		to: "+493012345678",
		ringTimeoutSeconds: 20,
		failover: { type: "sip_uri", uri: "sip:desk@pbx.example.com" },
	},
};

const profile = async () => {
	const { client } = await open().session.service();
	const address = { street: "Unter den Linden 1", city: "Berlin", postal_code: "10117", country: "DE" };
	const { data } = await client.kyc.profiles.create({ holder: "individual", name: "A", country: "DE", address });
	return data.id;
};

const declared: Record<Kind, () => Promise<Values>> = {
	number: async () => aNumber({ ...numbered, kycProfileId: await profile() }),
	numberPool: async () => aPool({ ...numbered, kycProfileId: await profile(), count: 2 }),
	activation: async () => {
		const { id } = await create(open().number, aNumber({}, "one"));
		return declaration("Activation", "fleet", { numberIds: [id] });
	},
	sipTrunk: async () =>
		aTrunk({
			auth: { mode: "digest", username: "office" },
			codecs: ["opus", "PCMU"],
			mediaEncryption: "srtp",
			targets: [{ host: "pbx.example.com", transport: "tls", port: 5061 }],
			callsPerSecond: 3,
			name: "Desk",
			metadata: { team: "a" },
		}),
	webhook: async () => aWebhook({ events: ["message.received", "call.completed"], description: "Desk" }),
};

/** Every later answer, changed in each of its records. */
function answering(change: (record: Fields) => unknown): void {
	const changed = (record: Fields) => ({ ...record, ...(change(record) as Fields) });
	proxy.rewrite = (text, method) => {
		if (method !== "GET" || text === "") return text;
		const json = JSON.parse(text) as { data?: Fields[] };
		return JSON.stringify(json.data ? { ...json, data: json.data.map(changed) } : changed(json as Fields));
	};
}

async function seen(kind: Kind, change: (record: Fields) => unknown) {
	const news = await declared[kind]();
	const made = await create(open()[kind], news);
	answering(change);
	const run = open();
	const { props = {}, differs: refresh, warnings, drifts: reported } = await observed(run, made, news);
	return { refresh, up: await differs(open(), { ...made, outs: props }, news), warnings, reported };
}

const clean = { refresh: false, up: false, warnings: [], reported: [] };
const upper = (value: unknown) => (typeof value === "string" ? value.toUpperCase() : value);
const cut = (time: unknown) => String(time).replace(/\.\d+Z$/, "+00:00");
const all: readonly Kind[] = ["number", "sipTrunk", "webhook", "activation", "numberPool"];
const numbers: readonly Kind[] = ["number", "activation", "numberPool"];

const cases: [string, readonly Kind[], (record: Fields) => unknown][] = [
	["fields and statuses' details that nobody knows", all, () => ({ since: "x", links: { self: "/x" }, order: null })],
	[
		"times with another precision",
		all,
		({ created_at, updated_at }) => ({ created_at: cut(created_at), updated_at: cut(updated_at) }),
	],
	["a status in another case", all, ({ status }) => ({ status: upper(status) })],
	["no status", all, () => ({ status: undefined })],
	["an empty status", all, () => ({ status: "" })],
	[
		"a type and a country in another case",
		numbers,
		({ type, country }) => ({ type: upper(type), country: String(country).toLowerCase() }),
	],
	["an E.164 with spaces", numbers, ({ number }) => ({ number: String(number).replace(/^(\+\d\d)(\d\d)/, "$1 $2 ") })],
	["no KYC once it has cleared", numbers, () => ({ kyc: null })],
	["a KYC without its profile", numbers, () => ({ kyc: { status: "approved" } })],
	["a KYC in another case", numbers, ({ kyc }) => ({ kyc: { ...(kyc as Fields), status: "APPROVED" } })],
	[
		"a kind of routing in another case",
		["number", "numberPool"],
		({ routing }) => ({ routing: { ...(routing as Fields), type: "FORWARD" } }),
	],
	[
		"a routing with fields that nobody knows",
		["number", "numberPool"],
		({ routing }) => ({ routing: { ...(routing as Fields), since: "x", trunk_id: "", uri: "" } }),
	],
	[
		"empty text where nothing is",
		["number", "numberPool"],
		() => ({ area: "", price: null, activated_at: "", source: "" }),
	],
	[
		"a mode of authentication in another case",
		["sipTrunk"],
		({ auth }) => ({ auth: { ...(auth as Fields), mode: "DIGEST" } }),
	],
	[
		"codecs, transports and encryption in another case, and the password's time in whole seconds",
		["sipTrunk"],
		({ codecs, media_encryption, targets, auth }) => ({
			codecs: (codecs as string[]).map((codec) => (codec === "opus" ? "OPUS" : codec.toLowerCase())),
			media_encryption: upper(media_encryption),
			targets: (targets as Fields[]).map((target) => ({ ...target, transport: upper(target.transport) })),
			auth: { ...(auth as Fields), password_updated_at: cut((auth as Fields).password_updated_at) },
		}),
	],
	["an IP list beside digest", ["sipTrunk"], ({ auth }) => ({ auth: { ...(auth as Fields), allowed_cidrs: [] } })],
	["events in another case", ["webhook"], ({ events }) => ({ events: (events as string[]).map(upper) })],
	[
		"no time of the password",
		["sipTrunk"],
		({ auth }) => ({ auth: { ...(auth as Fields), password_updated_at: null } }),
	],
	["no version of the secret", ["webhook"], () => ({ secret_version: null, secret_hint: null })],
	["no reference", all, () => ({ reference: undefined })],
];

for (const [what, kinds, change] of cases)
	test.each(kinds)(`${what}: %s`, async (kind) => {
		expect(await seen(kind, change)).toEqual(clean);
	});

test.each([
	["a trunk that is being set up", { status: "provisioning", reconciling: true }],
	["a trunk that is being set up, and isn't on yet", { status: "Provisioning", enabled: false }],
])("%s is waited for", async (_, fields) => {
	const { refresh, up, reported } = await seen("sipTrunk", () => fields);
	expect({ refresh, up, reported }).toEqual({
		refresh: false,
		up: false,
		reported: [
			expect.objectContaining({
				kind: "waiting",
				changes: [{ path: "status", declared: "active", live: "provisioning" }],
			}),
		],
	});
});

const edits: [string, Kind, (record: Fields) => unknown][] = [
	["another profile", "number", ({ kyc }) => ({ kyc: { ...(kyc as Fields), profile_id: "kyc_other" } })],
	["a profile that was taken away", "number", ({ kyc }) => ({ kyc: { ...(kyc as Fields), profile_id: null } })],
	["another kind of routing", "number", () => ({ routing: { type: "AGENT", agent_id: "a" } })],
	["a trunk that is switched off", "sipTrunk", () => ({ status: "disabled", enabled: false })],
	["other events", "webhook", () => ({ events: ["CALL.COMPLETED"] })],
];
test.each(edits)("%s is drift", async (_, kind, change) => {
	const { refresh, up } = await seen(kind, change);
	expect({ refresh, up }).toEqual({ refresh: true, up: true });
});

test("what an answer leaves out stays as it is declared, until the program changes it", async () => {
	const news = await declared.number();
	const made = await create(open().number, news);
	answering(() => ({ kyc: null }));
	for (const more of [{ label: "Other" }, { kycProfileId: await profile() }]) {
		const run = open();
		const inputs = await checked(run.number, { ...news, ...more });
		const { outs } = await run.number.update(made.id, made.outs, inputs);
		expect(outs).toMatchObject({ kycProfileId: inputs.kycProfileId, ...more });
		expect(emulator.control.state().numbers[0]?.kyc?.profile_id).toBe(inputs.kycProfileId);
	}
});

test("what an answer leaves out is sent once, and again where a write may have failed", () => {
	const [olds, news, live] = [{ kycProfileId: "kyc_1" }, { kycProfileId: "kyc_1" }, {}];
	expect(patchBody(numberProperties, { olds, news, live })).toEqual({});
	expect(patchBody(numberProperties, { olds: {}, news, live })).toEqual({ kyc_profile_id: "kyc_1" });
	expect(patchBody(numberProperties, { olds, news, live }, ["kycProfileId"])).toEqual({ kyc_profile_id: "kyc_1" });
	expect(patchBody(numberProperties, { olds, news: { kycProfileId: "kyc_2" }, live })).toEqual({
		kyc_profile_id: "kyc_2",
	});
});
