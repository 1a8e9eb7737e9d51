/** The place of a state, which tells stacks of one name apart, however it is spelled. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { statePlace } from "../../../provider/session/place";

const place = (url: string, cwd = "/a", env = {}) => statePlace({ PULUMI_BACKEND_URL: url, ...env }, cwd);
const machine = hostname().toLowerCase();
const here = (path: string) => `file://${machine}${path}`;

test.each([
	["https://api.pulumi.com", "https://api.pulumi.com/"],
	[here("/srv/state"), "file:///srv/state/", "file:///srv/state?no_tmp_dir=true", "file:///srv/./x/../state/"],
	[here("/a/state"), "file://./state", "file://./state?no_tmp_dir=true", "file://state/"],
	["https://pulumi.example/a%2Fb", "HTTPS://me@Pulumi.Example:443/a%2Fb/", "https://pulumi.example/a%2Fb?x"],
	["s3://bucket/a/b", "s3://bucket/a/b?region=eu-west-1&awssdk=v2", "S3://bucket/x/../a/./b/"],
	["s3://bucket?prefix=a%2F", "s3://bucket?region=x&prefix=a/", "s3://bucket/?prefix=a%2F#x"],
	["azblob://box?storage_account=a", "azblob://box/?x=y&storage_account=a"],
	[
		"postgres://db.example/state",
		"postgres://me:old@db.example/state",
		"postgres://me:n%65w@DB.example:5432/state/?sslmode=verify-full#x",
		"postgres://me:p#ss/w?rd@db.example/state",
		"Postgres://me:a@b@db.example/state?x=y@z",
		"postgres://me:x?table=y@db.example/state?table=pulumi_state",
	],
	[
		"postgres://db.example/state?table=shop",
		"postgres://me:p#ss/w?rd@db.example/state?sslmode=disable&table=shop",
		"postgres://db.example:5432/state/?table=shop&sslmode=verify-full",
	],
])("has the canonical form %s for each spelling", (canonical, ...spellings) => {
	for (const url of [canonical.startsWith("file:") ? [] : canonical, spellings].flat())
		expect(place(url)).toBe(canonical);
});

test("differs by prefix, table, host and storage account", () => {
	const urls = ["s3://b", "s3://b?prefix=x/", "s3://b?prefix=y/", "postgres:///s?host=/run/a", "postgres:///s?table=a"];
	const azureUrl = "azblob://c?storage_account=two";
	expect(new Set([...urls, "azblob://c", azureUrl].map((url) => place(url))).size).toBe(7);
	expect(place("azblob://c", "/", { AZURE_STORAGE_ACCOUNT: "two" })).toBe(place(azureUrl));
	expect(statePlace({ PULUMI_HOME: "/nowhere" }, "/")).toBeUndefined();
});

test("is in the home folder that the system knows", () => {
	vi.stubEnv("HOME", "/github/home");
	onTestFinished(() => void vi.unstubAllEnvs());
	expect(place("file://~/state")).toBe(here(`${userInfo().homedir}/state`));
});

test.each([
	["state-link", "state"],
	["state-link-2", "state"],
	["link/state", "state"],
	["link/new/state", "new/state"],
])("is the same behind the link %s", (path, real) => {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "telephony-place-")));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	mkdirSync(join(folder, "state"));
	const links = { link: folder, "state-link": "state", "state-link-2": "state-link" };
	for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name));
	expect(place(`file://${folder}/${path}`)).toBe(here(`${folder}/${real}`));
	expect(place(`file://./${path}`, `${folder}/link`)).toBe(here(`${folder}/${real}`));
});
