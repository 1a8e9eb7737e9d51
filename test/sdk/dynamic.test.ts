import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { providerText } from "../../sdk/dynamic";
import { useEmulator } from "../helpers/emulator";
import { run } from "../helpers/engine";
import { createFolder } from "../helpers/folders";
import { useHost, type Values } from "../helpers/host";
import { type Kind, kinds } from "../helpers/kinds";
import { read, repository } from "../helpers/repository";

test.each(["number", "sipTrunk", "webhook", "activation", "numberPool"] as const)(
	"keeps the provider's text, which states hold for ever: %s",
	(name) => {
		expect(providerText(name)).toBe(`exports.handler = () => require("pulumi-telephony/provider").${name};`);
	},
);

/** A text in the bundled code of each package that takes long to load. */
const heavy = {
	zod: "$ZodType",
	undici: "UND_ERR_INVALID_ARG",
	"libphonenumber-js": "country_calling_codes",
	hono: "HonoRequest",
	yaml: "YAMLParseError",
};

test("knows a text of each package's bundled code", () => {
	const files = globSync("dist/bundle/*.js", { cwd: repository }).map((file) => read(file));
	for (const [name, text] of Object.entries(heavy))
		expect(
			files.some((code) => code.includes(text)),
			name,
		).toBe(true);
});

test.each([
	["provider", ["zod"]],
	["sdk", []],
	["cli", ["zod", "yaml"]],
	["client", ["zod"]],
])("reads the code of few packages when it starts: dist/bundle/%s.js %j", async (door, needed) => {
	const load = `process.argv.push("--help"); require("./dist/bundle/${door}.js");
		process.on("exit", () => console.error(JSON.stringify(Object.keys(require.cache))));`;
	const { output } = await run("node", ["-e", load], repository, process.env);
	const loaded = (JSON.parse(output.trim().split("\n").at(-1) ?? "") as string[]).map((file) =>
		readFileSync(file, "utf8"),
	);
	const names = Object.entries(heavy).filter(([, text]) => loaded.some((code) => code.includes(text)));
	expect(names.map(([name]) => name)).toEqual(needed);
});

test.each([...["sdk", "provider", "client", "emulator"].map((door) => `dist/bundle/${door}.js`), "bin/telephony"])(
	"gets one error on an old Node, before any package is loaded: %s",
	async (file) => {
		const disguise = join(createFolder(), "disguise.cjs");
		writeFileSync(disguise, 'Object.defineProperty(process.versions, "node", { value: "20.11.0" });\n');
		const path = join(repository, file);
		const attempt = `try { require(${JSON.stringify(path)}) } catch (error) { console.log(error.stack) }
		console.error(Object.keys(require.cache).filter((file) => file.includes("node_modules")).length);`;
		const { stdout, output } = await run("node", ["--require", disguise, "-e", attempt], repository, process.env);
		expect(stdout.trim()).toMatch(/^pulumi-telephony needs [^\n]* 20\.11\.0 [^\n]*\[telephony:node-version\]$/);
		expect(output.trim().split("\n").at(-1)).toBe("0");
		if (file !== "bin/telephony") return;
		for (const name of ["telephony", "pulumi-resource-telephony"]) {
			const command = await run("node", ["-r", disguise, `bin/${name}`, "--help"], repository, process.env);
			expect(command).toMatchObject({ code: 1, stdout: "" });
			expect(command.output).toMatch(/^pulumi-telephony needs [^\n]*\[telephony:node-version\]\n$/);
		}
	},
);

describe("the dynamic host, driven by the protocol", () => {
	const emulator = useEmulator();
	const { start } = useHost();

	/** Returns the inputs that the SDK registers. */
	const declared = (kind: Kind["name"], type: string, inputs: Values, name: string): Values => ({
		...inputs,
		__provider: providerText(kind),
		__resourceUrn: `urn:pulumi:dev::protocol::pulumi-nodejs:dynamic/telephony:${type}::${name}`,
	});

	it("configures every first call, even of several at once", async () => {
		const host = await start();
		await host.configure({ "telephony:apiKey": emulator.apiKey, "telephony:baseUrl": emulator.url });
		// The host calls the handler's `configure` for the first call of a type and lets others overtake it.
		const calls = kinds.flatMap(({ name: kind, type, declare }) =>
			Array.from({ length: 8 }, (_, n) => ({
				kind,
				news: declared(kind, type, declare() as Parameters<typeof declared>[2], `r${n}`),
			})),
		);
		const answers = await Promise.all(
			calls.flatMap(({ kind, news }) => [
				host.check(news).then(({ failures }) => failures),
				host.diff("x", { ...news, token: "t" }, news).then(({ changes }) => [changes]),
				host.read(`${kind}_none`, { ...news, token: "t" }).catch((error: Error) => [error.message]),
			]),
		);
		// Each check has the key, and each read reaches the service.
		const unknown = [expect.stringContaining("[telephony:wrong-account]")];
		expect(answers).toEqual(calls.flatMap(() => [[], [true], unknown]));
		expect(emulator.control.requests().filter(({ status }) => status === 401)).toEqual([]);
	});
});
