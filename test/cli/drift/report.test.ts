/** From the engine's events to the report of `telephony drift`: what it says, counts, masks and cuts. */
import { describe, expect, test } from "vitest";
import type { EngineEvent } from "../../../cli/engine";
import { positionIn } from "../../../cli/engine";
import { markdownOf } from "../../../cli/markdown";
import { fails, headline, reportOf, seenIn } from "../../../cli/report";
import { changeTexts, tableOf } from "../../../cli/table";
import { coded } from "../../../provider/api/message-codes";
import { withIgnored } from "../../../provider/drift/ignored";
import { active, only, origin, pending, reported, secret, step, warning } from "../../helpers/engine-events";

test("the first line counts what differs, and what only waits beside it", () => {
	const changed = step("a", { inputs: { label: "Desk" }, live: { inputs: { label: "desk" } } });
	const lost = step("b", { outputs: active, live: null });
	const same = step("c", { outputs: active });
	const waiting = step("d", { outputs: pending, op: "update" });
	expect(headline(reported(changed, lost, same))).toBe("drift: 2 of 3 resources (1 changed, 1 missing), stack prod");
	expect(headline(reported(changed, lost, waiting))).toBe(
		"drift: 2 of 3 resources (1 changed, 1 missing, 1 waiting), stack prod",
	);
	expect(headline(reported(same))).toBe("drift: 0 of 1 resource, stack prod");
});

test("a change is named by its path, with what is declared, what is live, and the two ways out", () => {
	const routing = { type: "forward", to: "+46812345678", ringTimeoutSeconds: 20 };
	const live = { inputs: { routing: { ...routing, to: "+46887654321" }, label: undefined } };
	expect(only(step("desk", { inputs: { routing, label: "Desk" }, outputs: active, live }))).toEqual({
		name: "desk",
		type: "pulumi-nodejs:dynamic/telephony:Number",
		id: "id_desk",
		e164: "+31201234567",
		kind: "changed",
		severity: "high",
		changes: [
			{ path: "routing.to", declared: "+46812345678", live: "+46887654321" },
			{ path: "label", declared: "Desk" },
		],
		consequence: "in place",
		ways: [
			'restore it: `pulumi up --refresh` sets `routing.to` to `"+46812345678"`, sets `label` to `"Desk"`',
			'accept it: in the program, set `routing` to `{"type":"forward","to":"+46887654321","ringTimeoutSeconds":20}` and remove `label` in `desk`, then `pulumi up --refresh`',
		],
	});
});

test("another kind of route is one change, not one for each field", () => {
	const [routing, live] = [
		{ type: "forward", to: "+46812345678" },
		{ type: "agent", agentId: "agt_1" },
	];
	const entry = only(step("desk", { inputs: { routing }, live: { inputs: { routing: live } } }));
	expect(entry?.changes).toEqual([{ path: "routing", declared: routing, live }]);
});

test.each([
	["label", { label: "a" }, { label: "b" }, "Number", "low"],
	["capacity", { capacity: 30 }, { capacity: 7 }, "SipTrunk", "medium"],
	["url", { url: "https://a.example.com" }, { url: "https://b.example.com" }, "Webhook", "high"],
])("how much a change of %s matters comes from its property", (path, inputs, live, type, severity) => {
	expect(only(step("x", { type, inputs, live: { inputs: live } }))).toMatchObject({ severity, changes: [{ path }] });
});

test("an open IP list is told as such, and can't be taken over", () => {
	const acl = (...allowedCidrs: string[]) => ({ auth: { mode: "ip_acl", allowedCidrs } });
	const entry = only(
		step("office", { type: "SipTrunk", inputs: acl("198.51.100.0/24"), live: { inputs: acl("0.0.0.0/0") } }),
	);
	expect(entry).toMatchObject({ severity: "high", changes: [{ path: "auth.allowedCidrs", live: ["0.0.0.0/0"] }] });
	expect(entry?.consequence).toContain("0.0.0.0/0 admits every address");
	expect(entry?.ways[1]).toContain("not possible");
});

test("a lost number is high, and putting it back buys another one; a lost trunk costs nothing", () => {
	const number = step("lost", { outputs: active, live: null });
	const trunk = step("office", { type: "SipTrunk", live: null });
	expect(only(number)).toMatchObject({
		kind: "missing",
		severity: "high",
		e164: "+31201234567",
		changes: [{ path: "status", declared: "active", live: "gone" }],
	});
	expect(only(number)?.consequence).toMatch(/^buys a new number/);
	expect(only(trunk)?.consequence).toMatch(/^creates a new trunk/);
	expect(only(number)?.ways[0]).toContain("ask the service to restore");
	const adopted = only(step("lost", { inputs: { adopt: "+31201234567" }, outputs: active, live: null }));
	expect(adopted?.consequence).toMatch(/^buys a new number after you remove `adopt`, which names the lost one/);
	expect(adopted?.ways[0]).toContain("otherwise remove `adopt` from the program");
	const ported = only(warning("lost", coded("The number +31201234567 (id_lost) is gone.", "ported-out")), number);
	expect(ported).toMatchObject({ changes: [{ live: "ported out" }] });
	expect(ported?.ways[0]).toBe("restore it: `pulumi up --refresh` buys a new number");
});

test("a pending number waits, whether up waits for it or not, and one that became active is nothing at all", () => {
	expect(only(step("a", { outputs: pending, op: "update" }))).toMatchObject({ kind: "waiting", severity: "low" });
	expect(only(step("a", { outputs: pending, op: "same" }))).toMatchObject({ kind: "waiting" });
	expect(reported(step("a", { outputs: pending, live: { outputs: active }, op: "same" })).resources).toEqual([]);
	expect(reported(step("a", { outputs: pending, op: "update" })).drifted).toBe(0);
});

test("a refusal and a suspension are problems, with the service's reasons, and a status nobody knows is nothing", () => {
	const kyc = { status: "rejected", reasons: [{ code: "blurred", message: "The scan is blurred" }] };
	const refused = only(step("a", { outputs: pending, live: { outputs: { ...pending, kyc } }, op: "update" }));
	expect(refused).toMatchObject({ kind: "problem", severity: "high", changes: [{ path: "kyc.status" }] });
	expect(refused?.consequence).toMatch(/^cannot be repaired.*The scan is blurred \(blurred\)/);
	for (const status of ["suspended", "porting_out"]) {
		const entry = only(step("a", { outputs: active, live: { outputs: { status } }, op: "same" }));
		expect(entry).toMatchObject({ kind: "problem", changes: [{ path: "status", declared: "active", live: status }] });
	}
	for (const status of ["in_service", "unknown"])
		expect(reported(step("a", { outputs: active, live: { outputs: { status } }, op: "same" })).resources).toEqual([]);
});

const rejected = { status: "rejected", reasons: [{ code: "blurred", message: "The scan is blurred" }] };
const objected = { status: "exception", exceptions: [{ code: "pin_invalid", message: "The PIN is wrong" }] };
const [another, cancels] = ["give its numbers another `kycProfileId`", "`pulumi up` cancels the order"];
test.each([
	["KycProfile", "rejected", rejected, "problem", "high", "The scan is blurred (blurred)", another],
	["KycProfile", "expired", { status: "expired" }, "problem", "high", "expired", another],
	["KycProfile", "a draft", { status: "draft" }, "waiting", "low", "not submitted yet", "run `pulumi up` to submit it"],
	["KycProfile", "gone", null, "missing", "high", "creates a new profile", "gives its id to the numbers"],
	["PortOrder", "objected to", objected, "problem", "high", "The PIN is wrong (pin_invalid)", cancels],
	["PortOrder", "in review", { status: "in_review" }, "waiting", "low", "in review", "shows the progress"],
	["PortOrder", "gone", null, "missing", "high", "submits another port order", "creates and submits another"],
] as const)(
	"a %s that is %s is told with its consequence and the ways out",
	(type, _, live, kind, severity, says, way) => {
		const outputs = { status: type === "KycProfile" ? "approved" : "scheduled" };
		const entry = only(step("x", { type, outputs, live: live && { outputs: live } }));
		expect(entry).toMatchObject({ kind, severity, changes: [{ path: "status" }] });
		expect(entry?.consequence).toContain(says);
		expect(entry?.ways.join("; ")).toContain(way);
	},
);

test.each([
	["KycProfile", { status: "in_review" }, { status: "approved" }],
	["PortOrder", { status: "scheduled" }, { status: "completed" }],
	["KycProfile", { status: "approved" }, { status: "being_looked_at" }],
])("a %s that goes on from %j to %j is no drift", (type, outputs, live) => {
	expect(reported(step("x", { type, outputs, live: { outputs: live }, op: "same" })).resources).toEqual([]);
});

test("an activation waits with its numbers, and says which of them won't come", () => {
	const numbers = [
		{ id: "n1", phoneNumber: "+311", status: "active" },
		{ id: "n2", phoneNumber: "+312", status: "pending" },
	];
	expect(only(step("all", { type: "Activation", outputs: { numbers }, op: "update" }))?.kind).toBe("waiting");
	const gone = [{ id: "n1", phoneNumber: "+311", status: "gone" }];
	const entry = only(step("all", { type: "Activation", outputs: { numbers: gone }, op: "update" }));
	expect(entry).toMatchObject({ kind: "problem" });
	expect(entry?.consequence).toContain("+311 gone");
});

test("a replaced secret is told by its version, never by its value", () => {
	const outputs = { secret, secretVersion: 1, lease: "l1" };
	const entry = only(step("hook", { type: "Webhook", outputs, live: { outputs: { secretVersion: 2 } } }));
	expect(entry).toMatchObject({ severity: "high", changes: [{ path: "secretVersion", declared: 1, live: 2 }] });
	expect(entry?.consequence).toBe("in place, with a new secret");
	// Somebody has refreshed since: the state has the new version, and knows that its secret is no longer valid.
	const later = only(step("hook", { type: "Webhook", outputs, op: "update" }));
	expect(later).toMatchObject({ changes: [{ path: "secret", declared: "[secret]", live: "[secret]" }] });
});

test("what the program declares as a secret is named and never shown, a password that can't be compared is not blamed", () => {
	const inputs = { capacity: secret, auth: { mode: "digest", username: "desk", password: secret } };
	const entry = only(step("office", { type: "SipTrunk", inputs, outputs: { password: secret }, op: "update" }));
	expect(entry).toMatchObject({ changes: [{ path: "capacity", declared: "[secret]", live: "[secret]" }] });
});

test("a secret that somebody has moved to where none was declared is not shown either", () => {
	const inputs = {
		routing: { type: "sip_uri", uri: secret, failover: { type: "forward", to: "+46812345678" } },
		metadata: { token: secret, note: "old" },
	};
	const live = {
		routing: { type: "agent", agentId: "hunter1", failover: { type: "sip_uri", uri: "sip:hunter2@b.example" } },
		metadata: { copy: "hunter3", note: "new" },
	};
	const seen = seenIn([step("desk", { inputs, live: { inputs: live } })]);
	const report = reportOf(seen, "prod", origin);
	expect(report.resources[0]?.changes).toEqual([
		{
			path: "routing",
			declared: { type: "sip_uri", uri: "[secret]", failover: { type: "forward", to: "+46812345678" } },
			live: { type: "agent", agentId: "[secret]", failover: { type: "sip_uri", uri: "[secret]" } },
		},
		{ path: "metadata.token", declared: "[secret]" },
		{ path: "metadata.note", declared: "old", live: "new" },
		{ path: "metadata.copy", live: "[secret]" },
	]);
	expect(JSON.stringify(report) + markdownOf(report) + tableOf(report)).not.toMatch(/hunter/);
});

test("credentials that somebody put into an address are masked, wherever they would stand", () => {
	const inputs = { smsWebhookUrl: "https://a.example.com/sms", routing: { type: "sip_uri", uri: "sip:a@b.example" } };
	const live = {
		inputs: {
			smsWebhookUrl: "https://user:hunter2@hunter4@a.example.com/sms",
			routing: { type: "sip_uri", uri: "sip:a:hunter3@hunter5@b.example" },
		},
	};
	const seen = seenIn([step("desk", { inputs, live })]);
	const report = reportOf(seen, "prod", origin);
	for (const text of [JSON.stringify(report), markdownOf(report), tableOf(report)]) {
		expect(text).toContain("[secret]@");
		expect(text).not.toMatch(/hunter/);
	}
});

test("a reference that was changed is drift, a claim by another stack a problem", () => {
	const lost = only(step("a", { outputs: active, live: { outputs: { open: { verdict: "vacant" } } } }));
	expect(lost).toMatchObject({ kind: "changed", changes: [{ path: "reference", live: "vacant" }] });
	const claimed = only(warning("a", coded("Somebody else has it.", "claimed")), step("a", { outputs: active }));
	expect(claimed).toMatchObject({ kind: "problem", changes: [{ path: "reference", live: "another stack's" }] });
});

test("other resources, and what a replacement has left to delete, are not counted", () => {
	const foreign = step("bucket", {});
	const event: EngineEvent = JSON.parse(
		JSON.stringify(foreign).replaceAll("dynamic/telephony:Number", "aws:s3:Bucket"),
	);
	const plugin: EngineEvent = JSON.parse(
		JSON.stringify(step("desk", {})).replaceAll("pulumi-nodejs:dynamic/telephony:Number", "telephony:index:Number"),
	);
	const condemned = step("old", { outputs: active, live: null, delete: true });
	const provider: EngineEvent = JSON.parse(
		JSON.stringify(step("default", {})).replaceAll(
			"pulumi-nodejs:dynamic/telephony:Number",
			"pulumi:providers:telephony",
		),
	);
	expect(reported(event, plugin, condemned, provider)).toMatchObject({ total: 1, drifted: 0 });
});

test("--fail-on asks for any drift, for what is gone, or for what only a purchase puts back", () => {
	const changed = reported(step("a", { inputs: { label: "x" }, live: { inputs: { label: "y" } } }));
	const trunk = reported(step("a", { type: "SipTrunk", live: null }));
	const number = reported(step("a", { outputs: active, live: null }));
	const waiting = reported(step("a", { outputs: pending, op: "update" }));
	const answers = (["changed", "missing", "replace"] as const).map((level) =>
		[changed, trunk, number, waiting].map((report) => fails(report, level)),
	);
	expect(answers).toEqual([
		[true, true, true, false],
		[false, true, true, false],
		[false, false, true, false],
	]);
});

test("what matters most comes first, and the same drift gives the same report", () => {
	const events = [
		step("waits", { outputs: pending, op: "update" }),
		step("b", { inputs: { label: "x" }, live: { inputs: { label: "y" } } }),
		step("a", { inputs: { label: "x" }, live: { inputs: { label: "y" } } }),
		step("lost", { outputs: active, live: null }),
		step("sip", { type: "SipTrunk", inputs: { capacity: 3 }, live: { inputs: { capacity: 4 } } }),
	];
	const names = reported(...events).resources.map(({ name }) => name);
	expect(names).toEqual(["lost", "sip", "a", "b", "waits"]);
	expect(reported(...events.toReversed())).toEqual(reported(...events));
});

test("values are cut at 200 characters, and of a long list only what differs is shown", () => {
	const long = "x".repeat(5_000);
	const entry = only(step("a", { inputs: { label: "x" }, live: { inputs: { label: long } } }));
	expect(String(entry?.changes[0]?.live)).toHaveLength(200);
	const cidrs = Array.from({ length: 60 }, (_, index) => `198.51.100.${index}/32`);
	const change = { path: "auth.allowedCidrs", declared: cidrs };
	expect(changeTexts({ ...change, live: [...cidrs.slice(1), "0.0.0.0/0"] })[0]).toBe(
		'auth.allowedCidrs: −"198.51.100.0/32" +"0.0.0.0/0" (60 items → 60)',
	);
	// However much is gone: what was added is told.
	expect(changeTexts({ ...change, live: ["0.0.0.0/0"] })[0]).toMatch(
		/^auth\.allowedCidrs: (−"198\S+ ){5}… \+"0\.0\.0\.0\/0" \(60 items → 1\)$/,
	);
	const face = only(step("a", { inputs: { label: "x" }, live: { inputs: { label: `${"x".repeat(198)}😀😀` } } }));
	expect(String(face?.changes[0]?.live)).toBe(`${"x".repeat(198)}…`);
});

describe("what the program ignores", () => {
	const declared = { label: "a", metadata: { "a b": "1", desk: "1" }, targets: [{ host: "x" }, { host: "y" }] };
	const live = { metadata: { "a b": "2", desk: "2", more: "3" }, targets: [{ host: "v" }, { host: "w" }] };

	test.each([
		[["label"], { ...declared, label: undefined }],
		[["metadata"], { ...declared, metadata: live.metadata }],
		[["metadata.desk"], { ...declared, metadata: { ...declared.metadata, desk: "2" } }],
		[['metadata["a b"]'], { ...declared, metadata: { ...declared.metadata, "a b": "2" } }],
		[["metadata.more", "metadata.none"], { ...declared, metadata: { ...declared.metadata, more: "3" } }],
		[["targets[1].host"], { ...declared, targets: [{ host: "x" }, { host: "w" }] }],
		[["targets[*].host"], { ...declared, targets: live.targets }],
		[["targets[7].host", "label.nothing", "constructor", "[", ""], declared],
		[["*"], live],
	])("%j becomes what is live", (paths, expected) => {
		expect(withIgnored(declared, live, paths)).toEqual(JSON.parse(JSON.stringify(expected)));
	});
});

test.each([
	["project:///index.ts#12,3", "index.ts:12"],
	["project:///src/my%20numbers/office.ts#7", "src/my numbers/office.ts:7"],
	["file:///elsewhere/index.ts#1,1", undefined],
	["project:///100%.ts#1,1", "100%.ts:1"],
	[undefined, undefined],
])("the place %s in a state reads %s", (source, place) => {
	expect(positionIn(source)).toBe(place);
});
