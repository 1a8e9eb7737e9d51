/** Properties with operations of their own: the requests, in which order, and what a failure leaves behind. */
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { failureOf } from "../../../helpers/provider";
import { refusal, reply, useScriptedServer } from "../../../helpers/scripted-server";

const server = useScriptedServer();
const sent = () => server.received.map(({ method, path, body }) => `${method} ${path}${body && ` ${body}`}`);

/** A bare `{id}` would begin a map. */
const described = (text: string): unknown =>
	JSON.parse(JSON.stringify(parse(text.replaceAll("{id}", "ID"))).replaceAll("/ID", "/{id}"));

type Reply = readonly [status: number, body?: unknown];
/** A client of a service whose responses are by method and path. */
const open = (description: string, replies: Readonly<Record<string, Reply | (() => Reply)>>) => {
	server.script = (response, received) => {
		const { method, path } = received.at(-1) ?? { method: "", path: "" };
		const scripted = replies[`${method} ${path.split("?")[0]}`] ?? [500, "unscripted"];
		const [status, body = ""] = typeof scripted === "function" ? scripted() : scripted;
		reply(response, status, body);
	};
	return server.client({ service: described(description), retry: { tries: 2 } });
};

const voice = `
records:
  number:
    routing:
      write: PUT /numbers/{id}/voice
      read: GET /numbers/{id}/voice
      empty: { action: none }
    routing.type: { at: action, values: { forward: redirect, trunk: sip } }
    routing.trunk_id: target
    routing.to: target
    routing.uri: target
    sms_webhook_url: { write: PUT /numbers/{id}/sms, at: url, read: GET /numbers/{id}/sms, clear: DELETE /numbers/{id}/sms }
`;
const forward = { type: "forward", to: "+31201234567" } as const;
const off: Reply = [200, { action: "none", target: null }];
const none: Reply = [404, refusal("not_found")];
const quiet = { "GET /numbers/n/voice": off, "GET /numbers/n/sms": none } as const;

describe("a change", () => {
	test("sends the main request, then each write, and reads the properties", async () => {
		const { numbers } = open(voice, {
			"PATCH /numbers/n": [200, { id: "n", label: "desk" }],
			"GET /numbers/n": [200, { id: "n", label: "desk" }],
			"PUT /numbers/n/voice": [204],
			"DELETE /numbers/n/sms": none,
			"GET /numbers/n/voice": [200, { action: "REDIRECT", target: "+31201234567", ring: 9 }],
			"GET /numbers/n/sms": [200, {}],
		});
		const change = { label: "desk", reference: "r", routing: forward, sms_webhook_url: null };
		expect(await numbers.patch("n", change)).toEqual({
			...{ id: "n", label: "desk", routing: forward, sms_webhook_url: null },
		});
		expect(sent()).toEqual([
			'PATCH /numbers/n {"label":"desk","reference":"r"}',
			"DELETE /numbers/n/sms",
			'PUT /numbers/n/voice {"action":"redirect","target":"+31201234567"}',
			...["GET /numbers/n", "GET /numbers/n/voice", "GET /numbers/n/sms"],
		]);
	});

	test("leaves the main request out if it would be empty", async () => {
		const { numbers } = open(voice, {
			"PUT /numbers/n/voice": [200, { action: "none" }],
			"GET /numbers/n": [200, { id: "n" }],
			...quiet,
		});
		expect(await numbers.patch("n", { routing: null })).toEqual({ id: "n", routing: null, sms_webhook_url: null });
		expect(sent().slice(0, 2)).toEqual(['PUT /numbers/n/voice {"action":"none"}', "GET /numbers/n"]);
	});

	test("sets a property of a service that changes nothing else", async () => {
		const { numbers } = open(`operations: { patchNumber: false }${voice}`, {
			"PUT /numbers/n/voice": [204],
			"GET /numbers/n": [200, { id: "n" }],
			"GET /numbers/n/voice": [200, { action: "sip", target: 7 }],
			"GET /numbers/n/sms": none,
		});
		const routing = { type: "trunk", trunk_id: "7" } as const;
		expect(await numbers.patch("n", { routing })).toMatchObject({ routing });
		expect((await failureOf(numbers.patch("n", { label: "x", routing }))).kind).toBe("NotOffered");
		expect(sent()).toHaveLength(4);
	});

	test("keeps what others have set in a write of the whole", async () => {
		const whole = voice
			.replace(
				"write: PUT /numbers/{id}/voice",
				"write: { request: PUT /numbers/{id}/voice, in: voice, whole: true, omit: [at] }",
			)
			.replace("read: GET /numbers/{id}/voice", "read: { request: GET /numbers/{id}/voice, response: result.voice }");
		const live = { action: "sip", target: "7", recording: true, at: "2026-01-01" };
		const { numbers } = open(whole, {
			"GET /numbers/n/voice": [200, { result: { voice: live } }],
			"PUT /numbers/n/voice": [204],
			"GET /numbers/n": [200, { id: "n" }],
			"GET /numbers/n/sms": none,
		});
		await numbers.patch("n", { routing: forward });
		await numbers.patch("n", { routing: null });
		const bodies = server.received.flatMap(({ method, body }) => (method === "PUT" ? [JSON.parse(body)] : []));
		expect(bodies).toEqual([
			{ voice: { action: "redirect", target: "+31201234567", recording: true } },
			{ voice: { action: "none", target: "7", recording: true } },
		]);
	});

	test("repeats a refused write alone, and a POST never", async () => {
		let tries = 0;
		const busy: Reply = [503, refusal("unavailable")];
		const replies = {
			"PATCH /numbers/n": [200, { id: "n" }],
			"GET /numbers/n": [200, { id: "n" }],
			"PUT /numbers/n/voice": (): Reply => (++tries === 1 ? busy : [204]),
			"POST /numbers/n/voice": busy,
			...quiet,
		} as const;
		await open(voice, replies).numbers.patch("n", { label: "x", routing: forward });
		expect(sent().map((request) => request.split(" ")[0])).toEqual(["PATCH", "PUT", "PUT", "GET", "GET", "GET"]);
		const posting = open(voice.replace("PUT /numbers/{id}/voice", "POST /numbers/{id}/voice"), replies);
		expect((await failureOf(posting.numbers.patch("n", { routing: forward }))).kind).toBe("OutcomeUnknown");
		expect(sent().filter((request) => request.startsWith("POST"))).toHaveLength(1);
	});
});

describe("a read", () => {
	test("adds what only the properties' reads show", async () => {
		const { numbers } = open(voice, {
			"GET /numbers/n": [200, { id: "n", routing: "theirs" }],
			"GET /numbers/n/voice": [200, { action: "none" }],
			"GET /numbers/n/sms": [200, { url: "https://a.example/" }],
			"GET /numbers": [200, { data: [{ id: "n" }], next_cursor: null }],
		});
		expect(await numbers.get("n")).toEqual({ id: "n", routing: null, sms_webhook_url: "https://a.example/" });
		for await (const listed of numbers.list()) expect(listed).toEqual({ id: "n" });
	});

	test.each([
		["is missing at a wrong path", [404, refusal("no_such_route")], "Config"],
		["isn't there", [404, "<html>"], "Unavailable"],
		["has a value that doesn't fit", [200, { action: 3 }], "ContractMismatch"],
	] as const)("fails, and never takes the number for lost, if a property %s", async (_, scripted, kind) => {
		const { numbers } = open(voice, {
			...quiet,
			"GET /numbers/n": [200, { id: "n" }],
			"GET /numbers/n/voice": scripted,
		});
		expect((await failureOf(numbers.get("n"))).kind).toBe(kind);
	});
});

describe("a create", () => {
	const acl = `
records:
  trunk:
    auth.mode: false
    auth.username: { at: credentials.user, sent: username }
    auth.password: { at: credentials.password, sent: password }
    auth.allowed_cidrs: { write: PUT /trunks/{id}/acl, read: GET /trunks/{id}/acl, at: networks }
`;
	const auth = { mode: "ip_acl", allowed_cidrs: ["192.0.2.0/24"] } as const;

	test("writes a property after it, and infers the mode from what is shown", async () => {
		const { trunks } = open(acl, {
			"POST /trunks": [201, { id: "t", credentials: { user: "x1" } }],
			"GET /trunks/t": [200, { id: "t", credentials: { user: "x1" } }],
			"PUT /trunks/t/acl": [204],
			"GET /trunks/t/acl": [200, { networks: ["192.0.2.0/24"] }],
		});
		const made = await trunks.create({ name: "a", capacity: 1, auth: auth as never });
		expect(made.data).toMatchObject({ id: "t", auth });
		expect(sent()[0]).toBe('POST /trunks {"name":"a","capacity":1}');
		expect(sent()[1]).toBe('PUT /trunks/t/acl {"networks":["192.0.2.0/24"]}');
	});

	test("returns the object even if the property can't be written", async () => {
		const { trunks } = open(acl, {
			"POST /trunks": [201, { id: "t" }],
			"PUT /trunks/t/acl": [400, refusal("validation_failed")],
		});
		const made = await trunks.create({ name: "a", capacity: 1, auth: auth as never });
		expect(made.data).toEqual({ id: "t" });
	});
});

describe("a place", () => {
	test("differs between requests and responses", async () => {
		const { trunks } = open("records: { trunk: { capacity: { at: limits.channels, sent: channels, as: string } } }", {
			"PATCH /trunks/t": [200, { id: "t", limits: { channels: "20", cps: 3 } }],
		});
		expect(await trunks.patch("t", { capacity: 20 })).toEqual({ id: "t", capacity: 20, limits: { cps: 3 } });
		expect(sent()).toEqual(['PATCH /trunks/t {"channels":"20"}']);
	});

	test("belongs to one operation's response", async () => {
		const service = `
operations:
  listTrunks: { request: GET /connections, response: connections }
  createTrunk: { request: POST /connections, in: connection, response: connection }
  patchTrunk: { request: PUT /connections/{id}/limits, whole: limits, omit: [limits.updated], response: false }
  getTrunk: GET /connections/{id}
records: { trunk: { capacity: limits.channels } }`;
		const live = { id: "t", name: "a", limits: { channels: 1, cps: 2, updated: "x" } };
		const { trunks } = open(service, {
			"GET /connections": [200, { connections: [live], next_cursor: null }],
			"POST /connections": [201, { connection: live }],
			"GET /connections/t": [200, live],
			"PUT /connections/t/limits": [200, { channels: 9 }],
		});
		for await (const trunk of trunks.list()) expect(trunk).toMatchObject({ id: "t", capacity: 1 });
		const auth = { mode: "digest", username: "user" } as const;
		expect((await trunks.create({ name: "a", auth, capacity: 1 })).data).toMatchObject({ id: "t", name: "a" });
		expect(await trunks.patch("t", { capacity: 9 })).toMatchObject({ id: "t", capacity: 1 });
		expect(sent().filter((request) => /POST|PUT/.test(request))).toEqual([
			'POST /connections {"connection":{"name":"a","auth":{"mode":"digest","username":"user"},"limits":{"channels":1}}}',
			'PUT /connections/t/limits {"cps":2,"channels":9}',
		]);
	});

	test("that stands for null needs no operation of its own", async () => {
		const service = `
records:
  number:
    routing: { empty: { voice.kind: none } }
    routing.type: { at: voice.kind, values: { forward: number } }
    routing.to: voice.value
    routing.trunk_id: voice.value`;
		const { numbers } = open(service, {
			"GET /numbers/n": [200, { id: "n", voice: { kind: "none", value: null, ring: 3 } }],
			"PATCH /numbers/n": [200, { id: "n", voice: { kind: "number", value: "+31201234567" } }],
		});
		expect(await numbers.get("n")).toEqual({ id: "n", routing: null, voice: { ring: 3 } });
		expect(await numbers.patch("n", { routing: forward })).toEqual({ id: "n", routing: forward });
		await numbers.patch("n", { routing: null });
		expect(sent().slice(1)).toEqual([
			'PATCH /numbers/n {"voice":{"ring":3,"kind":"number","value":"+31201234567"}}',
			'PATCH /numbers/n {"voice":{"kind":"none"}}',
		]);
	});
});
