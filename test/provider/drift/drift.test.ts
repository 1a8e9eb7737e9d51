/** Differences between the state and the service: drift, no drift, and problems. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { resources } from "../../../provider/resources";
import { ignoredTable } from "../../../scripts/generate/drift.mts";
import { referenceOf } from "../../../scripts/generate/reference.mts";
import { statesTable, statusTables } from "../../../scripts/generate/states.mts";
import { kebab } from "../../../scripts/generate/words.mts";
import { useEmulator } from "../../helpers/emulator";
import { eachRecord, rewriteReads, useFaultProxy } from "../../helpers/fault-proxy";
import { digest } from "../../helpers/kinds";
import { observed } from "../../helpers/observed";
import { aNumber, aPool, aTrunk, aWebhook, create, declaration, openProvider } from "../../helpers/provider";
import { read } from "../../helpers/repository";
import { differs, type ResourceState } from "../../helpers/runs";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);
const open = () => openProvider(proxy);

type Fields = Record<string, unknown>;

const routing = {
	...{ type: "forward", to: "+493012345678", ringTimeoutSeconds: 20 },
	failover: { type: "sip_uri", uri: "sip:desk@pbx.example.com" },
};
const numbered = {
	...{ country: "DE", label: "Desk", smsWebhookUrl: "https://hooks.example.com/sms", metadata: { team: "a" } },
	...{ releaseProtection: false, routing },
};
const profile = async () => {
	const { client } = await open().session.service();
	const address = { street: "Unter den Linden 1", city: "Berlin", postal_code: "10117", country: "DE" };
	return (await client.kyc.profiles.create({ holder: "individual", name: "A", country: "DE", address })).data.id;
};
const targets = [{ host: "pbx.example.com", transport: "tls", port: 5061 }];
const media = { codecs: ["opus", "PCMU"], mediaEncryption: "srtp", targets, callsPerSecond: 3 };
const declared = {
	number: async () => aNumber({ ...numbered, kycProfileId: await profile() }),
	numberPool: async () => aPool({ ...numbered, kycProfileId: await profile(), count: 2 }),
	activation: async () => {
		const { id } = await create(open().number, aNumber({}, "one"));
		return declaration("Activation", "fleet", { numberIds: [id] });
	},
	sipTrunk: async () => aTrunk({ auth: digest, name: "Desk", metadata: { team: "a" }, ...media }),
	webhook: async () => aWebhook({ events: ["message.received", "call.completed"], description: "Desk" }),
};
type Kind = keyof typeof declared;
const all = Object.keys(declared) as Kind[];

type Change = (record: Fields) => unknown;
/** Changes the fields with these names, at any depth, where they have a value. */
const change =
	(by: Readonly<Record<string, (value: never) => unknown>>): Change =>
	(record) =>
		JSON.parse(JSON.stringify(record), (name, value) =>
			value === null ? null : by[name] === undefined ? value : by[name](value as never),
		);
const having =
	(fields: Fields): Change =>
	(record) => ({ ...record, ...fields });

async function seen(kind: Kind, response: Change) {
	const news = await declared[kind]();
	const made = await create(open()[kind], news);
	rewriteReads(proxy, eachRecord(response));
	const { props = {}, differs: refresh, warnings, drifts } = await observed(open(), made, news);
	return { refresh, up: await differs(open(), { ...made, outs: props }, news), warnings, drifts };
}

const upper = (value: unknown) => (typeof value === "string" ? value.toUpperCase() : value);
const cut = (time: string) => time.replace(/\.\d+Z$/, "+00:00");
const unknown = { since: "x", links: { self: "/x" }, order: null };
const nothing = () => null;
const cases: Record<string, Change> = {
	"texts in another case, and times with another precision": change({
		...{ status: upper, type: upper, mode: upper, transport: upper, media_encryption: upper },
		...{ created_at: cut, updated_at: cut, password_updated_at: cut },
		country: (value: string) => value.toLowerCase(),
		number: (value: string) => value.replace(/^(\+\d\d)(\d\d)/, "$1 $2 "),
		codecs: (all: string[]) => all.map((codec) => (codec === "opus" ? "OPUS" : codec.toLowerCase())),
		events: (all: string[]) => all.map(upper),
	}),
	"unknown fields": (record) => ({
		...(change({ routing: having({ ...unknown, uri: "" }) })(record) as Fields),
		...unknown,
	}),
	"no status": having({ status: undefined }),
	"an empty status": having({ status: "" }),
	"KYC without its profile": change({ kyc: () => ({ status: "approved" }) }),
	"null and empty texts for nothing": change({
		...{ kyc: nothing, price: nothing, password_updated_at: nothing, secret_version: nothing, secret_hint: nothing },
		...{ source: () => "", activated_at: () => "", auth: having({ allowed_cidrs: [] }) },
	}),
	"no reference": having({ reference: undefined }),
};
describe.each(Object.entries(cases))("a response with %s", (_, response) => {
	test.each(all)("is no drift of a %s", async (kind) => {
		expect(await seen(kind, response)).toEqual({ refresh: false, up: false, warnings: [], drifts: [] });
	});
});

test.each([
	{ status: "provisioning", reconciling: true },
	{ status: "Provisioning", enabled: false },
])("reports a trunk that is being set up as waiting: %j", async (fields) => {
	const { refresh, up, drifts } = await seen("sipTrunk", having(fields));
	expect([refresh, up]).toEqual([false, false]);
	const changes = [{ path: "status", declared: "active", live: "provisioning" }];
	expect(drifts).toMatchObject([{ kind: "waiting", changes }]);
});

test.each<[string, Kind, Change]>([
	["another KYC profile", "number", change({ kyc: having({ profile_id: "kyc_other" }) })],
	["no KYC profile", "number", change({ kyc: having({ profile_id: null }) })],
	["another type of routing", "number", having({ routing: { type: "AGENT", agent_id: "a" } })],
	["a disabled trunk", "sipTrunk", having({ status: "disabled", enabled: false })],
	["other events", "webhook", having({ events: ["CALL.COMPLETED"] })],
])("finds drift in %s", async (_, kind, response) => {
	expect(await seen(kind, response)).toMatchObject({ refresh: true, up: true });
});

/** A refresh by the next run. */
async function refreshed(resource: ResourceState, news: Values) {
	const { drifts, ...result } = await observed(open(), resource, news);
	return { ...result, drift: drifts[0] };
}

test.each([
	["released", "released-outside", "deleted"],
	["ported_out", "ported-out", "deleted"],
	["failed", "number-failed", "deleted"],
	["suspended", "not-active", "problem"],
	["porting_out", "not-active", "problem"],
] as const)("warns of a %s number [%s], which is %s and no difference", async (status, code, kind) => {
	const made = await create(open().number, aNumber());
	if (status === "released") emulator.remove("number", made.id);
	else emulator.edit("number", made.id, { status });
	const { props, warnings, ...seen } = await refreshed(made, aNumber());
	expect([props?.status, seen.differs]).toEqual([kind === "deleted" ? undefined : status, false]);
	expect(warnings).toEqual([expect.stringContaining(`[telephony:${code}]`)]);
	expect(warnings[0]).toContain(`${made.outs.phoneNumber} (${made.id})`);
	expect(seen.drift).toMatchObject({ kind, severity: "high" });
});

test("matches the tables of the docs, and documents each output", async () => {
	const made = (name: string, table: string) =>
		`<!-- made by npm run generate: ${name} -->\n\n${table}\n\n<!-- end -->`;
	const tables = { ignored: ignoredTable(resources), states: statesTable() };
	for (const [name, table] of Object.entries(tables)) expect(read("docs/drift.md")).toContain(made(name, table));
	const statuses = statusTables();
	for (const [type, { drift }] of Object.entries(resources)) {
		const page = read(`docs/reference/${kebab(type)}.md`);
		expect(page).toContain(made(type, referenceOf(drift)));
		const hasStatuses = type !== "NumberPool" && type !== "Webhook";
		expect([type, statuses[type] !== undefined]).toEqual([type, hasStatuses]);
		if (hasStatuses) expect(page).toContain(made("statuses", statuses[type] ?? ""));
	}
	const kept = ["token", "lease", "account", "__resourceUrn", "organization"];
	for (const [type, kind] of Object.entries({ Number: "number", SipTrunk: "sipTrunk", Webhook: "webhook" } as const)) {
		const { outs } = await create(open()[kind], await declared[kind]());
		const { properties, outputs } = resources[type as "Number"].drift;
		const computed = Object.keys(outs).filter((key) => properties[key] === undefined && !kept.includes(key));
		expect(computed.sort()).toEqual(Object.keys(outputs).sort());
	}
});
