/**
 * `npm run bench`: a preview of N numbers that finds nothing to do, on the real engine, beside the same numbers by a
 * dynamic provider written as Pulumi's docs teach it; whole runs, in turns. Prints medians; the last line is JSON.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { engineEnv, ensureEngine } from "../../scripts/engine.mts";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
const { values } = parseArgs({
	options: { numbers: { type: "string", default: "600" }, runs: { type: "string", default: "3" } },
});
const [count, runs] = [Number(values.numbers), Number(values.runs)];

const ours = `
import * as telephony from "pulumi-telephony";

for (let n = 0; n < ${count}; n++)
	new telephony.Number(\`n\${n}\`, { country: "NL", type: "geographic", area: "20", label: \`Desk \${n}\` });
`;

const docsStyle = `
import * as pulumi from "@pulumi/pulumi";

interface Inputs { country: string; type: string; area: string; label: string }

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
	number: record.number,
	status: record.status,
	createdAt: record.created_at,
});

class NumberProvider implements pulumi.dynamic.ResourceProvider {
	async create({ country, type, area, label }: Inputs): Promise<pulumi.dynamic.CreateResult> {
		const { id } = await call("POST", "/numbers", { country, type, area });
		return { id, outs: outs(await call("PATCH", "/numbers/" + id, { label })) };
	}
	async read(id: string): Promise<pulumi.dynamic.ReadResult> {
		return { id, props: outs(await call("GET", "/numbers/" + id)) };
	}
	async update(id: string, _olds: Inputs, { label }: Inputs): Promise<pulumi.dynamic.UpdateResult> {
		return { outs: outs(await call("PATCH", "/numbers/" + id, { label })) };
	}
	async delete(id: string): Promise<void> {
		await call("DELETE", "/numbers/" + id);
	}
	async diff(_id: string, olds: Inputs, news: Inputs): Promise<pulumi.dynamic.DiffResult> {
		const replaces = (["country", "type", "area"] as const).filter((key) => olds[key] !== news[key]);
		return { changes: replaces.length > 0 || olds.label !== news.label, replaces };
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
	new TelephoneNumber(\`n\${n}\`, { country: "NL", type: "geographic", area: "20", label: \`Desk \${n}\` });
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
	const subjects = await Promise.all(
		Object.entries({ ours, "docs-style": docsStyle }).map(async ([name, program]) => {
			const pulumi = await project(name, program, baseUrl);
			return { name, pulumi, times: [] as number[] };
		}),
	);
	for (const { pulumi } of subjects) await pulumi("up", "--yes", "--skip-preview");
	for (let run = 0; run < runs; run++) {
		for (const { pulumi, times } of subjects) {
			const started = performance.now();
			await pulumi("preview", "--expect-no-changes");
			times.push(performance.now() - started);
		}
	}
	const medians = subjects.map(({ times }) => times.sort((one, other) => one - other)[times.length >> 1] ?? 0);
	const [mine = 0, theirs = 0] = medians;
	const ratio = Number((mine / theirs).toFixed(2));
	console.table(
		subjects.map(({ name, times }, index) => ({
			name,
			"median (s)": seconds(medians[index] ?? 0),
			"all (s)": times.map(seconds).join(" "),
		})),
	);
	console.log(`ratio ${ratio}; asked for: at most 0.8`);
	const results = { ours: Math.round(mine), docsStyle: Math.round(theirs) };
	console.log(
		JSON.stringify({ benchmark: "preview", node: process.version, numbers: count, runs, medianMs: results, ratio }),
	);
} finally {
	emulator.kill("SIGTERM");
	rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

function seconds(ms: number): string {
	return (ms / 1000).toFixed(1);
}

/** A project in TypeScript with a stack of its own, as a user has it: what runs `pulumi` there. */
async function project(name: string, program: string, baseUrl: string) {
	const cwd = join(folder, name);
	mkdirSync(join(cwd, "state"), { recursive: true });
	symlinkSync(join(root, "node_modules"), join(cwd, "node_modules"));
	writeFileSync(join(cwd, "Pulumi.yaml"), `name: bench-${name}\nruntime: nodejs\n`);
	writeFileSync(join(cwd, "package.json"), '{ "main": "index.ts" }\n');
	writeFileSync(join(cwd, "index.ts"), program);
	const env = {
		...process.env,
		...engineEnv(),
		PULUMI_BACKEND_URL: `file://${join(cwd, "state")}`,
		PULUMI_CONFIG_PASSPHRASE: "bench",
		PULUMI_STACK: "dev",
		// Setting up is not what is measured: the state is written once, at the end.
		PULUMI_EXPERIMENTAL: "true",
		PULUMI_SKIP_CHECKPOINTS: "true",
		TELEPHONY_BASE_URL: baseUrl,
		TELEPHONY_API_KEY: "emulator-key",
	};
	const pulumi = (...args: string[]) =>
		promisify(execFile)("pulumi", [...args, "--non-interactive"], { cwd, env, maxBuffer: 1e8 });
	await pulumi("stack", "init", "dev");
	return pulumi;
}
