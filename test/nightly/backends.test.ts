/**
 * A state in an object store or a database, shared by two runners that differ in host, user, folder and spelling of the URL.
 * One stack goes through all steps, as each command costs seconds.
 */
import { execFile } from "node:child_process";
import { chownSync, existsSync, readdirSync } from "node:fs";
import { userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, flat, succeeds } from "../helpers/engine";
import { start, startUp } from "../helpers/engine-running";
import { eventually } from "../helpers/eventually";
import { createFolder } from "../helpers/folders";
import { crashAtClaim, moveTo } from "../helpers/machines";
import { pythonWith } from "../helpers/python";
import { freePort } from "../helpers/servers";

vi.setConfig({ testTimeout: 15 * 60_000 });
const emulator = useEmulator();
const { kinds } = emulator;

const waiting = `
	new telephony.Number("paris", { country: "NL", type: "mobile" });
	new telephony.Number("berlin", { country: "DE", type: "mobile", label: "held" });
`;
const more = `${waiting}
	new telephony.Number("second", { country: "NL", type: "mobile" });
`;

interface Backend {
	/** Two spellings of the same URL. */
	readonly spellings: readonly [string, string];
	/** Another state at the same server. */
	readonly otherState: string;
	/** Variables of the runs. */
	readonly env: Readonly<Record<string, string>>;
}

const unprivilegedUser = 65_534;
type Skip = (why: string) => never;

/** Starts a server for the test, and returns the first group of what it prints when it is ready. */
function started(
	command: readonly string[],
	cwd: string,
	ready: RegExp,
	as: Parameters<typeof start>[3] = {},
): Promise<string> {
	const server = start(command, cwd, process.env, as);
	onTestFinished(() => void server.end("SIGINT"));
	return server.printed(ready);
}

/** Starts moto's S3. */
async function s3(skip: Skip): Promise<Backend> {
	const python = await pythonWith(["moto[s3]==5.2.5", "flask==3.1.3", "flask-cors==6.0.5"], skip);
	const server = [python, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"];
	const url = await started(server, createFolder(), /Running on (\S+)/);
	const { status } = await fetch(`${url}/states`, { method: "PUT" });
	if (status !== 200) throw new Error(`The bucket can't be made: ${status}`);
	const how = `endpoint=${url}&s3ForcePathStyle=true&region=us-east-1`;
	return {
		spellings: [`s3://states?${how}`, `s3://states/?awssdk=v2&${how}`],
		otherState: `s3://states?prefix=team/&${how}`,
		env: { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret", AWS_EC2_METADATA_DISABLED: "true" },
	};
}

/** Starts the system's PostgreSQL in a new folder. */
async function postgres(skip: Skip): Promise<Backend> {
	const bin = postgresFolder();
	if (bin === undefined) return skip("PostgreSQL isn't installed (Debian: apt-get install postgresql)");
	const folder = createFolder();
	// PostgreSQL refuses to run as root.
	const isRoot = userInfo().uid === 0;
	const as = isRoot ? { uid: unprivilegedUser, gid: unprivilegedUser } : {};
	if (isRoot) chownSync(folder, unprivilegedUser, unprivilegedUser);
	const data = join(folder, "data");
	await promisify(execFile)(join(bin, "initdb"), ["-D", data, "-A", "trust", "-U", "me", "--no-sync"], {
		...as,
		cwd: folder,
	});
	const port = await freePort();
	const options = ["-D", data, "-k", folder, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-F"];
	await started([join(bin, "postgres"), ...options], folder, /ready to accept connections/, as);
	const address = `127.0.0.1:${port}/postgres?sslmode=disable`;
	return {
		spellings: [`postgres://me:old@${address}`, `postgres://me:n%65w@${address}&connect_timeout=20`],
		otherState: `postgres://me@${address}&table=team`,
		env: {},
	};
}

function postgresFolder(): string | undefined {
	const debian = "/usr/lib/postgresql";
	const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
	const folders = [
		...versions.map((version) => join(debian, version, "bin")),
		...(process.env.PATH ?? "").split(delimiter),
	];
	return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}

const backends = { S3: s3, PostgreSQL: postgres } as const;

test.for(Object.entries(backends))("shares a state in %s between two runners", async ([_, open], context) => {
	const { spellings, otherState, env } = await open((why) => context.skip(why));
	const [here, there] = spellings;
	const service = emulator;
	const first = await createProject({ program: waiting, service, backend: here, env });
	moveTo("runner-1", first);
	const second = await createProject({ program: waiting, service, backend: there, env, joins: first });
	moveTo("runner-2", second);
	// The second runner knows the URL from its login only.
	await succeeds(second.pulumi("login", there));
	second.env.PULUMI_BACKEND_URL = undefined;

	// The lock keeps the second runner out, and the first is interrupted.
	const running = startUp(first);
	await eventually(() => {
		expect(emulator.control.state().numbers.find(({ label }) => label === "held")?.reference).toBeTruthy();
		expect(running.output()).toMatch(/KYC action required/);
	});
	const locked = await second.up();
	expect(locked.code, locked.output).not.toBe(0);
	expect(flat(locked)).toContain("currently locked");
	process.kill(-(running.child.pid ?? Number.NaN), "SIGINT");
	expect(await running.code, running.output()).not.toBe(0);
	const saved = await first.deployment();
	expect(saved.pending_operations ?? []).toEqual([]);
	const ids = Object.fromEntries(emulator.control.state().numbers.map(({ id, country }) => [country, id]));
	expect(await first.ids()).toEqual({ paris: ids.NL, berlin: ids.DE });

	// The second runner continues, and is killed itself.
	emulator.control.decide(ids.DE ?? "", "approve");
	await succeeds(second.up());
	expect(kinds()).toEqual(["purchase", "purchase"]);
	second.write(more);
	const { id } = await crashAtClaim(emulator, second, "after");
	first.write(more);
	await succeeds(first.pulumi("cancel", "--yes"));
	const taken = flat(await succeeds(first.up()));
	expect(taken).toMatch(new RegExp(`Resumed .*\\(${id}\\).*\\[telephony:resumed\\]`));
	const all = { paris: ids.NL, berlin: ids.DE, second: id };
	expect(await first.ids()).toEqual(all);
	expect(kinds()).toEqual(["purchase", "purchase", "purchase"]);

	// Another state with the same stack name at the same server is another owner.
	const stranger = await createProject({ program: more, service, backend: otherState, env });
	const [refused, clean] = await Promise.all([stranger.up(), second.drift()]);
	expect(refused.code, refused.output).not.toBe(0);
	expect(flat(refused)).toContain("[telephony:another-state]");
	await succeeds(clean);
	expect(kinds()).toEqual(["purchase", "purchase", "purchase"]);
	await succeeds(second.destroy());
	expect(kinds().slice(3)).toEqual(["release", "release", "release"]);
});
