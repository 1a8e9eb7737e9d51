/** `telephony drift`: from the engine's events to the report. */
import { describe, expect, test } from "vitest";
import { type DriftedResource, type DriftReport, hasFailed, positionIn } from "../../../cli/drift/report";
import { driftView } from "../../../cli/drift/view";
import type { EngineEvent } from "../../../cli/engine/events";
import { markdownText } from "../../../cli/report/markdown";
import { terminalText } from "../../../cli/report/terminal";
import { coded } from "../../../provider/api/message-codes";
import { withIgnored } from "../../../provider/drift/changes";
import type { Values } from "../../../provider/properties/table";
import { active, only, pending, reported, secret, step, warning } from "../../helpers/engine-events";
import { aNumber, aTrunk, openProvider } from "../../helpers/provider";

const codesOf = (resource: DriftedResource | undefined) => resource?.fixes.map(({ code }) => code);
const headline = (report: DriftReport) => driftView(report, []).headline;
const texts = (report: DriftReport) => {
	const view = driftView(report, []);
	return [JSON.stringify(report), markdownText(view), terminalText(view)];
};

test("counts drifted and waiting resources in the headline", () => {
	const changed = step("a", { inputs: { label: "Desk" }, live: { inputs: { label: "desk" } } });
	const [lost, same] = [step("b", { outputs: active, live: null }), step("c", { outputs: active })];
	const waiting = step("d", { outputs: pending, op: "update" });
	expect(headline(reported(changed, lost, same))).toBe("drift: 2 of 3 resources (1 changed, 1 deleted), stack prod");
	expect(headline(reported(changed, waiting))).toBe("drift: 1 of 2 resources (1 changed, 1 waiting), stack prod");
	expect(headline(reported(same))).toBe("drift: 0 of 1 resource, stack prod");
});

test("names each changed path, with both values and two fixes", () => {
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
		repair: "update",
		consequence: "in place",
		fixes: [
			{
				code: "restore",
				text: expect.stringContaining('sets `routing.to` to `"+46812345678"`, sets `label` to `"Desk"`'),
			},
			{
				code: "accept",
				text: expect.stringMatching(/`routing` to `{"type":"forward","to":"\+46887654321",.*`label` in `desk`/),
			},
		],
	});
});

const acl = (...allowedCidrs: string[]) => ({ auth: { mode: "ip_acl", allowedCidrs } });
const [toDesk, toAgent] = [
	{ type: "forward", to: "+46812345678" },
	{ type: "agent", agentId: "agt_1" },
];
const openAcl = { path: "auth.allowedCidrs", declared: ["198.51.100.0/24"], live: ["0.0.0.0/0"] };

test.each([
	["Number", "low", { label: "a" }, { label: "b" }, { path: "label", declared: "a", live: "b" }],
	["SipTrunk", "medium", { capacity: 30 }, { capacity: 7 }, { path: "capacity", declared: 30, live: 7 }],
	["SipTrunk", "high", acl("198.51.100.0/24"), acl("0.0.0.0/0"), openAcl],
	["Webhook", "high", { url: "https://a.example" }, { url: "https://b.example" }, { path: "url" }],
	["Number", "high", { routing: toDesk }, { routing: toAgent }, { path: "routing", declared: toDesk, live: toAgent }],
])("rates a changed property of a %s %s: %j", (type, severity, inputs, live, change) => {
	expect(only(step("x", { type, inputs, live: { inputs: live } }))).toMatchObject({ severity, changes: [change] });
});

test("warns of a trunk that is open to every address", () => {
	const inputs = acl("198.51.100.0/24");
	const resource = only(step("office", { type: "SipTrunk", inputs, live: { inputs: acl("0.0.0.0/0") } }));
	expect(resource?.consequence).toContain("0.0.0.0/0");
	// After a refresh, check accepts the value, because the state has it.
	expect(codesOf(resource)).toEqual(["restore", "accept"]);
});

test.each<[string, Values, Values, RegExp]>([
	["Number", { label: "Desk" }, { label: "x".repeat(80) }, /beyond the provider's limits: label: /],
	["SipTrunk", acl("198.51.100.0/24"), acl("10.20.0.0/16"), /beyond the provider's limits: auth\.allowedCidrs\[0\]: /],
	["SipTrunk", { codecs: ["PCMU"] }, { codecs: ["iLBC"] }, /^in place$/],
	["Number", { routing: toDesk }, { routing: { ...toDesk, to: "+22507123456" } }, /^in place$/],
	[
		"Number",
		{ routing: toDesk },
		{ routing: { type: "queue", queueId: "q_1" } },
		/beyond the provider's limits: routing\.type: /,
	],
])("offers a live value that check accepts after a refresh: %s %j %j", async (type, inputs, live, consequence) => {
	const resource = only(step("x", { type, inputs, live: { inputs: live } }));
	expect(codesOf(resource)).toEqual(["restore", "accept"]);
	expect(resource?.consequence).toMatch(consequence);
	const run = openProvider({ url: "http://127.0.0.1:1/v1", apiKey: "key" });
	const [handler, news] = type === "Number" ? [run.number, aNumber(live)] : [run.sipTrunk, aTrunk(live)];
	expect((await handler.check(news, news)).failures).toEqual([]);
});

test("says that a deleted number is bought again, unless `adopt` names it", () => {
	const lost = step("lost", { outputs: active, live: null });
	const gone = { path: "status", declared: "active", live: "deleted" };
	expect(only(lost)).toMatchObject({ kind: "deleted", severity: "high", e164: "+31201234567", changes: [gone] });
	expect(only(lost)).toMatchObject({ repair: "buy", fixes: [{ code: "restore" }, { code: "accept" }] });
	expect(only(step("office", { type: "SipTrunk", live: null }))).toMatchObject({ repair: "create" });
	const adopted = only(step("lost", { inputs: { adopt: "+31201234567" }, outputs: active, live: null }));
	expect(adopted?.consequence).toContain("`adopt`");
	const ported = only(warning("lost", coded("The number +31201234567 (id_lost) wasn't found.", "ported-out")), lost);
	expect(ported).toMatchObject({ code: "ported-out", changes: [{ live: "ported out" }] });
	// Another carrier has the number, so the service can't restore it.
	expect(ported?.fixes[0]).not.toEqual(only(lost)?.fixes[0]);
});

const rejected = { status: "rejected", reasons: [{ code: "blurred", message: "The scan is blurred" }] };
const objected = { status: "exception", exceptions: [{ code: "pin_invalid", message: "The PIN is wrong" }] };
const refused = { outputs: pending, live: { outputs: { ...pending, kyc: rejected } }, op: "update" };
const numberNow = (status: string) => ({ outputs: active, live: { outputs: { status } }, op: "same" });
const profile = (live: Record<string, unknown> | null) => ({
	...{ type: "KycProfile", outputs: { status: "approved" }, live: live && { outputs: live } },
});
const order = (live: Record<string, unknown> | null) => ({
	...{ type: "PortOrder", outputs: { status: "scheduled" }, live: live && { outputs: live } },
});

test.each([
	["pending number", { outputs: pending, op: "update" }, "waiting", "kyc-pending", ["wait"]],
	["pending number that `up` doesn't wait for", { outputs: pending, op: "same" }, "waiting", "kyc-pending", ["wait"]],
	["refused number", refused, "problem", "kyc-rejected", ["restore", "accept"]],
	["suspended number", numberNow("suspended"), "problem", "not-active", ["restore", "accept"]],
	["number that is being ported out", numberNow("porting_out"), "problem", "not-active", ["restore", "accept"]],
	["rejected profile", profile(rejected), "problem", "kyc-rejected", ["restore", "accept"]],
	["expired profile", profile({ status: "expired" }), "problem", "kyc-rejected", ["restore", "accept"]],
	["draft of a profile", profile({ status: "draft" }), "waiting", "kyc-pending", ["finish"]],
	["deleted profile", profile(null), "deleted", undefined, ["restore", "accept"]],
	["refused port order", order(objected), "problem", "port-exception", ["restore", "accept"]],
	["port order in review", order({ status: "in_review" }), "waiting", "port-pending", ["wait"]],
	["deleted port order", order(null), "deleted", undefined, ["restore", "accept"]],
] as const)("reports a %s", (_, made, kind, code, fixes) => {
	const resource = only(step("x", made));
	const repair = { waiting: "none", problem: "manual", deleted: "create" }[kind];
	expect(resource).toMatchObject({ kind, severity: kind === "waiting" ? "low" : "high", repair });
	expect([resource?.code, codesOf(resource)]).toEqual([code, fixes]);
	expect(reported(step("x", made)).drifted).toBe(kind === "waiting" ? 0 : 1);
});

test.each([
	["number", refused, "The scan is blurred (blurred)"],
	["profile", profile(rejected), "(blurred)"],
	["port order", order(objected), "(pin_invalid)"],
] as const)("shows the service's reasons for a refused %s", (_, made, reason) => {
	expect(only(step("x", made))?.consequence).toContain(reason);
});

test.each([
	["delete", "cancels it"],
	["retain", "retains it on the account"],
])("hints at the fixes of a problem: onDelete %s %s", (onDelete, effect) => {
	const report = reported(step("move", { ...order(objected), inputs: { onDelete } }));
	expect(driftView(report, []).hints).toEqual([
		`PortOrder move needs you: exception: The PIN is wrong (pin_invalid). Restore it: correct the program, then run \`pulumi up\` to submit the order again. Accept it: remove it from the program, then \`pulumi up\` ${effect} (saved \`onDelete: "${onDelete}"\`).`,
	]);
});

test.each([
	["Number", pending, active],
	["Number", active, { status: "in_service" }],
	["KycProfile", { status: "in_review" }, { status: "approved" }],
	["KycProfile", { status: "approved" }, { status: "being_looked_at" }],
	["PortOrder", { status: "scheduled" }, { status: "completed" }],
])("reports nothing if a %s progresses from %j to %j", (type, outputs, live) => {
	expect(reported(step("x", { type, outputs, live: { outputs: live }, op: "same" })).resources).toEqual([]);
});

test.each([
	["pending", "waiting", ""],
	["deleted", "problem", "+312 deleted"],
])("reports an activation with a %s number as %s", (status, kind, consequence) => {
	const numbers = [
		{ id: "n1", phoneNumber: "+311", status: "active" },
		{ id: "n2", phoneNumber: "+312", status },
	];
	const resource = only(step("all", { type: "Activation", outputs: { numbers }, op: "update" }));
	expect(resource?.kind).toBe(kind);
	expect(resource?.consequence).toContain(consequence);
});

test("reports a lost reference as drift, and another claim as a problem", () => {
	const lost = only(step("a", { outputs: active, live: { outputs: { lease: "" } } }));
	expect(lost).toMatchObject({ kind: "changed", changes: [{ path: "reference", live: "vacant" }] });
	const claimed = only(warning("a", coded("Another stack has claimed it.", "claimed")), step("a", { outputs: active }));
	expect(claimed).toMatchObject({
		kind: "problem",
		code: "claimed",
		changes: [{ path: "reference", live: "another stack's" }],
	});
});

describe("secrets", () => {
	const masked = { declared: "[secret]", live: "[secret]" };
	const outputs = { secret, secretVersion: 1, lease: "l1" };
	const auth = { mode: "digest", username: "desk", password: secret };

	test.each([
		["rotated since", { type: "Webhook", outputs, live: { outputs: { secretVersion: 2 } } }, "secretVersion", {}],
		["rotated before a refresh", { type: "Webhook", outputs, op: "update" }, "secret", masked],
		["of an input", { type: "SipTrunk", inputs: { capacity: secret, auth }, op: "update" }, "capacity", masked],
	])("are named by their path alone: %s", (_, made, path, values) => {
		const report = reported(step("x", made));
		expect(report.resources[0]?.changes).toMatchObject([{ path, ...values }]);
		expect(JSON.stringify(report)).not.toContain("ciphertext");
	});

	test("stay hidden in places where none was declared", () => {
		const inputs = {
			routing: { type: "sip_uri", uri: secret, failover: toDesk },
			metadata: { token: secret, note: "old" },
		};
		const live = {
			routing: { type: "agent", agentId: "hunter1", failover: { type: "sip_uri", uri: "sip:hunter2@b.example" } },
			metadata: { copy: "hunter3", note: "new" },
		};
		const report = reported(step("desk", { inputs, live: { inputs: live } }));
		expect(report.resources[0]?.changes).toEqual([
			{
				path: "routing",
				declared: { type: "sip_uri", uri: "[secret]", failover: toDesk },
				live: { type: "agent", agentId: "[secret]", failover: { type: "sip_uri", uri: "[secret]" } },
			},
			{ path: "metadata.token", declared: "[secret]" },
			{ path: "metadata.note", declared: "old", live: "new" },
			{ path: "metadata.copy", live: "[secret]" },
		]);
		expect(texts(report).join()).not.toContain("hunter");
	});

	test("in addresses are masked in every format", () => {
		const inputs = { smsWebhookUrl: "https://a.example/sms", routing: { type: "sip_uri", uri: "sip:a@b.example" } };
		const live = {
			smsWebhookUrl: "https://user:hunter2@hunter4@a.example/sms",
			routing: { type: "sip_uri", uri: "sip:a:hunter3@hunter5@b.example" },
		};
		const report = reported(step("desk", { inputs, live: { inputs: live } }));
		for (const text of texts(report)) {
			expect(text).toContain("[secret]@");
			expect(text).not.toContain("hunter");
		}
	});
});

test("counts telephony resources of both providers, without replaced ones", () => {
	const renamed = (type: string): EngineEvent =>
		JSON.parse(JSON.stringify(step("x", {})).replaceAll("pulumi-nodejs:dynamic/telephony:Number", type));
	const condemned = step("old", { outputs: active, live: null, delete: true });
	const others = [renamed("aws:s3:Bucket"), renamed("pulumi:providers:telephony"), condemned];
	expect(reported(step("y", {}), renamed("telephony:index:Number"), ...others)).toMatchObject({ total: 2, drifted: 0 });
});

test.each([
	["a changed resource", { inputs: { label: "x" }, live: { inputs: { label: "y" } } }, [true, false, false]],
	["a deleted trunk", { type: "SipTrunk", live: null }, [true, true, false]],
	["a deleted number", { outputs: active, live: null }, [true, true, true]],
	["a wait", { outputs: pending, op: "update" }, [false, false, false]],
])("fails for %s by the level of --fail-on", (_, made, expected) => {
	const report = reported(step("a", made));
	expect((["changed", "deleted", "replace"] as const).map((level) => hasFailed(report, level))).toEqual(expected);
});

test("sorts by importance, in any order of events", () => {
	const label = { inputs: { label: "x" }, live: { inputs: { label: "y" } } };
	const events = [
		step("waits", { outputs: pending, op: "update" }),
		step("b", label),
		step("a", label),
		step("lost", { outputs: active, live: null }),
		step("sip", { type: "SipTrunk", inputs: { capacity: 3 }, live: { inputs: { capacity: 4 } } }),
	];
	expect(reported(...events).resources.map(({ name }) => name)).toEqual(["lost", "sip", "a", "b", "waits"]);
	expect(reported(...events.toReversed())).toEqual(reported(...events));
});

describe("`ignoreChanges`", () => {
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
	])("of %j takes the live values", (paths, expected) => {
		expect(withIgnored(declared, live, paths)).toEqual(JSON.parse(JSON.stringify(expected)));
	});
});

test.each([
	["project:///index.ts#12,3", "index.ts:12"],
	["project:///src/my%20numbers/office.ts#7", "src/my numbers/office.ts:7"],
	["file:///elsewhere/index.ts#1,1", undefined],
	["project:///../../github.com/pulumi/pulumi-yaml@v1.38.3/pkg/pulumiyaml/run.go#1026", undefined],
	["project:///100%.ts#1,1", "100%.ts:1"],
	[undefined, undefined],
])("reads the source position %s as %s", (source, place) => {
	expect(positionIn(source)).toBe(place);
});
