/** Services with names of their own and no description: one error shows the line, and the line fixes it. */
import { expect, test } from "vitest";
import { parse } from "yaml";
import { createEmulator } from "../../emulator";
import type { Description } from "../../provider/api/dialect/description";
import { unreadHint } from "../../provider/api/dialect/hint";
import { type TestEmulator, withCalls } from "../helpers/emulator";
import { aNumber, aTrunk, create, openProvider } from "../helpers/provider";

type Service = { url: string; apiKey: string };

/** Runs one story at a service of this description. */
async function at(service: Description, story: (emulator: TestEmulator) => Promise<unknown>): Promise<void> {
	const emulator = await createEmulator({ kyc: "immediate", service });
	await story(withCalls(emulator)).finally(() => emulator.close());
}
const openAt = (service: Service, described?: Description) =>
	openProvider(service, described && { env: { TELEPHONY_SERVICE: JSON.stringify(described) } });
/** The error of the work; "" if it succeeds. */
const messageOf = (work: Promise<unknown>): Promise<string> =>
	work.then(
		() => "",
		(error: Error) => error.message,
	);
const up = (service: Service, kind: "number" | "sipTrunk", described?: Description) =>
	messageOf(create(openAt(service, described)[kind], kind === "number" ? aNumber({ label: "Main" }) : aTrunk()));

test.each<[string, "number" | "sipTrunk", number, Description]>([
	["another name of the id", "number", 1, { records: { number: { id: "number_id" } } }],
	["an id inside an object", "number", 1, { records: { number: { id: "meta.number_id" } } }],
	["another name of the list", "number", 1, { lists: { items: "results" } }],
	["an envelope", "number", 1, { envelopes: { number: { answer: "data" } } }],
	["PUT for PATCH", "number", 1, { operations: { patchNumber: "PUT /numbers/{id}" } }],
	["a list as text", "number", 1, { records: { number: { capabilities: { as: "csv" } } } }],
	["a number as text", "sipTrunk", 1, { records: { trunk: { capacity: { as: "string" } } } }],
	[
		"several at once",
		"number",
		3,
		{ lists: { items: "results" }, records: { number: { id: "number_id", capabilities: { as: "csv" } } } },
	],
])("shows the line of the description for %s, and buys nothing twice", (_, kind, times, service) =>
	at(service, async (emulator) => {
		let described: Description = {};
		for (let time = 0; time < times; time++) {
			const message = await up(emulator, kind, time === 0 ? undefined : described);
			const [, line = ""] =
				/add this line to the service description \(`telephony:service`\): `([^`]+)`/.exec(message) ?? [];
			expect(line, message).not.toBe("");
			const next = parse(`{ ${line} }`) as Description;
			const number = { ...described.records?.number, ...next.records?.number };
			described = { ...described, ...next, ...(Object.keys(number).length > 0 && { records: { number } }) };
		}
		expect(described).toEqual(service);
		expect(await up(emulator, kind, described)).toBe("");
		expect(emulator.rows(kind)).toHaveLength(1);
		if (kind === "number") expect(emulator.kinds()).toEqual(["purchase"]);
	}),
);

test("shows no value inside an object of an unread response", () => {
	const hint = unreadHint("buyNumber", ["id"], { phone: { pin: "4711" }, uid: { token: "hush" } });
	expect(hint).toContain("The response has phone, uid.");
	expect(hint).not.toMatch(/4711|hush|uid\.token/);
});
