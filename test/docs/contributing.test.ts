/** CONTRIBUTING's worked example of a new property, carried out on a copy of the sources. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../helpers/engine";
import { aTrunk } from "../helpers/provider";
import { files, read, repository } from "../helpers/repository";

const copy = mkdtempSync(join(tmpdir(), "telephony-property-"));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const [, section = ""] = read("CONTRIBUTING.md").split(/^## Adding a property$/m);
/** "In `file`, after `line`:", and a block. */
const entry = /In\s`(?<file>\S+)`, (?<where>after|before) `(?<line>[^`]+)`:\n\n```text\n(?<added>.*?)^```$/gms;
const entries = [...section.matchAll(entry)].map(({ groups = {} }) => groups as Record<string, string>);
const byHand = [...new Set(entries.map(({ file }) => file))];
const program = `import * as telephony from "./sdk";
new telephony.SipTrunk("desk", { auth: { mode: "ip_acl", allowedCidrs: [] }, capacity: 1, dtmfMode: "info" }).dtmfMode.apply;
`;

async function must(command: string, ...args: readonly string[]): Promise<void> {
	const { code, output } = await run(command, args, copy, process.env);
	expect(code, `${command} ${args.join(" ")}\n${output}`).toBe(0);
}
const inCopy = (file: string) => readFileSync(join(copy, file), "utf8");
/** Puts a block before or after the one line that reads so. */
function add({ file = "", where, line = "", added = "" }: Record<string, string>): void {
	const [before = "", after, ...more] = inCopy(file).split(`\t${line}\n`);
	expect({ line, isThere: after !== undefined, more }).toEqual({ line, isThere: true, more: [] });
	const parts = where === "after" ? [`\t${line}\n`, added] : [added, `\t${line}\n`];
	writeFileSync(join(copy, file), [before, ...parts, after].join(""));
}
const sources = files.filter((file) =>
	/^(provider|sdk|scripts|docs|examples\/(?:plugin|reference))\/|^[^/]+$/.test(file),
);

beforeAll(async () => {
	for (const file of sources) cpSync(join(repository, file), join(copy, file));
	// The reference of the commands is made from their help.
	for (const folder of ["bin", "dist/bundle"])
		cpSync(join(repository, folder), join(copy, folder), { recursive: true });
	symlinkSync(join(repository, "node_modules"), join(copy, "node_modules"));
	entries.forEach(add);
	const tsc = (how: string) => must("node", "node_modules/typescript/bin/tsc", "-p", "added.json", how);
	const options = { declaration: false, incremental: false };
	const project = { extends: "./tsconfig.json", compilerOptions: options, include: ["provider", "program.ts"] };
	writeFileSync(join(copy, "added.json"), JSON.stringify(project));
	writeFileSync(join(copy, "program.ts"), "export {};");
	await tsc("--noCheck");
	await must("node", "scripts/generate.mts", "--no-sdks");
	writeFileSync(join(copy, "program.ts"), program);
	await tsc("--noEmit");
});

test("two files are edited by hand, and six are generated, beside the SDKs of other languages", () => {
	expect(byHand).toEqual(["provider/api/contract/trunks.ts", "provider/resources/sip-trunk/properties.ts"]);
	const changed = sources.filter((file) => !/\.(png|svg|ico)$/.test(file) && inCopy(file) !== read(file));
	expect(changed.filter((file) => !byHand.includes(file)).sort()).toEqual([
		"docs/reference/drift.md",
		"docs/reference/functions.md",
		"docs/reference/sip-trunk.md",
		"schema.json",
		"sdk/functions.ts",
		"sdk/sip-trunk.ts",
	]);
});

test("people read it in the SDK and in the reference, with default and change", () => {
	const says = "How the keys that a caller presses are sent.";
	expect(inCopy("sdk/sip-trunk.ts")).toContain(`${says} Default: the service's (assumed rfc2833). Changes in place.`);
	expect(inCopy("docs/reference/sip-trunk.md")).toContain(
		`| \`dtmfMode?\` | \`rfc2833\`, \`info\`, \`inband\`; default the service's (assumed rfc2833) | ${says} | in place |`,
	);
	expect(inCopy("docs/reference/drift.md")).toContain("| `dtmfMode` | declared |  | drift, medium | in place |");
});

test("check refuses a wrong value, and diff sees a change", async () => {
	const load = createRequire(join(copy, "program.ts"));
	const { Session } = load("./dist/provider/session/session.js") as typeof import("../../provider/session/session");
	const { sipTrunkHandler } = load(
		"./dist/provider/resources/sip-trunk/handler.js",
	) as typeof import("../../provider/resources/sip-trunk/handler");
	const env = { TELEPHONY_API_KEY: "key", TELEPHONY_BASE_URL: "http://127.0.0.1:1/v1" };
	const handler = sipTrunkHandler(new Session({ env }));
	await handler.configure({ config: { get: () => undefined } });
	const declared = (dtmfMode: string) => handler.check({}, aTrunk({ dtmfMode }));
	expect((await declared("morse")).failures).toEqual([
		{ property: "", reason: "dtmfMode: must be rfc2833, info or inband" },
	]);
	const [{ inputs: olds }, { inputs: news }] = [await declared("info"), await declared("inband")];
	const diff = async (inputs: typeof news) => (await handler.diff("trk_01", { ...olds, lease: "l" }, inputs)).changes;
	expect({ oldsDiff: await diff(olds), newsDiff: await diff(news) }).toEqual({ oldsDiff: false, newsDiff: true });
});
