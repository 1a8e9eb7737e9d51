/** Sends values as programs write them, and compares what they mean. */
import { expect, test } from "vitest";
import { callFunction } from "../../../../provider/functions";
import type { Values } from "../../../../provider/properties/table";
import { useAccount } from "../../../helpers/account";
import { useFaultProxy } from "../../../helpers/fault-proxy";
import { aNumber, aTrunk, create, openProvider } from "../../../helpers/provider";
import { differs, handlerOf } from "../../../helpers/runs";

const { clock, emulator, open } = useAccount();
const proxy = useFaultProxy(emulator);
const routed = (uri: string) => aNumber({ routing: { type: "sip_uri", uri } });
const targeted = (host: string) => aTrunk({ targets: [{ host }] });
const inCountry = (country: string, area: string) =>
	aNumber({ country, type: "geographic", area, waitForActive: false });

test.each<[string, Values, Values, boolean]>([
	[
		"a SIP URI",
		routed("SIP:Desk@PBX.example;Transport=TLS;t=aB"),
		routed("sip:Desk@pbx.example;transport=tls;t=aB"),
		false,
	],
	["a SIP URI's parameter", routed("sip:Desk@pbx.example;t=aB"), routed("sip:Desk@pbx.example;t=ab"), true],
	["a SIP URI's user", routed("sip:Desk@pbx.example"), routed("sip:desk@pbx.example"), true],
	["an IPv6 host", targeted("[2001:DB8:0::1]"), targeted("2001:db8::1"), false],
	["a Dutch area", inCountry("NL", "20"), inCountry("NL", "020"), false],
	["an Italian area", inCountry("IT", "06"), inCountry("IT", "6"), true],
])("compares the spelling of %s", async (_, before, after, isChanged) => {
	const made = await create(handlerOf(open(), before), before);
	const { routing, targets } = before as { routing?: { uri: string }; targets?: unknown[] };
	const row = emulator.row(made.id);
	if (routing !== undefined) expect(row?.routing).toMatchObject({ uri: routing.uri });
	if (targets !== undefined) expect(row?.targets).toMatchObject(targets);
	expect(await differs(open(), made, after, before)).toBe(isChanged);
});

test("buys, resumes, adopts and searches the area without its trunk prefix", async () => {
	const { id, outs } = await create(open().number, inCountry("NL", "020"));
	expect(emulator.live()).toMatchObject([{ area: "20" }]);
	expect((await open().number.read(id, outs)).props).toMatchObject({ area: "020" });
	expect((await create(open().number, inCountry("NL", "20"))).id).toBe(id);
	await emulator.call("PATCH", `/numbers/${id}`, { reference: null });
	const adopting = { ...inCountry("NL", "020"), adopt: id };
	expect((await create(open().number, adopting)).id).toBe(id);
	const found = (name: string, area: string) => callFunction(open().session, name, { country: "NL", area });
	expect(await found("getNumbers", "020")).toMatchObject({ answer: { numbers: [{ id }] } });
	for (const name of ["getNumbers", "getAvailableNumbers"])
		expect(await found(name, "020")).toEqual(await found(name, "20"));
});

test("reads a phone number that the service shows without its plus", async () => {
	const forward = (to: string) => ({ routing: { type: "forward", to } });
	const { id, outs } = await create(open().number, aNumber(forward("+31201234567")));
	proxy.rewrite = (text) => text.replaceAll('"+31', '"31');
	expect((await openProvider(proxy, { clock }).number.read(id, outs)).props).toMatchObject(forward("+31201234567"));
	emulator.edit("number", id, forward("+31209876543"));
	const { inputs } = await openProvider(proxy, { clock }).number.read(id, outs);
	expect(inputs).toMatchObject(forward("+31209876543"));
});

test.each([
	["(020) 123 4567", 1],
	["0031201234567", 1],
	["2025550123", 0],
])("refuses %s as a function's number unless it may be an id", async (id, count) => {
	const called = await callFunction(open().session, "getNumber", { id }).catch(() => ({ answer: {} }));
	expect("failures" in called ? called.failures : []).toHaveLength(count);
});
