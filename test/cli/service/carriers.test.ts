/** `telephony service` at carriers of other makes: it describes them, leaves nothing, and then everything holds. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { readDocument } from "../../../cli/service/document";
import { mergedDescription } from "../../../cli/service/finding";
import { propose } from "../../../cli/service/init";
import { isSettled, type ServiceReport } from "../../../cli/service/report";
import type { Description } from "../../../provider/api/description/description";
import { pickBy } from "../../../provider/api/json";
import type { Carrier, CarrierOptions } from "../../carriers/carrier.mts";
import { startKiwivoice } from "../../carriers/kiwivoice.mts";
import { startNordtel } from "../../carriers/nordtel.mts";
import { startPampafone } from "../../carriers/pampafone.mts";
import { FakeClock } from "../../helpers/clock";
import { repository } from "../../helpers/repository";
import { buying, check as checkAt } from "../../helpers/service-check";

interface Place {
	readonly carrier: Carrier;
	readonly clock: FakeClock;
}

async function open(start: (options: CarrierOptions) => Promise<Carrier>): Promise<Place> {
	const clock = new FakeClock();
	const carrier = await start({ now: () => clock.now() });
	onTestFinished(() => carrier.close());
	return { carrier, clock };
}

const check = ({ carrier, clock }: Place, service?: unknown): Promise<ServiceReport> =>
	checkAt({ url: carrier.url, apiKey: carrier.accounts[0]?.key ?? "" }, service, buying("GB/mobile"), clock);

const openIn = ({ rows }: ServiceReport) =>
	rows.flatMap(({ verdict, what, seen }) => (verdict === "holds" ? [] : [`${what}: ${seen}`]));

/** Fails if the carrier bought or created something that it hasn't removed. */
function expectNothingLeft({ carrier }: Place): void {
	const named = (wanted: readonly string[]) =>
		carrier.log.flatMap(({ what, kind, id }) => (wanted.includes(what) ? [`${kind} ${id}`] : [])).toSorted();
	expect(named(["purchase", "create"]).length).toBeGreaterThan(0);
	expect(named(["release", "remove"])).toEqual(named(["purchase", "create"]));
}

const descriptionOf = (name: string): Description =>
	parse(readFileSync(join(repository, "test/carriers", `${name}.yaml`), "utf8"));

test("describes nordtel by its document, and completes that by a check", async () => {
	const place = await open(startNordtel);
	const { description, findings } = await propose(await readDocument(`${place.carrier.url}/openapi.json`));
	const decisions = findings.filter(({ verdict }) => verdict === "decide").map(({ what }) => what);
	expect(decisions).toEqual(["PUT /numbers/{id}/voice", "number: routing.type", "number: routing.trunk_id"]);
	// A person adds the routing's own operations.
	const { records } = descriptionOf("nordtel");
	const routing = pickBy(records?.number ?? {}, (_, field) => field.startsWith("routing"));
	const report = await check(place, mergedDescription(description, { records: { number: routing } }));
	expect(openIn(report)).toEqual(["a missing number: unknown_object (HTTP 404)"]);
	expect(openIn(await check(place, report.description))).toEqual([]);
	expectNothingLeft(place);
});

describe.each([
	["nordtel", startNordtel],
	["pampafone", startPampafone],
	["kiwivoice", startKiwivoice],
] as const)("%s", (name, start) => {
	test("fits its description", async () => {
		const place = await open(start);
		const report = await check(place, descriptionOf(name));
		expect(openIn(report)).toEqual([]);
		expect(isSettled(report)).toBe(true);
		expectNothingLeft(place);
	});

	test("keeps nothing of a check without a description", async () => {
		const place = await open(start);
		const report = await check(place).catch((error: Error) => error.message);
		// Kiwivoice names its id `ref`, and shows it only in the list.
		expect(typeof report === "string" ? report : openIn(report).length).not.toBe(0);
		expectNothingLeft(place);
	});

	test("isn't judged by its refusals for the rate", async () => {
		const place = await open(start);
		for (const method of ["POST", "PUT", "PATCH"])
			place.carrier.fault({ method, path: /\/(?!numbers$)\w+$/, kind: "busy", times: 3 });
		place.carrier.fault({ method: "POST", path: /\/numbers$/, kind: "busy" });
		const report = await check(place, descriptionOf(name));
		const busy = openIn(report).filter((text) => text.includes("refused for its rate"));
		expect(busy).toContain("a purchase: the service refused for its rate (HTTP 429)");
		expect(openIn(report).filter((text) => !/refused for its rate|not tried/.test(text))).toEqual([]);
		expectNothingLeft(place);
	});

	test.each(["createTrunk", "createWebhook"])("loses no object with the response of %s", async (operation) => {
		const place = await open(start);
		const path = operation === "createTrunk" ? /trunks$|troncales$/ : /callbacks$|avisos$|hooks$/;
		place.carrier.fault({ method: "POST", path, kind: "lost-response", times: 1 });
		await expect(check(place, descriptionOf(name))).rejects.toThrow();
		expectNothingLeft(place);
	});

	test.each([0, 1])("names a number whose response is lost after %i refusals", async (times) => {
		const place = await open(start);
		if (times > 0) place.carrier.fault({ method: "POST", path: /numbers$/, kind: "busy", times });
		place.carrier.fault({ method: "POST", path: /numbers$/, kind: "lost-response", times: 1 });
		const error = await check(place, descriptionOf(name)).catch(({ message }: Error) => message);
		const bought = place.carrier.log.filter(({ what }) => what === "purchase");
		expect(bought.length).toBeLessThanOrEqual(1);
		// Kiwivoice may refuse each try for its rate.
		if (bought.length === 0 && name === "kiwivoice") return;
		expect(error).toContain("A NUMBER MAY HAVE BEEN BOUGHT");
		expect(error).toContain(`New in the list:\n  ${bought[0]?.id}`);
	});
});
