/** Programs behind an HTTP proxy that refuses everything. No request to this machine goes through it. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, type Project, run, succeeds } from "../helpers/engine";
import { copyOfExample, type Language, prepare } from "../helpers/languages";
import { startRefusingProxy } from "../helpers/refusing-proxy";
import { repository } from "../helpers/repository";

const emulator = useEmulator({ kyc: "immediate" });
const { kinds, live } = emulator;

/** Buys, compares and releases. */
async function expectLife(project: Project, numbers: number): Promise<void> {
	await succeeds(project.up());
	expect(live()).toHaveLength(numbers);
	await expectQuiet(project);
	await succeeds(project.destroy());
	expect(live()).toEqual([]);
	expect(kinds().filter((kind) => kind === "purchase")).toHaveLength(numbers);
}

test.for<Language>(["yaml", "go"])(
	"runs a program in %s past a proxy",
	// The first time, Go compiles Pulumi's SDK, which takes minutes.
	{ timeout: 15 * 60_000 },
	async (language, context) => {
		const env = await prepare(language, (why) => context.skip(why));
		const proxy = await startRefusingProxy();
		const folder = copyOfExample(`plugin/${language}`);
		const project = await createProject({ service: emulator, folder, env: { ...env, ...proxy.env } });
		await expectLife(project, 4);
		expect(proxy.requests).toEqual([]);
	},
);

// Pulumi's Node.js SDK uses the proxy for every address that `no_proxy` doesn't name.
test.each([{ no_proxy: "localhost,127.0.0.1" }, { no_proxy: "localhost, 127.0.0.1", no_grpc_proxy: "127.0.0.1" }])(
	"runs the dynamic provider past a proxy with %j",
	async (exceptions) => {
		const proxy = await startRefusingProxy();
		const project = await createProject({
			program: `new telephony.Number("desk", { country: "SE", type: "mobile" });`,
			service: emulator,
			env: { ...proxy.env, ...exceptions },
			hasOwnProcess: true,
		});
		await expectLife(project, 1);
		expect(proxy.requests).toEqual([]);
	},
);

test("runs the testing kit for Python past a proxy", async (context) => {
	const env = await prepare("python", (why) => context.skip(why));
	const proxy = await startRefusingProxy();
	const tested = await run(
		"python",
		["-m", "pytest", "-q", "-p", "no:cacheprovider", "."],
		join(repository, "test/testing/python"),
		{ ...process.env, ...env, ...proxy.env, TELEPHONY_CLI: join(repository, "bin/telephony") },
	);
	await succeeds(tested);
	expect(proxy.requests).toEqual([]);
});
