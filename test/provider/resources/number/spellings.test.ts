/** Values that programs write in several ways: what they mean, what is refused, and what the service gets. */
import { describe, expect, it } from "vitest";
import { callFunction } from "../../../../provider/functions";
import { useAccount } from "../../../helpers/account";
import { useFaultProxy } from "../../../helpers/fault-proxy";
import {
	aNumber,
	aPool,
	aPortOrder,
	aTrunk,
	checked,
	create,
	type Name,
	openProvider,
} from "../../../helpers/provider";

type Values = Record<string, unknown>;
const { clock, emulator, open } = useAccount();
const slim = useFaultProxy(emulator);

const reasonsOf = async (name: Name, inputs: Values): Promise<string[]> =>
	(await open()[name].check({}, inputs)).failures.map(({ reason }) => reason);

const american = { country: "US", type: "geographic" };
const forward = (to: string) => ({ routing: { type: "forward", to } });

describe("a phone number without +", () => {
	it.each<[Name, Values, string, string | undefined]>([
		["number", aNumber({ ...american, ...forward("2025550123") }), "routing.to", "+12025550123"],
		["number", aNumber(forward("020 123 4567")), "routing.to", "+31201234567"],
		["number", aNumber(forward("31201234567")), "routing.to", "+31201234567"],
		["number", aNumber(forward("0031201234567")), "routing.to", "+31201234567"],
		["number", aNumber(forward("2025550123")), "routing.to", undefined],
		[
			"number",
			aNumber({
				...american,
				routing: { type: "agent", agentId: "a", failover: { type: "forward", to: "2025550123" } },
			}),
			"routing.failover.to",
			"+12025550123",
		],
		["numberPool", aPool({ ...american, ...forward("(202) 555-0123") }), "routing.to", "+12025550123"],
		["number", aNumber({ ...american, adopt: "2025550123" }), "adopt", "+12025550123"],
		["number", aNumber({ adopt: "020-1234567" }), "adopt", "+31201234567"],
		["numberPool", aPool({ ...american, adopt: ["num_1", "2025550123"] }), "adopt[1]", "+12025550123"],
		["portOrder", aPortOrder({ numbers: ["+31201234567", "0612345678"] }), "numbers[1]", "+31612345678"],
	])("is refused by the check of a %s: %j", async (name, inputs, path, suggestion) => {
		const reasons = await reasonsOf(name, inputs);
		expect(reasons).toHaveLength(1);
		expect(reasons[0]).toContain(`${path}: `);
		expect(reasons[0]?.includes("Did you mean")).toBe(suggestion !== undefined);
		expect(reasons[0]).toContain(suggestion ?? "E.164");
	});

	it.each(["num_1", "1293384261075731499", "1000234", "+1 202 555 0123"])(
		"may be the id %s in `adopt`",
		async (adopt) => {
			expect(await reasonsOf("number", aNumber({ ...american, adopt }))).toEqual([]);
		},
	);

	it("is refused as a function's number, unless it may be an id", async () => {
		const failuresOf = async (id: string) => {
			const called = await callFunction(open().session, "getNumber", { id }).catch(() => ({ answer: {} }));
			return "failures" in called ? called.failures.length : 0;
		};
		expect(await failuresOf("(020) 123 4567")).toBe(1);
		expect(await failuresOf("0031201234567")).toBe(1);
		expect(await failuresOf("2025550123")).toBe(0);
	});

	it("is read from a response, and programs get it with its +", async () => {
		const { number } = open();
		const inputs = await checked(number, aNumber(forward("+31201234567")));
		const { id, outs } = await create(number, inputs);
		slim.rewrite = (text) => text.replaceAll('"+31', '"31');
		const run = openProvider(slim, { clock });
		const read = await run.number.read(id, outs);
		expect(read.props).toMatchObject(forward("+31201234567"));
		await emulator.call("PATCH", `/numbers/${id}`, forward("+31209876543"));
		expect((await openProvider(slim, { clock }).number.read(id, outs)).inputs).toMatchObject(forward("+31209876543"));
	});
});

describe("a SIP URI", () => {
	it("is sent as written, and another value of a parameter is a change", async () => {
		const { number } = open();
		const route = (uri: string) => ({ routing: { type: "sip_uri", uri } });
		const written = "SIP:Desk@PBX.example;Transport=TLS;token=c2lwOj";
		const { id, outs } = await create(number, aNumber(route(written)));
		expect(emulator.rows("number")[0]?.routing).toMatchObject({ uri: written });
		const diff = async (uri: string) =>
			(await number.diff(id, outs, await checked(number, aNumber(route(uri))))).changes;
		expect(await diff("sip:Desk@pbx.example;transport=tls;token=c2lwOj")).toBe(false);
		expect(await diff("sip:Desk@pbx.example;transport=tls;token=c2lwoj")).toBe(true);
		expect(await diff("sip:desk@pbx.example;transport=tls;token=c2lwOj")).toBe(true);
	});
});

describe("an area with its trunk prefix", () => {
	const dutch = (area: string) => aNumber({ country: "NL", type: "geographic", area });

	it("is the area without it: no change, one claim, one number", async () => {
		const { number } = open();
		const { id, outs } = await create(number, dutch("20"));
		const again = await checked(number, dutch("020"));
		expect(await number.diff(id, outs, again)).toMatchObject({ changes: false, replaces: [] });
		expect((await number.check(outs, again)).failures).toEqual([]);
		expect((await open().number.create(again)).id).toBe(id);
		expect((await number.read(id, { ...outs, area: "020" })).props).toMatchObject({ area: "020" });
		expect(emulator.live()).toHaveLength(1);
	});

	it("buys, adopts, finds and searches the area", async () => {
		const { number, session } = open();
		await create(number, aNumber({ country: "NL", type: "geographic", area: "020" }, "first"));
		expect(emulator.live()).toMatchObject([{ area: "20" }]);
		const [bought] = emulator.live();
		await emulator.call("PATCH", `/numbers/${bought?.id}`, { reference: null });
		const { id } = await create(open().number, aNumber({ ...american, country: "NL", area: "020", adopt: bought?.id }));
		expect(id).toBe(bought?.id);
		const find = async (area: string) => callFunction(session, "getNumbers", { area });
		expect(await find("020")).toEqual(await find("20"));
		expect(await find("020")).toMatchObject({ answer: { numbers: [{ id }] } });
		const search = async (area: string) => callFunction(session, "getAvailableNumbers", { country: "NL", area });
		expect(await search("020")).toEqual(await search("20"));
	});

	it("is another area in Italy, where the zero belongs to the number", async () => {
		const { number } = open();
		const roman = (area: string) => aNumber({ country: "IT", type: "geographic", area, waitForActive: false });
		const { id, outs } = await create(number, roman("06"));
		const { inputs, failures } = await number.check(outs, roman("6"));
		expect(failures).toEqual([]);
		expect(await number.diff(id, outs, inputs)).toMatchObject({ replaces: ["area"] });
	});
});

describe("the host of a target", () => {
	it.each(["pbx.example", "PBX.example.", "203.0.113.9", "2001:db8::1", "[2001:DB8::1]"])("may be %s", async (host) => {
		expect(await reasonsOf("sipTrunk", aTrunk({ targets: [{ host }] }))).toEqual([]);
	});

	it.each([
		["999.999.999.999", "IP address"],
		["203.0.113", "IP address"],
		["pbx.example:5061", "port: 5061"],
		["203.0.113.9:5060", "port: 5060"],
		["[2001:db8::1]:5060", "port: 5060"],
		["fe80::1%eth0", "IP address"],
	])("may not be %s", async (host, fix) => {
		const reasons = await reasonsOf("sipTrunk", aTrunk({ targets: [{ host }] }));
		expect(reasons).toHaveLength(1);
		expect(reasons[0]).toContain(fix);
	});

	it("is the same with and without brackets, and in any spelling of IPv6", async () => {
		const { sipTrunk } = open();
		const { id, outs } = await create(sipTrunk, aTrunk({ targets: [{ host: "[2001:DB8:0::1]" }] }));
		expect(emulator.rows("sipTrunk")[0]?.targets).toMatchObject([{ host: "[2001:DB8:0::1]" }]);
		const news = await checked(sipTrunk, aTrunk({ targets: [{ host: "2001:db8::1" }] }));
		expect((await sipTrunk.diff(id, outs, news)).changes).toBe(false);
	});
});
