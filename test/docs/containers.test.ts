/** Runs examples/containers without containers: the image's command on this machine, under the containers' names. */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { createProject, run } from "../helpers/engine";
import { type Running, start } from "../helpers/engine-running";
import { createFolder } from "../helpers/folders";
import { read, repository } from "../helpers/repository";
import { freePort } from "../helpers/servers";

const here = (path: string) => join(repository, path);
const token = createHash("sha256").update(String(process.pid)).digest("hex");

/** An address of this machine at which the emulator requires the token. */
const outside =
	Object.values(networkInterfaces())
		.flatMap((networkInterface) => networkInterface ?? [])
		.find(({ internal, family }) => !internal && family === "IPv4")?.address ?? "127.0.0.1";

const bins = JSON.parse(read("package.json")).bin as Record<string, string>;
const listOf = (word: string): string[] =>
	JSON.parse(new RegExp(`^${word} (\\[.*\\])$`, "m").exec(read("emulator/Dockerfile"))?.[1] ?? "[]");
/** The image's command on this machine. */
const [command = "", ...options] = listOf("ENTRYPOINT");
const entryPoint = [process.execPath, here(bins[command] ?? ""), ...options];

const started = (command: readonly string[], env: Record<string, string>): Running => {
	const running = start(command, repository, { ...process.env, ...env });
	onTestFinished(() => void running.end("SIGKILL"));
	return running;
};

const portOf = async ({ printed }: Running) => Number(await printed(/listening on http:\/\/[^ ]*:(\d+)\/v1/));

interface Service {
	readonly image?: string;
	readonly build?: { readonly context: string; readonly dockerfile: string };
	readonly command: string[];
	readonly environment: Record<string, string>;
	readonly volumes?: string[];
	readonly depends_on?: Record<string, { condition: string }>;
}

test("connects the services of the compose file with each other", async () => {
	const { services } = parse(read("examples/containers/compose.yaml")) as { services: Record<string, Service> };
	const { emulator, app, pulumi } = services as { emulator: Service; app: Service; pulumi: Service };
	expect(Object.keys(services)).toEqual(["emulator", "app", "pulumi"]);
	expect(
		existsSync(here(join("examples/containers", emulator.build?.context ?? "", emulator.build?.dockerfile ?? ""))),
	).toBe(true);
	expect(app.depends_on).toEqual({ emulator: { condition: "service_healthy" } });
	expect(read("emulator/Dockerfile")).toMatch(/^HEALTHCHECK /m);
	const [mounted = "", inside] = (app.volumes?.[0] ?? "").split(":");
	expect(app.command.at(-1)).toBe(inside);

	// Names of services lead to this machine, with other ports.
	const hosts = ["-r", here("test/fixtures/hosts.cjs")];
	const ownPort = await freePort();
	const [node = "", ...rest] = entryPoint;
	const environment = Object.entries({ ...emulator.environment, TELEPHONY_CONTROL_TOKEN: token });
	const listening = started([node, ...hosts, ...rest, ...emulator.command, "--port", "0"], {
		...Object.fromEntries(environment.map(([name, value]) => [name, value.replace("app:3000", `app:${ownPort}`)])),
		HOSTS: "app=127.0.0.1",
	});
	const port = await portOf(listening);
	const settingsOf = ({ environment }: Service): Record<string, string> =>
		Object.fromEntries(
			Object.entries(environment).map(([name, value]) => [
				name,
				value.replace(":4010", `:${port}`).replace(":3000", `:${ownPort}`),
			]),
		);
	const program = join("examples/containers", mounted);
	const application = started([process.execPath, ...hosts, here(program)], {
		...settingsOf(app),
		HOSTS: `emulator=${outside}`,
	});
	const number = await application.printed(/^bought (\+1\d+)$/m);
	expect(await application.printed(/^number\.activated (\S+)$/m)).toBe(number);

	expect(pulumi.command.at(-1)).toMatch(/^npx pulumi stack select --create dev && npx pulumi up /);
	expect(pulumi.volumes?.[0]).toBe("../..:/checkout");
	const { PULUMI_BACKEND_URL: _, ...ofProgram } = settingsOf(pulumi);
	const stack = await createProject({
		folder: repository,
		env: { ...ofProgram, NODE_OPTIONS: hosts.join(" "), HOSTS: `emulator=${outside}` },
	});
	const up = await stack.up();
	expect(up.code, up.output).toBe(0);
});

const image = { IMAGE_COMMAND: JSON.stringify(entryPoint), IMAGE_HOST: outside };

test("runs the test for Node against the image's command", async () => {
	const folder = createFolder();
	cpSync(here("examples/containers/emulator.test.mjs"), join(folder, "emulator.test.mjs"));
	mkdirSync(join(folder, "node_modules"));
	symlinkSync(here("test/fixtures/testcontainers"), join(folder, "node_modules/testcontainers"));
	const done = await run(process.execPath, ["--test"], folder, { ...process.env, ...image, NODE_OPTIONS: "" });
	expect(done.code, done.output).toBe(0);
	expect(done.output).toMatch(/pass 1\b/);
});

test("runs the test for Python against the image's command", async (context) => {
	const file = here("examples/containers/test_emulator.py");
	const env = { ...process.env, ...image, PYTHONPATH: here("test/fixtures"), PYTHONDONTWRITEBYTECODE: "1" };
	const done = await run("python3", [file], tmpdir(), env).catch(() => undefined);
	if (done === undefined) return context.skip("there is no python3 here");
	expect(done.code, done.output).toBe(0);
	expect(done.output).toMatch(/Ran 1 test.*\n\nOK/s);
});

interface Workflow {
	readonly jobs: {
		readonly test: {
			readonly services: { emulator: { ports: string[]; env: Record<string, string>; image: string } };
			readonly env: Record<string, string>;
			readonly steps: readonly { run: string; name: string }[];
		};
	};
}

test("runs the steps of GitHub's workflow against its service", async () => {
	const filled = read("examples/containers/github.yml").replaceAll(/\$\{\{ github\.(\w+) \}\}/g, "$1-0815");
	expect(filled).not.toContain("${{");
	const { services, env, steps } = (parse(filled) as Workflow).jobs.test;
	expect(services.emulator.env.TELEPHONY_CONTROL_TOKEN).toBe(env.TELEPHONY_CONTROL_TOKEN);
	expect(services.emulator.ports).toEqual(["4010:4010"]);
	// A service takes no arguments but the image's.
	const data = createFolder();
	const args = listOf("CMD").map((word) => (word === "/data" ? data : word));
	const running = started([...entryPoint, ...args, "--port", "0"], services.emulator.env);
	const port = await portOf(running);
	const there = (text: string) => text.replaceAll("localhost:4010", `${outside}:${port}`);
	const environment = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, there(value)]));
	for (const { run: script } of steps) {
		const done = await run("bash", ["-e", "-o", "pipefail", "-c", there(script)], data, {
			...process.env,
			...environment,
		});
		expect(done.code, done.output).toBe(0);
	}
	const response = await fetch(`http://${outside}:${port}/_emulator/state`, {
		headers: { authorization: `Bearer ${env.TELEPHONY_CONTROL_TOKEN}` },
	});
	expect(await response.json()).toMatchObject({ kyc: { policy: "2h" } });
	// `docker stop` sends this signal.
	expect(await running.end("SIGTERM")).toBe(0);
	expect(readdirSync(data)).not.toEqual([]);
});
