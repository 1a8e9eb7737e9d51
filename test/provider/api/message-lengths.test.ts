/** Messages with long values. A message may have several lines; each is one block of at most 300 characters. */
import { expect, test } from "vitest";
import { errorOfResponse, isTelephonyError, nextStep, serviceCodes, unlisted } from "../../../provider/api/errors";
import { messageCodes } from "../../../provider/api/message-codes";
import type { CreateRefusal } from "../../../provider/lifecycle/decide";
import {
	createRefusal,
	retainReason,
	updateRefusal,
	warnOfClaim,
	warnOfMove,
	warnOfResume,
	warnOfStay,
} from "../../../provider/lifecycle/messages";
import type { Referenced } from "../../../provider/ownership/claim";
import type { Session } from "../../../provider/session/session";

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
	const blocks = message.replace(/ \[telephony:[a-z-]+\]$/, "").split("\n");
	expect.soft(blocks.filter((block) => block.length > 300)).toEqual([]);
}

/** Returns what these functions warn of. */
function warningsOf(work: (session: Session) => void): string[] {
	const texts: string[] = [];
	work({ progress: { warn: (_urn: string, _code: string, text: string) => texts.push(text) } } as unknown as Session);
	return texts;
}

test.each([...serviceCodes, "unauthorized", "payment_required", "http_503", "unknown_code"])(
	"are short for the service's %s",
	(errorCode) => {
		for (const status of [401, 402, 404, 409, 422, 429, 503]) {
			const failure = { operation: "patchNumber", status, errorCode, requestId, message: "m".repeat(40) } as const;
			const error = errorOfResponse(`PATCH /numbers/${id}`, failure);
			expect(isTelephonyError(error)).toBe(true);
			expectShort(error.message);
		}
	},
);

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
	expectShort(unlisted(name).message);
	expectShort(nextStep("Unauthorized"));
});

test("are short for every code's line in docs/troubleshooting.md", () => {
	for (const line of Object.values(messageCodes)) expectShort(line);
});
