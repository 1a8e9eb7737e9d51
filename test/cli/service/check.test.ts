/** `telephony service check`: its findings, and that it leaves nothing on the account. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { about, descriptionOf, fileOf, lineOf } from "../../../cli/service/finding";
import { isSettled, type ServiceReport } from "../../../cli/service/report";
import type { Emulator, EmulatorOptions } from "../../../emulator";
import { createClient } from "../../../provider/api/client";
import type { Description } from "../../../provider/api/description/description";
import { open } from "../../emulator/folders";
import { dialects } from "../../helpers/dialects";
import { telephony } from "../../helpers/drift-cli";
import { run } from "../../helpers/engine";
import { start as startCommand } from "../../helpers/engine-running";
import { eventually } from "../../helpers/eventually";
import { fakeEngine } from "../../helpers/fake-engine";
import { createFolder } from "../../helpers/folders";
import { repository } from "../../helpers/repository";
import { refusal, reply, useScriptedServer } from "../../helpers/scripted-server";
import { buying, check, linesOf, rowsOf } from "../../helpers/service-check";

const start = (options: EmulatorOptions = {}) => open({ kyc: "immediate", seed: 1, ...options });

/** Two numbers, a trunk and a webhook. */
async function furnish(emulator: Emulator, service?: unknown): Promise<void> {
	const client = createClient({ baseUrl: emulator.url, apiKey: emulator.apiKey, service });
	for (const key of ["one", "two"])
		await client.numbers.buy({ country: "NL", type: "mobile" }, { idempotencyKey: key });
	const auth = { mode: "ip_acl" as const, allowed_cidrs: ["192.0.2.0/24"] };
	await client.trunks.create({ name: "office", auth, capacity: 10 });
	await client.webhooks.create({ url: "https://example.com/a", events: ["call.completed"] });
	await client.close();
}

const purchase = buying();
const undecided = (report: ServiceReport) => rowsOf(report, "decide", ({ what, seen }) => `${what}: ${seen}`);
const untested = (report: ServiceReport) => rowsOf(report, "untested", ({ what, hint }) => `${what}: ${hint}`);
/** True if only what a read can't test is open. */
const isReadSettled = ({ rows }: ServiceReport) =>
	isSettled({ rows: rows.filter(({ verdict }) => verdict !== "untested") });
const held = (emulator: Emulator) =>
	emulator.control.state().numbers.filter(({ status }) => status !== "released" && status !== "releasing").length;
const writes = (emulator: Emulator) => emulator.control.requests().filter(({ method }) => method !== "GET").length;

describe("by reading", () => {
	test("finds nothing to declare for a service with our names", async () => {
		const emulator = await start();
		await furnish(emulator);
		const report = await check(emulator);
		expect(linesOf(report)).toEqual([]);
		expect(undecided(report)).toEqual([]);
		expect(untested(report)).toEqual([
			"a purchase: telephony service check --buy NL/mobile",
			"the purchase again (idempotencyKey): telephony service check --buy NL/mobile",
			"number: change of the label: telephony service check --buy NL/mobile",
			"number: change of the reference: telephony service check --buy NL/mobile",
			"number: change of the routing: telephony service check --buy NL/mobile",
			"a release: telephony service check --buy NL/mobile",
			"trunk: create: telephony service check --write",
			"trunk: change: telephony service check --write",
			"trunk: delete: telephony service check --write",
			"webhook: create: telephony service check --write",
			"webhook: change: telephony service check --write",
			"webhook: delete: telephony service check --write",
		]);
		expect(isSettled(report)).toBe(false);
	});

	const expected: Record<string, readonly unknown[]> = {
		words: [
			"records: { number: { id: number_id } }",
			"records: { number: { number: msisdn } }",
			"records: { number: { label: friendly_name } }",
			"records: { number: { created_at: { at: createdMs, as: milliseconds } } }",
			"records: { number: { status: { at: state, values: { active: in_service } } } }",
		],
		envelopes: [
			"envelopes: { number: { response: data } }",
			"envelopes: { trunk: { response: sip_trunk } }",
			"envelopes: { webhook: { response: result.webhook } }",
		],
		manners: [
			"errors: { code: code }",
			"errors: { message: detail.text }",
			"errors: { requestId: trace }",
			"lists: { items: results }",
			"lists: { next: paging.next }",
		],
		flat: ["records: { webhook: { url: target } }", "records: { webhook: { enabled: { at: active, as: string } } }"],
	};

	test.each(Object.entries(expected))("%s: finds the names, and with them everything holds", async (name, lines) => {
		const service = dialects[name];
		const emulator = await start({ service });
		await furnish(emulator, service);
		const before = writes(emulator);
		const report = await check(emulator);
		expect(linesOf(report)).toEqual(expect.arrayContaining([...lines]));
		expect(undecided(report)).toEqual([]);
		expect(isSettled(report)).toBe(false);
		const recheck = await check(emulator, report.description);
		expect({ linesOf: linesOf(recheck), undecided: undecided(recheck) }).toEqual({ linesOf: [], undecided: [] });
		expect(recheck.description).toEqual(report.description);
		expect(writes(emulator)).toBe(before);
	});

	test("asks for the operations of trunks at another path", async () => {
		const { operations, ...names } = dialects.verbs ?? {};
		const emulator = await start({ service: { ...names, ...(operations && { operations }) } });
		await furnish(emulator, dialects.verbs);
		const report = await check(emulator);
		const trunks = report.rows.find(({ what }) => what === "trunks");
		expect(trunks?.verdict === "decide" ? trunks.hint : lineOf(trunks?.state ?? {})).toContain("-trunks");
		expect(trunks?.hint).toContain("operations.listTrunks");
		const described = await check(emulator, { operations });
		expect(described.description.records?.trunk).toMatchObject(names.records?.trunk ?? {});
	});

	test("leaves unknown names to a person", async () => {
		const service: Description = {
			records: { number: { status: { at: "status", values: { active: "plugged" } }, reference: "tags.p" } },
		};
		const emulator = await start({ service });
		await furnish(emulator, service);
		const report = await check(emulator);
		expect(undecided(report)).toEqual(['number: status "plugged": plugged', "reference: no number shows one"]);
		expect(isSettled(report)).toBe(false);
		expect(fileOf({}, [about("x", "").decide("y", "z")])).toContain("# To decide: x (seen: y): z.\n");
		expect(isReadSettled(await check(emulator, service))).toBe(true);
	});

	test("states what a service like the public description lacks", async () => {
		const emulator = await start({ profile: "seed" });
		const report = await check(emulator);
		expect(report.description.features?.split(" ")).toEqual(
			expect.arrayContaining(["-getById", "-trunks", "-webhooks"]),
		);
		expect(isReadSettled(await check(emulator, report.description))).toBe(true);
	});

	test("fails for a rejected key, and for an address without a service", async () => {
		const emulator = await start();
		await expect(check({ ...emulator, apiKey: "another" })).rejects.toMatchObject({ exitCode: 3 });
		const baseUrl = emulator.url.replace(/\/v1$/, "/none/v1");
		const failed = check({ ...emulator, url: baseUrl });
		await expect(failed).rejects.toMatchObject({ exitCode: 1 });
		await expect(failed).rejects.toThrow(/nothing can be found out/);
	});
});

describe("with a purchase", () => {
	test.each(Object.keys(dialects))("%s: leaves nothing, and passes with its findings", async (name) => {
		const service = dialects[name];
		const emulator = await start({ service });
		// A service that refuses the body of a purchase asks a person for its envelope.
		const request = service?.envelopes?.number?.request;
		const given = request && { envelopes: { number: { request } } };
		const report = await check(emulator, given || undefined, purchase);
		expect(held(emulator)).toBe(0);
		expect(emulator.control.state().numbers.length).toBeGreaterThan(0);
		const recheck = await check(emulator, report.description, purchase);
		expect(held(emulator)).toBe(0);
		expect(linesOf(recheck)).toEqual([]);
	});

	test("finds that the service honors keys", async () => {
		const emulator = await start();
		const report = await check(emulator, undefined, purchase);
		expect(linesOf(report)).toEqual(["features: idempotencyKey"]);
		expect(undecided(report)).toEqual([]);
		expect(isSettled(report)).toBe(true);
		expect(untested(report)).toEqual([]);
		expect(emulator.control.state().numbers).toHaveLength(1);
	});

	test.each<[string, Description, Description]>([
		["elsewhere", { operations: { patchNumber: "PUT /numbers/{id}" } }, {}],
		["elsewhere than described", {}, { operations: { patchNumber: "PUT /numbers/{id}" } }],
	])("asks for the request of a change that is %s", async (_, service, given) => {
		const emulator = await start({ service });
		const report = await check(emulator, given, purchase);
		const { hint } = report.rows.find(({ what }) => what === "number: change of the label") ?? {};
		expect(hint).toContain("operations.patchNumber");
		expect(held(emulator)).toBe(0);
		if (given.operations === undefined) expect(undecided(await check(emulator, service, purchase))).toEqual([]);
	});

	test("releases both numbers of a service that ignores keys", async () => {
		const emulator = await start();
		const { features } = emulator.control.settings();
		emulator.control.settings({ features: { ...features, idempotencyKey: false } });
		const report = await check(emulator, undefined, purchase);
		expect(linesOf(report)).toContain("features: -idempotencyKey");
		expect(emulator.control.state().numbers).toHaveLength(2);
		expect(held(emulator)).toBe(0);
	});

	test.each(["buyNumber", "patchNumber", "releaseNumber"] as const)(
		"leaves nothing after a failure of %s",
		async (operation) => {
			const emulator = await start();
			emulator.control.faults.set({ operation, nth: operation === "buyNumber" ? 2 : 1, kind: "reset", phase: "after" });
			await check(emulator, undefined, purchase).catch(() => undefined);
			expect(held(emulator)).toBe(0);
		},
	);

	test("names the number if its release is refused", async () => {
		const emulator = await start();
		emulator.control.faults.set({ operation: "releaseNumber", every: true, status: 403, error: "forbidden" });
		const failed = check(emulator, undefined, purchase);
		await expect(failed).rejects.toMatchObject({ exitCode: 1 });
		const [number] = emulator.control.state().numbers;
		await expect(failed).rejects.toThrow(`NOT RELEASED: ${number?.number} (${number?.id})`);
	});

	test.each<[string, Description]>([
		["no release", { features: "-release" }],
		["no request for it", { operations: { releaseNumber: false } }],
	])("%s: buys nothing", async (_, service) => {
		const emulator = await start();
		await expect(check(emulator, service, purchase)).rejects.toThrow(/^nothing was bought: /);
		expect(emulator.control.state().numbers).toEqual([]);
	});

	test("shows the service's message about a refused purchase", async () => {
		const emulator = await start();
		emulator.control.faults.set({ operation: "buyNumber", status: 409, error: "no_inventory", message: "Sold out." });
		expect(undecided(await check(emulator, undefined, purchase))).toEqual([
			"a purchase: POST /numbers failed: Sold out (no_inventory, HTTP 409).",
		]);
	});

	test("releases a number that the repeated purchase bought without an id", async () => {
		const emulator = await start();
		const { features } = emulator.control.settings();
		const report = await check(
			emulator,
			undefined,
			buying("NL/mobile", (line) => {
				if (line.startsWith("bought "))
					emulator.control.settings({ purchaseId: false, features: { ...features, idempotencyKey: false } });
			}),
		);
		expect(linesOf(report)).toContain("features: -idempotencyKey");
		expect([emulator.control.state().numbers.length, held(emulator)]).toEqual([2, 0]);
	});

	test("names it and the number that couldn't be released", async () => {
		const emulator = await start();
		emulator.control.faults.set({ operation: "releaseNumber", every: true, status: 403, error: "forbidden" });
		const { features } = emulator.control.settings();
		const failed = check(
			emulator,
			undefined,
			buying("NL/mobile", () =>
				emulator.control.settings({ purchaseId: false, features: { ...features, idempotencyKey: false } }),
			),
		);
		await expect(failed).rejects.toThrow("NOT RELEASED: ");
		for (const { id } of emulator.control.state().numbers) await expect(failed).rejects.toThrow(id);
	});

	test("accepts a marked replay without an id", async () => {
		const emulator = await start();
		const report = await check(
			emulator,
			undefined,
			buying("NL/mobile", () => emulator.control.settings({ purchaseId: false })),
		);
		expect([report.rows.length > 0, held(emulator)]).toEqual([true, 0]);
	});

	test("releases the one new number if the response has no id", async () => {
		const emulator = await start();
		await furnish(emulator);
		emulator.control.settings({ purchaseId: false });
		const report = await check(emulator, undefined, purchase);
		expect(linesOf(report)).toContain("features: idempotencyKey");
		expect([emulator.control.state().numbers.length, held(emulator)]).toEqual([3, 2]);
	});

	test("names several new numbers, and releases none of them", async () => {
		const emulator = await start();
		emulator.control.settings({ purchaseId: false });
		emulator.control.faults.set({ operation: "buyNumber", kind: "delay", phase: "after", ms: 300 });
		const failed = check(emulator, undefined, purchase);
		const stranger = createClient({ baseUrl: emulator.url, apiKey: emulator.apiKey });
		await eventually(() => expect(emulator.control.state().numbers).toHaveLength(1));
		await stranger.numbers.buy({ country: "NL", type: "mobile" }, { idempotencyKey: "other" });
		await stranger.close();
		await expect(failed).rejects.toThrow("NOT RELEASED: ");
		for (const { id } of emulator.control.state().numbers) await expect(failed).rejects.toThrow(id);
		expect(held(emulator)).toBe(2);
	});

	test("names new numbers after HTTP 500, and releases none of them", async () => {
		const emulator = await start();
		const { features } = emulator.control.settings();
		emulator.control.settings({ features: { ...features, idempotencyKey: false } });
		emulator.control.faults.set({ operation: "buyNumber", status: 500, error: "internal_error", phase: "after" });
		const failed = check(emulator, undefined, purchase);
		await expect(failed).rejects.toThrow("A NUMBER MAY HAVE BEEN BOUGHT: ");
		for (const { id } of emulator.control.state().numbers) await expect(failed).rejects.toThrow(id);
	});
});

describe("a release that the response doesn't prove", () => {
	const server = useScriptedServer();
	const number = { id: "n1", number: "+31612345678", status: "active", created_at: "2026-01-01T00:00:00Z" };
	const refused = { error: "number_in_use", message: "Busy.", request_id: "r" };

	/** Buys and releases without pauses, and returns the printed lines. */
	const buyAt = async (url: string) => {
		const lines: string[] = [];
		await check(
			{ url, apiKey: "key" } as Emulator,
			undefined,
			buying("NL/mobile", (line) => lines.push(line)),
		);
		return lines;
	};

	/** A service that sells one number. Its release gets this response, and changes the list as given. */
	const release = async (status: number, body: unknown, after: readonly object[]) => {
		let rows: readonly object[] = [];
		const read = (path: string): [status: number, body: object] => {
			if (/^\/numbers(\?|$)/.test(path)) return [200, { data: rows, next_cursor: null }];
			const [row] = path === "/numbers/n1" ? rows : [];
			return row === undefined ? [404, refusal("not_found")] : [200, row];
		};
		server.script = (response, received) => {
			const { method = "", path = "" } = received.at(-1) ?? {};
			if (method === "GET") return reply(response, ...read(path));
			rows = method === "DELETE" ? after : [number];
			return method === "DELETE" ? reply(response, status, body) : reply(response, 200, number);
		};
		return buyAt(server.url);
	};

	test.each<[string, number, unknown, readonly object[]]>([
		["confirms it", 204, "", []],
		["shows nothing", 200, {}, []],
		["shows nothing, and the number is released", 200, {}, [{ ...number, status: "released" }]],
		["shows another status value", 200, { ...number, status: "zapped" }, []],
	])("counts if the number is no longer there: the response %s", async (_, status, body, after) => {
		expect(await release(status, body, after)).toContainEqual(expect.stringMatching(/^released .*n1/));
	});

	test.each<[string, number, unknown]>([
		["confirms it", 204, ""],
		["shows nothing", 200, {}],
		["is an error object", 200, refused],
		["is HTML", 200, "<html>"],
	])("doesn't count while the number is still there: the response %s", async (_, status, body) => {
		await expect(release(status, body, [number])).rejects.toThrow(/NOT RELEASED: .*n1/);
	});

	test("doesn't count if the list that lacks it is an error object", async () => {
		const rest = { ...number, status: "zapped" };
		let isReleased = false;
		server.script = (response, received) => {
			const { method = "", path = "" } = received.at(-1) ?? {};
			isReleased ||= method === "DELETE";
			if (method === "DELETE") return reply(response, 200, {});
			if (path === "/numbers/n1" || method !== "GET") return reply(response, 200, rest);
			return reply(response, 200, isReleased ? refused : { data: [], next_cursor: null });
		};
		await expect(buyAt(server.url)).rejects.toThrow(/NOT RELEASED: .*n1/);
	});

	test("is refused by an error object behind HTTP 200", async () => {
		const isPurchase = (method: string | undefined) => method === "POST";
		server.script = (response, received) =>
			reply(response, 200, isPurchase(received.at(-1)?.method) ? refusal("no_inventory") : undefined);
		const service = { url: server.url, apiKey: "key" } as Emulator;
		const report = await check(service, undefined, purchase);
		expect(undecided(report)).toContainEqual(expect.stringMatching(/^a purchase: /));
	});
});

// ---- The command --------------------------------------------------------------------------------------------------------

const commandLine = (...args: readonly string[]) => [process.execPath, telephony, "service", "check", ...args];
const envOf = ({ apiKey, url }: Emulator) => ({
	...process.env,
	TELEPHONY_API_KEY: apiKey,
	TELEPHONY_BASE_URL: url,
});
function command(emulator: Emulator, ...args: readonly string[]) {
	const [node = "", ...rest] = commandLine(...args);
	return run(node, rest, createFolder(), envOf(emulator));
}

describe("the command", () => {
	test("exits 7 and writes a file, and exits 0 with the file", async () => {
		const service = dialects.manners;
		const emulator = await start({ service });
		await furnish(emulator, service);
		const file = join(createFolder(), "service.yaml");
		const first = await command(emulator, "--output", file, "--buy", "NL/mobile", "--yes");
		expect(first).toMatchObject({ code: 7 });
		expect(first.stdout).toContain("lists: { items: results }");
		expect(first.stdout).not.toContain(emulator.apiKey);
		expect(parse(readFileSync(file, "utf8"))).toMatchObject({ lists: { items: "results" } });
		expect(await command(emulator, "--service", file)).toMatchObject({ code: 7 });
		const second = await command(emulator, "--service", file, "--json", "--buy", "NL/mobile", "--yes");
		expect(second.code).toBe(0);
		expect(JSON.parse(second.stdout).description).toEqual(parse(readFileSync(file, "utf8")));
	});

	test("passes its report and its counts to the job that runs it", async () => {
		const service = dialects.manners;
		const emulator = await start({ service });
		await furnish(emulator, service);
		const files = {
			GITHUB_STEP_SUMMARY: join(createFolder(), "summary"),
			GITHUB_OUTPUT: join(createFolder(), "output"),
		};
		const [node = "", ...args] = commandLine();
		const done = await run(node, args, createFolder(), { ...envOf(emulator), ...files });
		expect(done.code, done.output).toBe(7);
		expect(readFileSync(files.GITHUB_STEP_SUMMARY, "utf8")).toContain("```yaml\n# The names");
		expect(readFileSync(files.GITHUB_OUTPUT, "utf8")).toMatch(/^result=open\ndeclare=\d+\ndecide=0\nuntested=\d+\n$/);
	});

	test("buys nothing without a terminal for the question", async () => {
		const emulator = await start();
		expect(await command(emulator, "--buy", "NL/mobile")).toMatchObject({ code: 2 });
		expect(emulator.control.state().numbers).toEqual([]);
	});

	test.each([
		["the purchase", "buyNumber", "this buys "],
		["the change", "patchNumber", "bought "],
	] as const)("leaves nothing after Ctrl-C during %s", async (_, operation, progress) => {
		const emulator = await start();
		emulator.control.faults.set({ operation, kind: "delay", phase: "after", ms: 5_000 });
		const running = startCommand(commandLine("--buy", "NL/mobile", "--yes"), repository, envOf(emulator));
		await running.printed(new RegExp(progress));
		await eventually(() => expect(emulator.control.faults.list()).toMatchObject([{ fired: 1 }]));
		running.child.kill("SIGINT");
		expect(await running.code).toBe(130);
		expect(running.output()).toMatch(/costs .* a month.*released \+/s);
		expect(emulator.control.state().numbers).toHaveLength(1);
		expect(held(emulator)).toBe(0);
	});

	test("writes with --write", async () => {
		const emulator = await start();
		const report = await command(emulator, "--write");
		expect(report).toMatchObject({ code: 7, output: expect.stringContaining("deleted the webhook ") });
		expect(emulator.control.state()).toMatchObject({ numbers: [], trunks: [], webhooks: [] });
	});

	/** Buys in the folder of a stack `dev` that pins another account of the service at this address. */
	const buyBesideStack = async (emulator: Emulator, url: string, options: readonly string[]) => {
		const folder = createFolder();
		writeFileSync(join(folder, "Pulumi.yaml"), "name: shop\nruntime: nodejs\n");
		const name = join(folder, "name");
		writeFileSync(name, "dev\n");
		const { path } = fakeEngine(url, name);
		const [node = "", ...args] = commandLine("--buy", "NL/mobile", "--yes", ...options);
		return run(node, args, folder, { ...envOf(emulator), PATH: path });
	};

	test.each([
		["the named stack", ["--stack", "dev"]],
		["the selected stack", []],
	])("writes nothing if %s pins another account", async (_, options) => {
		const emulator = await start();
		const done = await buyBesideStack(emulator, `${emulator.url}/`, options);
		expect(done).toMatchObject({ code: 1, output: expect.stringContaining("[telephony:wrong-account]") });
		expect(writes(emulator)).toBe(0);
	});

	test("ignores the pin of a stack of another service", async () => {
		const emulator = await start();
		const done = await buyBesideStack(emulator, "https://api.example.com/v1", []);
		expect(done.code, done.output).toBe(0);
		expect([emulator.control.state().numbers.length, held(emulator)]).toEqual([1, 0]);
	});

	test("refuses a state that doesn't exist", async () => {
		const emulator = await start();
		const none = join(createFolder(), "none.json");
		expect(await command(emulator, "--stack", none)).toMatchObject({ code: 2 });
	});

	test("exits 3 for a rejected key, and 2 for invalid criteria", async () => {
		const emulator = await start();
		expect(await command({ ...emulator, apiKey: "another" })).toMatchObject({ code: 3 });
		expect(await command(emulator, "--buy", "nl")).toMatchObject({ code: 2 });
		const file = join(createFolder(), "service.yaml");
		writeFileSync(file, "lists: { itemz: x }");
		expect(await command(emulator, "--service", file)).toMatchObject({ code: 1 });
	});
});

describe("a service with odd responses", () => {
	const server = useScriptedServer();
	/** Checks a service whose numbers have these values. */
	const checkNumbers = (fields: object, service?: Description) => {
		const record = { id: "n1", number: "+31201234567", country: "NL", type: "mobile", status: "active", ...fields };
		server.script = (response, received) => {
			const { path = "" } = received.at(-1) ?? {};
			if (path === "/numbers/n1") return reply(response, 200, record);
			if (path.startsWith("/numbers?")) return reply(response, 200, { data: [record], next_cursor: null });
			return reply(response, 404, refusal("not_found"));
		};
		return check({ url: server.url, apiKey: "key" } as Emulator, service);
	};

	test.each([
		["null", { data: null, next_cursor: null }],
		["nothing", {}],
		["204", undefined],
	])("stops no check of an account whose lists are %s", async (_, body) => {
		server.script = (response, received) => {
			const isList = /^\/\w+\?/.test(received.at(-1)?.path ?? "");
			if (!isList) return reply(response, 404, refusal("not_found"));
			return reply(response, body === undefined ? 204 : 200, body ?? "");
		};
		const { rows } = await check({ url: server.url, apiKey: "key" } as Emulator);
		expect(rows.find(({ what }) => what === "responses")?.verdict).toBe("holds");
	});

	test("takes a 204 for an empty list after it refused a limit", async () => {
		server.script = (response, received) => {
			const { path = "" } = received.at(-1) ?? {};
			if (path.includes("limit=")) return reply(response, 400, refusal("bad_request"));
			return path === "/numbers" ? reply(response, 204, "") : reply(response, 404, refusal("not_found"));
		};
		const { rows } = await check({ url: server.url, apiKey: "key" } as Emulator);
		expect(rows.find(({ what }) => what === "responses")?.verdict).toBe("holds");
	});

	test.each<[field: string, value: unknown, form: unknown]>([
		["capabilities", "voice,sms", { as: "csv" }],
		["capabilities", [{ name: "voice" }], { each: "name" }],
		["release_protection", "false", { as: "string" }],
		["activated_at", 1_767_225_600, { as: "seconds" }],
		["activated_at", 1_767_225_600_000, { as: "milliseconds" }],
		["label", 42, { as: "number" }],
	])("has a line for a field that is left out: %s %j", async (field, value, form) => {
		const report = await checkNumbers({ [field]: value });
		expect(descriptionOf(report.rows).records?.number?.[field]).toEqual(form);
		const { rows } = await checkNumbers({ [field]: value }, descriptionOf(report.rows));
		expect(rows.filter(({ what, verdict }) => what === `number: ${field}` && verdict === "state")).toEqual([]);
		expect(rows.find(({ what }) => what === "responses")?.verdict).toBe("holds");
	});

	test.each<[path: string, fields: object]>([
		["capabilities", { capabilities: { voice: true } }],
		["metadata", { metadata: { floor: 3 } }],
		["price", { price: "2.00" }],
		["release_protection", { release_protection: 0 }],
		["kyc.reasons", { kyc: { status: "approved", reasons: "none" } }],
	])("leaves a field of another type to a person: %s in %j", async (path, fields) => {
		const { rows } = await checkNumbers(fields);
		expect(rows.find(({ what }) => what === `number: ${path}`)?.verdict).toBe("decide");
		const { rows: described } = await checkNumbers(fields, { records: { number: { [path]: false } } });
		expect(described.find(({ what }) => what === `number: ${path}`)).toBeUndefined();
		expect(described.find(({ what }) => what === "responses")?.verdict).toBe("holds");
	});
});

describe("by one list", () => {
	const server = useScriptedServer();
	const lacking: Description = { features: "-account -getById -statusFilter -trunks -webhooks" };
	const listing = (json: unknown, service = lacking) => {
		server.script = (response) => reply(response, 200, json);
		return check({ url: server.url, apiKey: "key" } as Emulator, service);
	};

	test("finds values of another type, and decisions for a person", async () => {
		const record = {
			id: 5,
			phoneNumber: "+31201234567",
			state: "live",
			createdAt: 1_700_000_000,
			kyc_required: "true",
		};
		const { description } = await listing({ items: [record], hasMore: false });
		expect(description).toMatchObject({
			lists: { items: "items" },
			records: {
				number: {
					number: "phoneNumber",
					status: { at: "state", values: { active: "live" } },
					created_at: { at: "createdAt", as: "seconds" },
					kyc_required: { as: "string" },
				},
			},
		});
		const report = await listing({ items: [record], hasMore: false }, description);
		expect(linesOf(report)).toEqual([]);
		expect(rowsOf(report, "decide")).toEqual(["cursor of the next page", "reference"]);
	});

	test.each([
		[["number: number", "number: status"], { id: 5, line: { numero: "5", kind: "x" } }],
		[[], { id: 5 }],
	])("asks for %j if other fields may be these", async (asked, record) => {
		const { rows } = await listing({ data: [record], next_cursor: null });
		const questions = rows.filter(({ what, verdict }) => verdict === "decide" && what.startsWith("number: "));
		expect(questions.map(({ what }) => what)).toEqual(asked);
		for (const { hint } of questions) expect(hint).toContain("line.numero");
	});

	test.each([
		["number: id", { data: [{ msisdn: "+31201234567" }] }],
		["cursor of the next page", { data: [], has_more: true }],
		["items of a list", { numbers: {} }],
		["items of a list", [{ id: 5, phoneNumber: "+31201234567" }]],
	])("leaves a decision about %s", async (what, json) => {
		expect(rowsOf(await listing(json), "decide")).toContain(what);
	});
});
