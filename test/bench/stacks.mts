/**
 * `npm run bench`: what `up`, a preview without changes, a refresh and `destroy` of N numbers take on the real engine, by
 * the dynamic front and by the plugin, beside the same numbers by a dynamic provider written as Pulumi's docs teach it;
 * whole runs, in turns, the state in a folder. Prints medians and the state's size; the last line is JSON.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { engineEnv, ensureEngine } from "../../scripts/engine.mts";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
const { values } = parseArgs({
	options: { numbers: { type: "string", default: "200" }, runs: { type: "string", default: "3" } },
});
const operations = [
	["up", "--yes", "--skip-preview"],
	["preview", "--expect-no-changes"],
	["refresh", "--yes", "--skip-preview"],
	["destroy", "--yes", "--skip-preview"],
] as const;
type Operation = (typeof operations)[number][0];

const [count, runs] = [Number(values.numbers), Number(values.runs)];

const declared = `{
	country: "NL",
	type: "geographic",
	area: "20",
	label: \`Desk \${n}\`,
	routing: { type: "sip_uri", uri: "sip:desk@pbx.example.com" },
	metadata: { team: "support" },
}`;
const front = (door: string) => `
import * as telephony from "${door}";

for (let n = 0; n < ${count}; n++) new telephony.Number(\`n\${n}\`, ${declared});
`;

const docsStyle = `
import * as pulumi from "@pulumi/pulumi";

interface Inputs { country: string; type: string; area: string; label: string; routing: object; metadata: object }

async function call(method: string, path: string, body?: object): Promise<any> {
	const response = await fetch(process.env.TELEPHONY_BASE_URL + path, {
		method,
		headers: { authorization: "Bearer " + process.env.TELEPHONY_API_KEY, "content-type": "application/json" },
		...(body && { body: JSON.stringify(body) }),
	});
	if (!response.ok) throw new Error(\`\${method} \${path}: \${response.status}\`);
	return response.status === 204 ? {} : await response.json();
}

const outs = (record: any) => ({
	country: record.country,
	type: record.type,
	area: record.area,
	label: record.label,
	routing: { type: record.routing.type, uri: record.routing.uri },
	metadata: record.metadata,
	number: record.number,
	status: record.status,
	createdAt: record.created_at,
});

const body = ({ label, routing, metadata }: any) => ({
	label,
	routing: { type: routing.type, uri: routing.uri },
	metadata: { team: metadata.team },
});

class NumberProvider implements pulumi.dynamic.ResourceProvider {
	async create({ country, type, area, ...rest }: Inputs): Promise<pulumi.dynamic.CreateResult> {
		const { id } = await call("POST", "/numbers", { country, type, area });
		return { id, outs: outs(await call("PATCH", "/numbers/" + id, body(rest))) };
	}
	async read(id: string): Promise<pulumi.dynamic.ReadResult> {
		return { id, props: outs(await call("GET", "/numbers/" + id)) };
	}
	async update(id: string, _olds: Inputs, news: Inputs): Promise<pulumi.dynamic.UpdateResult> {
		return { outs: outs(await call("PATCH", "/numbers/" + id, body(news))) };
	}
	async delete(id: string): Promise<void> {
		await call("DELETE", "/numbers/" + id);
	}
	async diff(_id: string, olds: Inputs, news: Inputs): Promise<pulumi.dynamic.DiffResult> {
		const replaces = (["country", "type", "area"] as const).filter((key) => olds[key] !== news[key]);
		const same = JSON.stringify(body(olds)) === JSON.stringify(body(news));
		return { changes: replaces.length > 0 || !same, replaces };
	}
}

const provider = new NumberProvider();

class TelephoneNumber extends pulumi.dynamic.Resource {
	declare readonly number: pulumi.Output<string>;
	declare readonly status: pulumi.Output<string>;
	declare readonly createdAt: pulumi.Output<string>;
	constructor(name: string, args: Inputs, opts?: pulumi.CustomResourceOptions) {
		super(provider, name, { number: undefined, status: undefined, createdAt: undefined, ...args }, opts);
	}
}

for (let n = 0; n < ${count}; n++)
	new TelephoneNumber(\`n\${n}\`, ${declared});
`;

await ensureEngine((line) => console.error(line));
const folder = mkdtempSync(join(tmpdir(), "telephony-bench-"));
const emulator = spawn("node", ["bin/telephony", "emulator", "--memory", "--port", "0"], {
	cwd: root,
	stdio: ["ignore", "pipe", "inherit"],
});
try {
	const [line] = (await once(createInterface(emulator.stdout), "line")) as [string];
	const baseUrl = /listening on (\S+)/.exec(line)?.[1];
	if (baseUrl === undefined) throw new Error(line);
	const programs = {
		dynamic: front("pulumi-telephony"),
		plugin: front("pulumi-telephony/plugin"),
		"docs-style": docsStyle,
	};
	const subjects = await Promise.all(
		Object.entries(programs).map(async ([name, program]) => ({ name, ...(await project(name, program, baseUrl)) })),
	);
	for (let run = 0; run < runs; run++) {
		for (const { pulumi, times, measureState } of subjects) {
			for (const [operation, ...args] of operations) {
				const started = performance.now();
				await pulumi(operation, ...args);
				times[operation].push(performance.now() - started);
				if (operation === "up") measureState();
			}
		}
	}
	const theirs = subjects.at(-1)?.times;
	const rows = subjects.map(({ name, times, bytes }) => ({
		name,
		...Object.fromEntries(
			operations.flatMap(([operation]) => [
				[`${operation} (s)`, Number((median(times[operation]) / 1000).toFixed(1))],
				[`${operation} ratio`, Number((median(times[operation]) / median(theirs?.[operation] ?? [])).toFixed(2))],
			]),
		),
		"state (bytes per number)": Math.round(bytes() / count),
	}));
	console.table(rows);
	console.log(JSON.stringify({ benchmark: "stacks", node: process.version, numbers: count, runs, rows }));
} finally {
	emulator.kill("SIGTERM");
	rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

function median(times: readonly number[]): number {
	return [...times].sort((one, other) => one - other)[times.length >> 1] ?? Number.NaN;
}

/** A project in TypeScript with a stack of its own, as a user has it: what runs `pulumi` there. */
async function project(name: string, program: string, baseUrl: string) {
	const cwd = join(folder, name);
	mkdirSync(join(cwd, "state"), { recursive: true });
	symlinkSync(join(root, "node_modules"), join(cwd, "node_modules"));
	writeFileSync(
		join(cwd, "Pulumi.yaml"),
		`name: bench-${name}\nruntime: nodejs\nplugins:\n  providers:\n    - name: telephony\n      path: ${join(root, "bin")}\n`,
	);
	writeFileSync(join(cwd, "package.json"), '{ "main": "index.ts" }\n');
	writeFileSync(join(cwd, "index.ts"), program);
	const env = {
		...process.env,
		...engineEnv(),
		PULUMI_BACKEND_URL: `file://${join(cwd, "state")}`,
		PULUMI_CONFIG_PASSPHRASE: "bench",
		PULUMI_STACK: "dev",
		TELEPHONY_BASE_URL: baseUrl,
		TELEPHONY_API_KEY: "emulator-key",
	};
	const pulumi = (...args: string[]) =>
		promisify(execFile)("pulumi", [...args, "--non-interactive"], { cwd, env, maxBuffer: 1e8 });
	await pulumi("stack", "init", "dev");
	let size = 0;
	const file = join(cwd, "state/.pulumi/stacks", `bench-${name}`, "dev.json");
	return {
		pulumi,
		times: { up: [], preview: [], refresh: [], destroy: [] } as Record<Operation, number[]>,
		measureState: () => {
			size = statSync(file).size;
		},
		bytes: () => size,
	};
}
