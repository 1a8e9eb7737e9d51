/** Places where teams keep their state, on this machine: an object store like S3, and PostgreSQL. */
import { execFile, type SpawnOptions, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { pythonWith } from "./python";

export interface Backend {
	/** The same place, as two runners spell it. */
	readonly spellings: readonly [string, string];
	/** Another place at the same server. */
	readonly other: string;
	/** What reaching it takes. */
	readonly env: Readonly<Record<string, string>>;
}

const nobody = 65_534;
type Skip = (why: string) => never;

/** Starts a server that ends with the test; gives what it said when it was ready. */
function started(
	command: string,
	args: readonly string[],
	options: SpawnOptions,
	ready: RegExp,
): Promise<RegExpMatchArray> {
	const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
	const gone = new Promise<void>((done) => child.once("close", () => done()));
	onTestFinished(async () => {
		child.kill("SIGINT");
		await gone;
	});
	let said = "";
	return new Promise((resolve, reject) => {
		child.once("error", reject);
		child.once("close", () => reject(new Error(`${command} ended: ${said}`)));
		for (const stream of [child.stdout, child.stderr])
			stream?.on("data", (text) => {
				said += text;
				const found = ready.exec(said);
				if (found !== null) resolve(found);
			});
	});
}

/** moto's S3, of Python's registry. */
async function s3(skip: Skip): Promise<Backend> {
	const python = await pythonWith(["moto[s3]==5.2.5", "flask==3.1.3", "flask-cors==6.0.5"], skip);
	const [, url] = await started(python, ["-m", "moto.server", "-H", "127.0.0.1", "-p", "0"], {}, /Running on (\S+)/);
	const { status } = await fetch(`${url}/states`, { method: "PUT" });
	if (status !== 200) throw new Error(`The bucket can't be made: ${status}`);
	const how = `endpoint=${url}&s3ForcePathStyle=true&region=us-east-1`;
	return {
		spellings: [`s3://states?${how}`, `s3://states/?awssdk=v2&${how}`],
		other: `s3://states?prefix=team/&${how}`,
		env: { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret", AWS_EC2_METADATA_DISABLED: "true" },
	};
}

/** The system's PostgreSQL, in a folder of its own. */
async function postgres(skip: Skip): Promise<Backend> {
	const bin = postgresFolder();
	if (bin === undefined) return skip("PostgreSQL isn't installed (Debian: apt-get install postgresql)");
	const folder = mkdtempSync(join(tmpdir(), "telephony-postgres-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
	// It refuses to run as root.
	const isRoot = userInfo().uid === 0;
	const as = isRoot ? { uid: nobody, gid: nobody } : {};
	if (isRoot) chownSync(folder, nobody, nobody);
	const data = join(folder, "data");
	await promisify(execFile)(join(bin, "initdb"), ["-D", data, "-A", "trust", "-U", "me", "--no-sync"], {
		...as,
		cwd: folder,
	});
	const port = await freePort();
	const options = ["-D", data, "-k", folder, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-F"];
	await started(join(bin, "postgres"), options, { ...as, cwd: folder }, /ready to accept connections/);
	const address = `127.0.0.1:${port}/postgres?sslmode=disable`;
	return {
		spellings: [`postgres://me:old@${address}`, `postgres://me:n%65w@${address}&connect_timeout=20`],
		other: `postgres://me@${address}&table=team`,
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
	return folders.find((each) => existsSync(join(each, "initdb")) && existsSync(join(each, "postgres")));
}

const freePort = () =>
	new Promise<number>((resolve) => {
		const server = createServer().listen(0, "127.0.0.1", () => {
			const { port } = server.address() as { port: number };
			server.close(() => resolve(port));
		});
	});

export const backends = { S3: s3, PostgreSQL: postgres } as const;
