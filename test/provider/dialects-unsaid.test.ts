/** A service that names things otherwise, and nobody has said so: one error that shows the line, and the line mends it. */
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createEmulator } from "../../emulator";
import type { Description } from "../../provider/api/dialect/description";
import { unreadHint } from "../../provider/api/dialect/hint";
import { isTelephonyError } from "../../provider/api/errors";
import { InitError } from "../../provider/lifecycle/resource";
import { dialects } from "../helpers/dialects";
import { type TestEmulator, useEmulator, withCalls } from "../helpers/emulator";
import { useFaultProxy } from "../helpers/fault-proxy";
import { aNumber, aTrunk, create, openProvider } from "../helpers/provider";

type Service = { url: string; apiKey: string };

/** What an `up` of one resource says; "" if all went well. */
async function up(service: Service, kind: "number" | "sipTrunk", told?: Description): Promise<string> {
	const provider = openProvider(service, told && { env: { TELEPHONY_SERVICE: JSON.stringify(told) } });
	return ended(() => create(provider[kind], kind === "number" ? aNumber({ label: "Main" }) : aTrunk()));
}

/** A service of this description, for one story. */
async function at(service: Description, story: (emulator: TestEmulator) => Promise<unknown>): Promise<void> {
	const emulator = await createEmulator({ kyc: "immediate", service });
	await story(withCalls(emulator)).finally(() => emulator.close());
}

async function ended(work: () => Promise<unknown>): Promise<string> {
	try {
		await work();
		return "";
	} catch (error) {
		if (error instanceof InitError) return error.message;
		if (isTelephonyError(error)) return error.message;
		throw error;
	}
}

/** The line that a message shows. */
const lineIn = (message: string): Description => {
	const [, line = ""] =
		/add this line to the service description \(`telephony:service`\): `([^`]+)`/.exec(message) ?? [];
	expect(line, message).not.toBe("");
	return parse(`{ ${line} }`) as Description;
};

const merged = (one: Description, other: Description): Description => ({
	...one,
	...other,
	...(one.records && other.records ? { records: { number: { ...one.records.number, ...other.records.number } } } : {}),
});

/** By the service: how often an `up` must be told something until it works. */
const unlike: Readonly<Record<string, readonly ["number" | "sipTrunk", Description, number]>> = {
	"another name of the id": ["number", { records: { number: { id: "number_id" } } }, 1],
	"an id inside an object": ["number", { records: { number: { id: "meta.number_id" } } }, 1],
	"another name of the list": ["number", { lists: { items: "results" } }, 1],
	"an envelope": ["number", { envelopes: { number: { answer: "data" } } }, 1],
	"PUT for PATCH": ["number", { operations: { patchNumber: "PUT /numbers/{id}" } }, 1],
	"a list as text": ["number", { records: { number: { capabilities: { as: "csv" } } } }, 1],
	"a number as text": ["sipTrunk", { records: { trunk: { capacity: { as: "string" } } } }, 1],
	"several at once": [
		"number",
		{ lists: { items: "results" }, records: { number: { id: "number_id", capabilities: { as: "csv" } } } },
		3,
	],
};

describe.each(Object.entries(unlike))("%s", (_, [kind, service, times]) => {
	test("is said with its line, and with that line the same `up` works: nothing is bought twice", () =>
		at(service, async (emulator) => {
			let told: Description | undefined;
			for (let time = 0; time < times; time++) {
				const said = await up(emulator, kind, told);
				expect(said).toMatch(/The response has |If the service has it elsewhere/);
				told = merged(told ?? {}, lineIn(said));
			}
			expect(told).toEqual(service);
			expect(await up(emulator, kind, told)).toBe("");
			expect(emulator.rows(kind)).toHaveLength(1);
			if (kind === "number") expect(emulator.kinds()).toEqual(["purchase"]);
		}));
});

test("a purchase whose answer can't be read names what it shows of the number, and doesn't wait", () =>
	at({ records: { number: { id: "number_id", number: "msisdn" } } }, async (emulator) => {
		const provider = openProvider(emulator);
		const said = await ended(() => create(provider.number, aNumber()));
		const [row] = emulator.live();
		expect(said).toContain(`It has msisdn ${row?.number}, number_id ${row?.id}.`);
		expect(said).toContain("[telephony:purchase-unknown]");
		expect(provider.clock.now()).toBeLessThan(openProvider(emulator).clock.now() + 5_000);
	}));

test("a release that the service does otherwise is said with the operation's name", () => {
	const service = { operations: { releaseNumber: "POST /numbers/{id}/release" } };
	return at(service, async (emulator) => {
		const { id, outs } = await create(openProvider(emulator).number, aNumber());
		const said = await ended(() => openProvider(emulator).number.delete(id, outs));
		expect(said).toContain("`operations: { releaseNumber: its method and path }`");
		const next = openProvider(emulator, { env: { TELEPHONY_SERVICE: JSON.stringify(service) } });
		expect(await ended(() => next.number.delete(id, outs))).toBe("");
		expect(emulator.live()).toEqual([]);
	});
});

test.each(Object.entries(dialects).filter(([, { errors }]) => errors))(
	"errors in other words (%s) are said with the names that they have",
	(_, service) =>
		at(service, async (emulator) => {
			const said = await up({ ...emulator, apiKey: "wrong" }, "number");
			expect(said).toContain("errors: { code: code, message: detail.text, requestId: trace }");
		}),
);

test("a number whose E.164 is under another name is bought, and one warning of the run says so", () =>
	at({ records: { number: { number: "msisdn" } } }, async (emulator) => {
		const provider = openProvider(emulator);
		for (const name of ["one", "two"]) await create(provider.number, aNumber({}, name));
		expect(provider.warnings.filter((each) => each.includes("msisdn"))).toEqual([
			expect.stringContaining("`records: { number: { number: msisdn } }`"),
		]);
	}));

test("what is bought is named by its id and number only: what stands inside an object of such a name may be a secret", () => {
	const hint = unreadHint("buyNumber", ["id"], { phone: { pin: "4711" }, uid: { token: "hush" } });
	expect(hint).toContain("The response has phone, uid.");
	expect(hint).not.toMatch(/4711|hush|uid\.token/);
});

describe("a list that has one which can't be read", () => {
	const emulator = useEmulator({ kyc: "immediate", service: { records: { number: { id: "number_id" } } } });
	const proxy = useFaultProxy(emulator);

	test("lets no new number of somebody else be taken for the one bought", async () => {
		const theirs = { id: "theirs", number: "+31629999999", country: "NL", type: "mobile", status: "active" };
		// Once something was bought, the list also shows theirs.
		proxy.rewrite = (text, method) => {
			if (method !== "GET" || emulator.live().length === 0) return text;
			const json = JSON.parse(text);
			return JSON.stringify({ ...json, ...(json.data && { data: [...json.data, theirs] }) });
		};
		const said = await ended(() => create(openProvider(proxy).number, aNumber()));
		expect(said).toContain("[telephony:purchase-unknown]");
	});
});
