/** Where a state is kept tells whose a number is, however the place is spelled. */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { identityOf } from "../../../provider/ownership/claim";
import { parseReference } from "../../../provider/ownership/reference";
import { statePlaces } from "../../../provider/session/place";
import { source } from "../../helpers/claim-source";
import { useEmulator } from "../../helpers/emulator";
import { aNumber, create, openProvider } from "../../helpers/provider";

describe("the place of a state", () => {
	const places = (url: string, cwd = "/") => statePlaces({ PULUMI_BACKEND_URL: url }, cwd);
	const place = (url: string, cwd = "/") => places(url, cwd)[0];
	const machine = hostname().toLowerCase();

	test("is the backend's address; on a disk, the machine's and the path in full", () => {
		expect(place("https://api.pulumi.com/")).toBe("https://api.pulumi.com");
		expect(place("file:///srv/state/")).toBe(`file://${machine}/srv/state`);
		expect(place("file://./state", "/srv/a")).toBe(`file://${machine}/srv/a/state`);
		expect(place("file://~")).toBe(place("file://~/"));
	});

	test("is in the user's home as the system has it, where the CLI looks too, and not where HOME says", () => {
		vi.stubEnv("HOME", "/github/home");
		onTestFinished(() => void vi.unstubAllEnvs());
		expect(places("file://~/state")).toEqual([
			`file://${machine}${userInfo().homedir}/state`,
			`file://${hostname()}/github/home/state`,
		]);
	});

	test.each([
		["to the folder", "state-link", "state"],
		["to a link", "state-link-2", "state"],
		["above the folder", "link/state", "state"],
		["above a folder that doesn't exist yet", "link/new/state", "new/state"],
	])("is the same behind a link %s", (_, path, real) => {
		const folder = realpathSync(mkdtempSync(join(tmpdir(), "telephony-place-")));
		onTestFinished(() => rmSync(folder, { recursive: true }));
		mkdirSync(join(folder, "state"));
		symlinkSync(folder, join(folder, "link"));
		symlinkSync("state", join(folder, "state-link"));
		symlinkSync("state-link", join(folder, "state-link-2"));
		expect(place(`file://${folder}/${path}`)).toBe(`file://${machine}${folder}/${real}`);
		expect(place(`file://./${path}`, `${folder}/link`)).toBe(`file://${machine}${folder}/${real}`);
		// An earlier run wrote under the unresolved path, before the folder was a link.
		expect(places(`file://${folder}/${path}`)).toContain(`file://${hostname()}${folder}/${path}`);
	});

	test("is not known where nothing says so", () => {
		expect(statePlaces({ PULUMI_HOME: "/nowhere" }, "/")).toEqual([]);
	});

	test.each([
		[
			"postgres://db.example/state",
			"postgres://me:old@db.example/state",
			"postgres://me:n%65w@DB.example:5432/state/?sslmode=verify-full#x",
		],
		[
			"postgres://db.example/state",
			"postgres://me:p#ss/w?rd@db.example/state",
			"Postgres://me:a@b@db.example/state?x=y@z",
		],
		["s3://bucket/a/b", "s3://bucket/a/b?region=eu-west-1&awssdk=v2", "S3://bucket/x/../a/./b/"],
		["https://pulumi.example/a%2Fb", "HTTPS://me@Pulumi.Example:443/a%2Fb/", "https://pulumi.example/a%2Fb?x"],
		["azblob://box?storage_account=a", "azblob://box?storage_account=a", "azblob://box/?x=y&storage_account=a"],
		["s3://bucket?prefix=a%2F", "s3://bucket?region=x&prefix=a/", "s3://bucket/?prefix=a%2F#x"],
		[
			"postgres://db.example/state?table=shop",
			"postgres://me:p#ss/w?rd@db.example/state?sslmode=disable&table=shop",
			"postgres://db.example:5432/state/?table=shop&sslmode=verify-full",
		],
		["postgres://db.example/state", "postgres://me:x?table=y@db.example/state?table=pulumi_state"],
		[`file://${machine}/srv/state`, "file:///srv/state?no_tmp_dir=true", "file:///srv/./x/../state/"],
		[`file://${machine}/a/state`, "file://./state?no_tmp_dir=true", "file://state/"],
	])("is %s, however %s is spelled", (canonical, ...spellings) => {
		for (const url of spellings) expect(place(url, "/a")).toBe(canonical);
	});

	test("is another one for each prefix of a bucket, table of a database and storage account of a container", () => {
		const urls = [
			"s3://b",
			"s3://b?prefix=x/",
			"s3://b?prefix=y/",
			"postgres:///s?host=/run/a",
			"postgres:///s?table=a",
		];
		const [container, own] = ["azblob://c", "azblob://c?storage_account=two"];
		expect(new Set([...urls, container, own].map((url) => place(url))).size).toBe(7);
		const named = statePlaces({ PULUMI_BACKEND_URL: container, AZURE_STORAGE_ACCOUNT: "two" }, "/");
		expect(named[0]).toBe(place(own));
	});

	test("has one spelling, whatever it is spelled like, which is its own canonical form", () => {
		const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,6}$/);
		const url = fc.record({
			scheme: fc.constantFrom("s3", "gs", "azblob", "postgres", "https"),
			user: fc.option(fc.tuple(word, fc.string({ maxLength: 5 }))),
			host: word,
			path: fc.array(fc.oneof(word, fc.constantFrom(".", "%7E", "a%20b", "a b", "ü")), { maxLength: 3 }),
			query: fc.constantFrom("", "?", "?a=b&c", "#d", "?prefix=", "?x&storage_account="),
			slash: fc.constantFrom("", "/", "//"),
			upper: fc.boolean(),
		});
		fc.assert(
			fc.property(url, ({ scheme, user, host, path, query, slash, upper }) => {
				const start = upper ? `${scheme.toUpperCase()}://` : `${scheme}://`;
				const login = user === null ? "" : `${user[0]}:${encodeURIComponent(user[1])}@`;
				const plain = [`${scheme}://${host}`, ...path].join("/");
				const spelled = `${start}${login}${[upper ? host.toUpperCase() : host, ...path].join("/")}${slash}${query}`;
				expect(place(spelled)).toBe(place(plain));
				expect(place(place(plain) ?? "")).toBe(place(plain));
			}),
		);
	});

	test("counts as the same as version 0.1 spelled it: with all that a URL may hold", () => {
		expect(places("postgres://me:pw@db.example/state/")).toEqual([
			"postgres://db.example/state",
			"postgres://me:pw@db.example/state",
		]);
		expect(places("s3://bucket?region=a")).toEqual(["s3://bucket", "s3://bucket?region=a"]);
		expect(places("https://api.pulumi.com/")).toEqual(["https://api.pulumi.com"]);
		expect(places("file:///srv/state").slice(1)).toEqual(
			machine === hostname() ? [] : [`file://${hostname()}/srv/state`],
		);
	});
});

describe("a number that a killed run has bought is taken over", () => {
	const emulator = useEmulator();
	const open = (options = {}) => openProvider(emulator, options);
	const live = () => emulator.control.state().numbers;
	const lostNumber = async (options: object) => (await create(open(options).number, aNumber())).id;

	test.each([
		["a password that was rotated", "postgres://me:old@db.example/state", "postgres://me:new@db.example/state"],
		["another option", "s3://bucket", "s3://bucket?region=eu-west-1"],
		["a slash at its end", "s3://bucket/a", "s3://bucket/a/"],
	])("by the same state, whose address has %s", async (_, before, place) => {
		const id = await lostNumber({ place: before });
		expect((await create(open({ place }).number, aNumber())).id).toBe(id);
		const who = (url: string) => identityOf(source({ places: statePlaces({ PULUMI_BACKEND_URL: url }, "/") })).state;
		expect(parseReference(live()[0]?.reference)?.state).toBe(who(place));
	});

	test("by the same state, as version 0.1 named it, and then as it is named now", async () => {
		const place = "postgres://me:pw@db.example/state";
		const id = await lostNumber({ place });
		const [now] = emulator.control.state().numbers;
		const who = createHash("sha256")
			.update(JSON.stringify([place]))
			.digest("base64url")
			.slice(0, 16);
		const [r, g, , lease] = (now?.reference ?? "").split(".");
		emulator.control.patchNumber(id, { reference: [r, g, who, lease].join(".") });
		expect((await create(open({ place }).number, aNumber())).id).toBe(id);
		expect(live()[0]?.reference).not.toContain(who);
	});
});
