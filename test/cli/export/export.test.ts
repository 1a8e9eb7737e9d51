/** `telephony export`: the objects it selects, and the names it gives them. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Owned } from "../../../cli/account/account";
import { importsOf } from "../../../cli/export/imports";
import { telephony } from "../../helpers/drift-cli";
import { useEmulator } from "../../helpers/emulator";
import { run } from "../../helpers/engine";

const number = (id: string, more: object = {}) => ({ type: "Number", record: { id, ...more } }) as Owned;

test("names resources by label or E.164, each once", () => {
	const trunk = { type: "SipTrunk", record: { id: "trk_1", name: "HQ" } } as Owned;
	const imports = importsOf([
		trunk,
		number("num_1", { label: "Front desk (2nd)", number: "+31201234567" }),
		number("num_2", { number: "+31201234567" }),
		number("num_3", { label: "Front Desk: 2nd" }),
		number("num_4", { label: "日本" }),
		number("num_5", { label: "Électricité" }),
		number("num_6", { label: "7 seas" }),
	]);
	expect(imports[0]).toEqual({ type: "telephony:index:SipTrunk", name: "hq", id: "trk_1" });
	expect(imports.slice(1).map(({ name }) => name)).toEqual([
		...["frontDesk2nd", "number31201234567", "frontDesk2nd2", "numberNum4", "electricite", "numberNum6"],
	]);
});

const emulator = useEmulator({ kyc: "immediate" });

async function exported(...args: string[]) {
	const folder = mkdtempSync(join(tmpdir(), "telephony-export-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	const env = { ...process.env, TELEPHONY_API_KEY: emulator.apiKey, TELEPHONY_BASE_URL: emulator.url };
	const exportOnce = () => run("node", [telephony, "export", ...args], folder, env);
	const done = await exportOnce();
	if (done.code !== 0) return { ...done, ids: [], exportOnce };
	const { resources } = JSON.parse(readFileSync(join(folder, "import.json"), "utf8"));
	return { ...done, ids: (resources as { id: string }[]).map(({ id }) => id), exportOnce };
}

const made = async (path: string, body: object) => (await emulator.call("POST", path, body)).body.id;
const buy = async (country: string, more: object) => {
	const id = await made("/numbers", { country, type: "mobile" });
	emulator.control.patchNumber(id, more);
	return id;
};

test("selects objects that match all filters", async () => {
	const desk = await buy("NL", { label: "Desk", metadata: { team: "a" } });
	await buy("GB", { metadata: { team: "a" } });
	const filters = ["--filter", "country=NL", "--filter", "metadata.team=a"];
	expect((await exported(...filters)).ids).toEqual([desk]);
	expect((await exported("--filter", "kind=trunk")).ids).toEqual([]);
	const refused = await exported("--filter", "contry=NL");
	expect(refused.output).toMatch(/contry=NL.*country.*\[telephony:usage\]/);
	expect(refused.code, refused.output).toBe(2);
});

test("leaves out claimed objects, and names what the service doesn't show", async () => {
	const address = { street: "Damrak 1", city: "Amsterdam", postal_code: "1012", country: "NL" };
	const profile = await made("/kyc/profiles", { holder: "business", name: "Example B.V.", country: "NL", address });
	const claimed = await buy("NL", { reference: "crm/42" });
	const done = await exported();
	expect(done.ids).toEqual([profile]);
	expect(done.output).toContain(`left out the number ${claimed}, which is claimed by`);
	expect(done.output).toContain("KycProfile: the service doesn't show `idNumber`");
	expect(done.stdout).toContain("export: 1 of 2 objects, 1 left out\n");
	const second = await done.exportOnce();
	expect(second.output).toContain("import.json exists");
	expect(second.code, second.output).toBe(2);
});
