/** docs/reference/drift.md says what the definitions say, of every property that there is. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { resources } from "../../../provider/resources";
import { driftTables } from "../../../scripts/generate/drift.mts";
import { useEmulator } from "../../helpers/emulator";
import { aNumber, aTrunk, aWebhook, create, openProvider } from "../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });

test("the tables are those of the definitions: `npm run generate` writes them anew", () => {
	const page = readFileSync(resolve(__dirname, "../../../docs/reference/drift.md"), "utf8");
	expect(page).toContain(`<!-- made by npm run generate: drift -->\n\n${driftTables(resources)}\n\n<!-- end -->`);
});

test.each([
	["Number", "number", aNumber({ country: "DE" })],
	["SipTrunk", "sipTrunk", aTrunk({ auth: { mode: "digest", username: "office" } })],
	["Webhook", "webhook", aWebhook()],
] as const)("every output of a %s is in its table", async (type, name, news) => {
	const { outs } = await create(openProvider(emulator)[name], news);
	const { properties, outputs } = resources[type].drift;
	const ours = ["token", "lease", "account", "resourceUrn", "organization"];
	const computed = Object.keys(outs).filter((key) => properties[key] === undefined && !ours.includes(key));
	expect(computed.sort()).toEqual(Object.keys(outputs).sort());
});
