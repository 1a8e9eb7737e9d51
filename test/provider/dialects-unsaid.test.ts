/** Services with names of their own and no description: an error leads to it, and nothing is lost. */
import { expect, test } from "vitest";
import { createEmulator } from "../../emulator";
import type { Description } from "../../provider/api/description/description";
import { unreadHint } from "../../provider/api/description/hint";
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

test.each<[string, "number" | "sipTrunk", Description]>([
	["another name of the id", "number", { records: { number: { id: "number_id" } } }],
	["an id inside an object", "number", { records: { number: { id: "meta.number_id" } } }],
	["another name of the list", "number", { lists: { items: "results" } }],
	["an envelope", "number", { envelopes: { number: { response: "data" } } }],
	["PUT for PATCH", "number", { operations: { patchNumber: "PUT /numbers/{id}" } }],
	["a number as text", "sipTrunk", { records: { trunk: { capacity: { as: "string" } } } }],
	[
		"several at once",
		"number",
		{ lists: { items: "results" }, records: { number: { id: "number_id", capabilities: { as: "csv" } } } },
	],
])("names the check that finds %s, and buys nothing twice", (_, kind, service) =>
	at(service, async (emulator) => {
		expect(await up(emulator, kind)).toContain("run `telephony service check`");
		expect(await up(emulator, kind, service)).toBe("");
		expect(emulator.rows(kind)).toHaveLength(1);
		if (kind === "number") expect(emulator.kinds()).toEqual(["purchase"]);
	}),
);

test("names the check in a warning for a field that no resource needs", () =>
	at({ records: { number: { capabilities: { as: "csv" } } } }, async (emulator) => {
		const run = openAt(emulator);
		await create(run.number, aNumber({ label: "Main" }));
		expect(run.warnings).toEqual([expect.stringMatching(/capabilities of a number.*run `telephony service check`/)]);
		expect(emulator.kinds()).toEqual(["purchase"]);
	}));

test("shows no value inside an object of an unread response", () => {
	const hint = unreadHint({ phone: { pin: "4711" }, uid: { token: "hush" } });
	expect(hint).toContain("The response has phone, uid.");
	expect(hint).not.toMatch(/4711|hush|uid\.token/);
});
