/** Messages with long values: each line has at most 300 characters. For all other messages, see test/short-messages.ts. */
import { expect, test } from "vitest";
import { errorOfResponse, isTelephonyError, nextStep, serviceCodes, unlisted } from "../../../provider/api/errors";
import { coded, type MessageCode, messageCodes } from "../../../provider/api/message-codes";
import { noResponse } from "../../../provider/api/no-response";
import { conditionError, warnOfCondition } from "../../../provider/drift/condition";
import { notApplied, referenceCut } from "../../../provider/lifecycle/confirm";
import type { CreateRefusal } from "../../../provider/lifecycle/decide";
import {
	createRefusal,
	retainReason,
	updateRefusal,
	warnOfClaim,
	warnOfMove,
	warnOfResume,
	warnOfSpellings,
	warnOfStay,
} from "../../../provider/lifecycle/messages";
import { hiddenWarning, replacedWarning } from "../../../provider/lifecycle/secret";
import type { Referenced } from "../../../provider/ownership/claim";
import { numberCondition, warnUnknownKyc } from "../../../provider/resources/number/kyc";
import { numberProperties } from "../../../provider/resources/number/properties";
import type { Session } from "../../../provider/session/session";
import { assertOptions } from "../../../sdk/options";
import { read } from "../../helpers/repository";

const id = `num_${"x".repeat(36)}`;
const e164 = `+${"3".repeat(15)}`;
const name = `${e164} (${id})`;
const requestId = `req_${"x".repeat(36)}`;
const record: Referenced = { id, reference: "RRRRRRRRRRRRRRRRRRRRRR.GGGGGGGG.ownerown.lease1~project/stack-na" };
const claim = { token: "R.G", state: "s".repeat(16), kept: true, stackName: "shop/dev" };
const kind = {
	noun: "KYC profile",
	verbs: { make: "create", made: "created", end: "release", ended: "released" },
	nameOf: () => name,
	isNamed: true,
};
const outs = { __resourceUrn: `urn:pulumi:dev::shop::telephony:index:Number::${"n".repeat(64)}` };
const claimed = { claim, record, outs, what: `number ${name}` };

function expectShort(message: string): void {
	const lines = message.replace(/ \[telephony:[a-z-]+\]$/, "").split("\n");
	expect.soft(lines.filter((line) => line.length > 300)).toEqual([]);
}

/** Returns what these functions warn of. */
function warningsOf(work: (session: Session) => void): string[] {
	const texts: string[] = [];
	const warn = (_urn: string, code: MessageCode, text: string) => texts.push(coded(text, code));
	work({ progress: { warn }, ending: {} } as unknown as Session);
	return texts;
}

test.each([
	...serviceCodes,
	"unauthorized",
	"payment_required",
	"not_found",
	"operation_not_offered",
	"http_503",
	"unknown_code",
])("are short for the service's %s", (errorCode) => {
	for (const status of [401, 402, 404, 409, 422, 429, 503]) {
		const failure = { operation: "patchNumber", status, errorCode, requestId, message: "m".repeat(40) } as const;
		const error = errorOfResponse(`PATCH /numbers/${id}`, failure);
		expect(isTelephonyError(error)).toBe(true);
		expectShort(error.message);
		expectShort(errorOfResponse(`PATCH /numbers/${id}`, { ...failure, feature: "patchNumber" }).message);
	}
});

test("are short for every refusal of a create", () => {
	const contradiction = `doesn't match the program: its country is "NL", not "SE".`;
	const refusals: CreateRefusal<Referenced>[] = [
		{ why: "adopt-absent", wanted: id },
		{ why: "adopt-absent", wanted: id, record },
		{ why: "adopt-contradicts", record, contradiction },
		{ why: "adopt-shared", record },
		{ why: "adopt-claimed", record },
		{ why: "several", records: [record] },
		{ why: "another-state", record },
		{ why: "resume-contradicts", record, contradiction },
		{ why: "uncertain", records: [record, record] },
	];
	const five = createRefusal({ why: "uncertain", records: Array(5).fill(record) }, claim, { ...kind, noun: "number" });
	expect([five.message.match(/`adopt: /g)?.length, five.message.includes("and 2 more")]).toEqual([3, true]);
	for (const noun of ["number", kind.noun])
		for (const refusal of refusals) expectShort(createRefusal(refusal, claim, { ...kind, noun }).message);
});

test("are short for updates, deletes and claims", () => {
	for (const why of ["shared", "claimed", "overtaken"] as const) expectShort(updateRefusal(why, claimed).message);
	const next = `You are still billed 1000.00 USD a month. To release it, run \`telephony release ${e164} --stack ${"s".repeat(20)}\`.`;
	const warnings = warningsOf((session) => {
		for (const owner of ["vacant", "superseded", "foreign"] as const) warnOfClaim(session, claimed, owner);
		warnOfMove(session, claimed);
		for (const why of ["retained", "interrupted"] as const) warnOfResume(session, { record, why, urn: "urn" }, kind);
		for (const action of ["keep", "forget"] as const) warnOfStay(session, { do: action }, claimed, { next });
		for (const why of Object.keys(retainReason) as (keyof typeof retainReason)[])
			warnOfStay(session, { do: "retain", why }, claimed, { next });
	});
	expect(warnings).toHaveLength(12);
	for (const warning of warnings) expectShort(warning);
	const properties = { ...numberProperties };
	const spelled = { label: "x".repeat(64) };
	for (const warning of warningsOf((session) =>
		warnOfSpellings(session, { properties, what: `the number ${name}`, urn: "urn" }, spelled, {
			label: "X".repeat(64),
		}),
	))
		expectShort(warning);
	expectShort(unlisted(name).message);
	expectShort(referenceCut(`the number ${name}`, record).message);
	const values = { property: "routing.failover.to", declared: "x".repeat(40), live: "y".repeat(40) };
	expectShort(notApplied(`the number ${name}`, [values]).message);
	expectShort(nextStep("Unauthorized"));
});

test("are short for every code's line in docs/troubleshooting.md", () => {
	for (const line of Object.values(messageCodes)) expectShort(line);
});

test("are short for secrets", () => {
	const secret = { output: "password", toBeDeclared: () => "auth.password" } as unknown as Parameters<
		typeof hiddenWarning
	>[0];
	expectShort(coded(hiddenWarning(secret, `trunk ${name}`, {}), "secret-hidden"));
	expectShort(coded(replacedWarning(secret, `trunk ${name}`, {}), "secret-replaced"));
});

test("are short for a number or an order that isn't active", () => {
	const reasons = [{ code: "name_mismatch", message: "The name differs from the document." }];
	const pending = { id, number: e164, country: "DE", type: "geographic", area: "30" };
	const review = (status: string) => ({ ...pending, status: "pending", kyc_required: true, kyc: { status, reasons } });
	const records = [review("action_required"), review("rejected"), { ...pending, status: "suspended" }];
	const conditions = [...records.map((record) => numberCondition({}, record as never))];
	for (const condition of conditions) {
		if (condition === undefined) continue;
		expectShort(conditionError({ ending: {} } as Session, name, condition, { done: "bought and saved" }).message);
		for (const text of warningsOf((session) => warnOfCondition(session, {}, name, condition))) expectShort(text);
	}
	const twelve = Array.from({ length: 12 }, () => ({ ...pending, status: "pending" }));
	for (const text of warningsOf((session) => warnUnknownKyc(session, {}, twelve as never))) expectShort(text);
});

test("are short without a response", async () => {
	const error = Object.assign(new Error(`connect ECONNREFUSED ${"x".repeat(20)}`), { code: "ECONNREFUSED" });
	for (const proxy of [undefined, `http://proxy.${"x".repeat(20)}.example:3128`])
		expectShort(
			noResponse({
				operation: "patchNumber",
				doing: `PATCH /numbers/${id}`,
				baseUrl: `https://telephony-gateway.${"x".repeat(20)}.example:8443/v1`,
				proxy,
				error,
				redact: (text) => text,
			}).failed.message,
		);
});

test("are short for programs", () => {
	const options = [{ import: id }, { customTimeouts: {} }, { deletedWith: {} }, { version: "1.0.0" }, { provider: {} }];
	const refusal = expect.objectContaining({
		message: expect.stringMatching(/^.{1,300} \[telephony:option-refused\]$/),
	});
	for (const option of options)
		expect(() => assertOptions(`Number "${"n".repeat(40)}"`, option as never)).toThrow(refusal);
	const texts = ["sdk/dynamic.ts", "provider/node-version.ts"].flatMap((file) =>
		read(file).match(/^.* \[telephony:.*$/gm),
	);
	expect(texts).toHaveLength(3);
	for (const text of texts) expectShort(String(text));
});
