/** A carrier whose voice routing has an operation and places of its own, and whose trunks show no mode. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import type { Values } from "../../provider/properties/table";
import { FakeClock } from "../helpers/clock";
import { aNumber, aTrunk, create, openProvider } from "../helpers/provider";
import { read } from "../helpers/repository";
import { differs, type ResourceState, refreshed, updated } from "../helpers/runs";
import type { Carrier } from "./carrier.mts";
import { startNordtel } from "./nordtel.mts";

const clock = new FakeClock(Date.parse("2026-01-01T00:00:00Z"));
let carrier: Carrier;
beforeAll(async () => {
	carrier = await startNordtel({ now: () => clock.now() });
});
afterAll(() => carrier.close());

const config = { "telephony:service": JSON.stringify(parse(read("test/carriers/nordtel.yaml"))) };
const open = () => openProvider({ url: carrier.url, apiKey: carrier.accounts[0]?.key ?? "" }, { clock, config });
/** Updates a resource, and expects that a refresh then finds no difference. */
const settled = async (resource: ResourceState, news: Values): Promise<ResourceState> => {
	const done = await updated(open(), resource, news);
	const latest = await refreshed(open(), done, news);
	expect([latest.changes, await differs(open(), latest, news)]).toEqual([false, false]);
	return latest;
};

test("routes a number in every way, and clears the routing", async () => {
	const trunk = await create(open().sipTrunk, aTrunk({ name: "office" }));
	const declared = (routing?: object) => aNumber({ country: "GB", label: "desk", ...(routing && { routing }) });
	const toTrunk = { type: "trunk", trunkId: trunk.id };
	let number: ResourceState = await create(open().number, declared(toTrunk));
	const ways: readonly (readonly [routing: object | undefined, voice: object])[] = [
		[toTrunk, { mode: "trunk", target: Number(trunk.id), ring_seconds: 30 }],
		[
			{ type: "forward", to: "+31201234567" },
			{ mode: "forward", target: "31201234567" },
		],
		[
			{ type: "sip_uri", uri: "sip:a@b.example", ringTimeoutSeconds: 20 },
			{ mode: "sip", ring_seconds: 20 },
		],
		[undefined, { mode: "off", target: null }],
		[toTrunk, { mode: "trunk", target: Number(trunk.id) }],
	];
	for (const [routing, voice] of ways) {
		number = await settled(number, declared(routing));
		expect(carrier.rows(carrier.accounts[0]?.name ?? "", "number")).toMatchObject([{ label_text: "desk", voice }]);
	}
});

test("changes how a trunk authenticates, and back", async () => {
	const list = (more: object = {}) => aTrunk({ name: "gate", ...more }, "gate");
	const digest = { mode: "digest", username: "desk", password: "a-long-password-1" };
	let trunk: ResourceState = await create(open().sipTrunk, list());
	trunk = await settled(trunk, list({ auth: digest }));
	await settled(trunk, list({ capacity: 7 }));
	const rows = carrier.rows(carrier.accounts[0]?.name ?? "", "trunk").filter(({ title }) => title === "gate");
	expect(rows).toMatchObject([{ channels: 7, sip_login: null, ip_list: ["198.51.100.7/32"] }]);
});
