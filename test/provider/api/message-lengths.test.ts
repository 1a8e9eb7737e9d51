/** Messages with long values. Each line of a message is one block of at most 300 characters. */
import { Command } from "commander";
import { describe, expect, test, vi } from "vitest";
import { assertOwnAccount } from "../../../cli/account/identity";
import { addTrigger } from "../../../cli/emulator/trigger";
import { engineError } from "../../../cli/engine/refusals";
import { assertOptions } from "../../../cli/report/options";
import { errorOfResponse, isTelephonyError, nextStep, serviceCodes, unlisted } from "../../../provider/api/errors";
import { coded, codeOf, type MessageCode, messageCodes } from "../../../provider/api/message-codes";
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
import { InitError } from "../../../provider/lifecycle/resource";
import { hiddenWarning, replacedWarning } from "../../../provider/lifecycle/secret";
import type { Referenced } from "../../../provider/ownership/claim";
import { refuseOtherAccount } from "../../../provider/plugin/settings";
import { AccountCheck } from "../../../provider/reads/account-check";
import { assertPinned } from "../../../provider/reads/account-pin";
import { numberCondition, warnUnknownKyc } from "../../../provider/resources/number/kyc";
import { numberProperties } from "../../../provider/resources/number/properties";
import type { Session } from "../../../provider/session/session";
import { assertOptions as assertResourceOptions } from "../../../sdk/options";
import { useAccount } from "../../helpers/account";
import { dynamic, identity } from "../../helpers/claim-source";
import { FakeClock } from "../../helpers/clock";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { content, createPapers } from "../../helpers/papers";
import { aNumber, aPortOrder, aProfile, aTrunk, aWebhook, create, openProvider } from "../../helpers/provider";
import { reply, useScriptedServer } from "../../helpers/scripted-server";

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

const longOrigin = `https://telephony-gateway.${"x".repeat(20)}.example:8443`;
const longUrl = `${longOrigin}/v1`;
const longFolder = `/srv/${"infrastructure/".repeat(3)}telephony`;

const rendered = new Set<MessageCode | undefined>();

/** The message with a long value in place of each id, number and address of the emulator. */
const lengthened = (message: string): string =>
	message
		.replaceAll(/\b(num|trk|whk|kyc|port|acc|req)_[a-z\d]{8,}\b/g, (_, prefix) => `${prefix}_${"x".repeat(36)}`)
		.replaceAll(/\+\d{8,}/g, e164)
		.replaceAll(/http:\/\/127\.0\.0\.1:\d+(\/\d+)?/g, longOrigin);

function expectShort(message: string): void {
	rendered.add(codeOf(message));
	const blocks = lengthened(message)
		.replace(/ \[telephony:[a-z-]+\]$/, "")
		.split("\n");
	expect.soft(blocks.filter((block) => block.length > 300)).toEqual([]);
}

/** Expects errors and warnings of this code, which are short. */
function expectShortOf(code: MessageCode, messages: readonly string[]): void {
	const ofCode = messages.filter((message) => codeOf(message) === code);
	expect(ofCode.length, `${code}: ${messages.join("; ")}`).toBeGreaterThan(0);
	for (const message of ofCode) expectShort(message);
}

/** Returns the messages of errors, also of those inside a partial failure. */
async function errorsOf(...works: readonly (() => unknown)[]): Promise<string[]> {
	const texts: string[] = [];
	for (const work of works) {
		try {
			await work();
		} catch (error) {
			texts.push(((error instanceof InitError ? error.cause : error) as Error).message);
		}
	}
	return texts;
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
				baseUrl: longUrl,
				proxy,
				error,
				redact: (text) => text,
			}).failed.message,
		);
});

describe("a scripted service", () => {
	const server = useScriptedServer();

	test.each([
		["a cursor of another name", { meta: { pagination: { links: { next_page_url: "/v1/numbers?page=2" } } } }],
		["a total", { meta: { pagination: { total_records: 123_456_789 } } }],
		["no cursor", { next_cursor: undefined }],
	])("has short messages for a list with %s", async (_, more) => {
		const data = Array.from({ length: 100 }, (__, index) => ({ id: index, number: `+3161234${1000 + index}` }));
		server.script = (response) => reply(response, 200, { data, ...more });
		const readAll = async () => {
			for await (const page of server.client().numbers.pages()) expect(page).toHaveLength(100);
		};
		expectShortOf("list-incomplete", await errorsOf(readAll));
	});

	test("has short messages for a lost response, and for a run that ends", async () => {
		server.script = (response) => response.destroy();
		const ending = AbortSignal.abort("the run was interrupted");
		const create = () => server.client().trunks.create({ capacity: 1 } as never, {} as never);
		expectShortOf("unconfirmed-write", await errorsOf(create));
		const get = () => server.client({ ending }).numbers.get(id);
		expectShortOf("interrupted", await errorsOf(get));
	});

	test.each(["+31201234567", "12345678901", `acc_${"y".repeat(36)}`])(
		"has short messages for the pin %s",
		async (text) => {
			const numbers = [{ id, number: "+31612345678", country: "NL", type: "mobile", status: "active" }];
			server.script = (response, received) => {
				const path = received.at(-1)?.path ?? "";
				const error = { error: "not_found", message: "No.", request_id: requestId };
				if (path.startsWith("/numbers/")) return reply(response, 404, error);
				if (path.startsWith("/numbers")) return reply(response, 200, { data: numbers, next_cursor: null });
				return reply(response, 200, { id: `acc_${"x".repeat(36)}`, name: "Example B.V." });
			};
			const pin = { text, isPhone: text.startsWith("+"), from: "telephony:account" };
			expectShortOf("wrong-account", await errorsOf(() => assertPinned(server.client(), pin, longUrl)));
		},
	);
});

describe("an account", () => {
	const thisClaim = identity();
	const saved = {
		token: thisClaim.token,
		lease: "lease",
		phoneNumber: "+31612345678",
		createdAt: "2026-01-02T00:00:00Z",
	};
	const notFound = () =>
		Promise.reject(errorOfResponse("GET", { status: 404, errorCode: "not_found", message: "No." }));
	const checkOf = (ids: readonly string[], live: readonly Referenced[] = []) =>
		new AccountCheck({
			clock: new FakeClock(),
			baseUrl: longUrl,
			acceptsEmpty: false,
			kinds: [
				{
					noun: "number",
					older: new Map(ids.map((id) => [id, saved])),
					made: new Set(),
					live: async () => live,
					read: notFound,
				},
			],
			released: async function* () {},
		});
	const object = { kind: "number", id, claim: thisClaim, saved };

	test("has short messages if it shows too little of a stack", async () => {
		const many = Array.from({ length: 12 }, (_, index) => `num_${index}${"x".repeat(35)}`);
		const stranger = { id, number: "+31600000000", created_at: "2026-03-04T00:00:00Z" };
		const messages = await errorsOf(
			() => checkOf(many).assertOwn(thisClaim, []),
			() => checkOf([id]).judge(object, notFound),
			() => checkOf([id]).judge(object, async () => stranger as Referenced),
			() => checkOf([id]).judge(object, async () => ({ id })),
			() => refuseOtherAccount(`${dynamic}::${"n".repeat(40)}`, { baseUrl: "a", apiKey: "a" }, { baseUrl: "b" }, {}),
			() => {
				const account = { client: { offers: () => true }, objects: [], unreadable: [], wanted: ["Number"] };
				const holdings = many.map((id) => ({ type: "Number", id, urn: dynamic, saved }));
				assertOwnAccount(account as never, holdings as never, { baseUrl: longUrl } as never);
			},
		);
		expect(messages).toHaveLength(6);
		expectShortOf("wrong-account", messages);
		expect(messages.map(codeOf)).toEqual(messages.map(() => "wrong-account"));
	});
});

describe("a run", () => {
	const { emulator, open, clock, off, another } = useAccount();
	const proxy = useFaultProxy(emulator);
	const throughProxy = () => openProvider(proxy, { clock });
	const onPost = (kind: "unanswered" | "garbled" | "unmarked") => {
		proxy.plan = (_, method) => (method === "POST" ? { kind } : undefined);
	};

	test("has short messages for purchases that may have been made", async () => {
		off("idempotencyKey");
		const fiveOthers = async () => {
			for (const _ of [1, 2, 3, 4, 5]) await another();
		};
		await fiveOthers();
		const uncertain = await errorsOf(() => create(open().number, aNumber()));
		expect(uncertain[0]?.match(/`adopt: /g)).toHaveLength(3);
		expect(uncertain[0]).toContain("and 2 more");
		emulator.control.reset();
		off("idempotencyKey");
		proxy.plan = (_, method) => {
			if (method !== "POST") return undefined;
			void fiveOthers();
			return { kind: "unanswered" };
		};
		const sold = await errorsOf(() => create(throughProxy().number, aNumber()));
		emulator.control.reset();
		onPost("garbled");
		proxy.rewrite = (text, method) => (method === "GET" ? JSON.stringify({ data: [], next_cursor: null }) : text);
		const run = throughProxy();
		const hidden = await Promise.all(["a", "b"].map((name) => errorsOf(() => create(run.number, aNumber({}, name)))));
		emulator.control.reset();
		proxy.plan = () => undefined;
		proxy.rewrite = (text) => text;
		off("reference");
		await create(open().number, aNumber());
		await clock.sleep(5_000);
		const repeated = await errorsOf(() => create(open().number, aNumber()));
		const messages = [...uncertain, ...sold, ...hidden.flat(), ...repeated];
		expect(messages.map(codeOf)).toEqual(messages.map(() => "purchase-unknown"));
		expect(messages).toHaveLength(5);
		expectShortOf("purchase-unknown", messages);
	});

	test("has short messages for what it declares", async () => {
		const events = ["call.parked", "message.receved", "call.forked", "fax.done"];
		const { sipTrunk, webhook, kycProfile, warnings } = open();
		await webhook.check({}, aWebhook({ events }));
		await sipTrunk.check({}, aTrunk({ mediaEncryption: "x".repeat(40), targets: undefined }));
		await kycProfile.check({}, aProfile({ country: "NL" }));
		for (const code of ["unknown-value", "kyc-requirements"] as const) expectShortOf(code, warnings);
	});

	test("has short messages for purchases", async () => {
		const run = open({ place: "file:///srv/state", env: { CI: "true" } });
		await create(run.number, aNumber());
		expectShortOf("owner-missing", run.warnings);
		expectShortOf("not-pinned", run.notes);
		const limits = { maxPurchases: 0, maxMonthly: ["1.00USD"] };
		const limited = open({ config: { "telephony:limits": JSON.stringify(limits) } });
		const { failures } = await limited.number.check({}, aNumber({}, "second"));
		expectShortOf(
			"limit",
			failures.map(({ reason }) => reason),
		);
	});

	test.each([
		["released-outside", "released"],
		["ported-out", "ported_out"],
		["number-failed", "failed"],
	] as const)("has a short message for %s", async (code, status) => {
		const { id: bought, outs } = await create(open().number, aNumber());
		await create(open().number, aNumber({}, "second"));
		await clock.sleep(3_600_000);
		emulator.control.patchNumber(bought, { status });
		const run = open();
		await run.number.read(bought, outs);
		expectShortOf(code, run.warnings);
	});

	test("has short messages for a trunk, a profile and an order", async () => {
		const trunk = await create(open().sipTrunk, aTrunk());
		await create(open().sipTrunk, aTrunk({}, "second"));
		await clock.sleep(3_600_000);
		emulator.remove("sipTrunk", trunk.id);
		const { folder, write } = createPapers();
		write("letter.pdf", content("pdf", "letter"));
		const run = open({ cwd: folder });
		await run.sipTrunk.read(trunk.id, trunk.outs);
		expectShortOf("removed-outside", run.warnings);
		write("id.pdf", content("pdf", "passport"));
		write("bill.png", content("png", "bill"));
		const whole = {
			idNumber: "L01X00T471",
			documents: [
				{ kind: "identity", file: "id.pdf" },
				{ kind: "proof_of_address", file: "bill.png" },
			],
		};
		const profile = await create(run.kycProfile, aProfile(whole));
		const { inputs } = await run.kycProfile.check({}, aProfile({ ...whole, name: "Erika Musterfrau" }));
		const change = () => run.kycProfile.update(profile.id, profile.outs, inputs);
		expectShortOf("kyc-locked", await errorsOf(change));
		const order = (pin: string) =>
			aPortOrder({
				documents: [{ kind: "letter_of_authorization", file: "letter.pdf" }],
				carrier: { name: "Old Telecom", accountNumber: "A-1", pin },
				waitForCompletion: true,
				completionTimeoutSeconds: 864_000,
			});
		expectShortOf("port-exception", await errorsOf(() => create(run.portOrder, order("0000"))));
		const soon = { ...order("4711"), numbers: ["+31208888888"], completionTimeoutSeconds: 10 };
		expectShortOf("port-pending", await errorsOf(() => create(run.portOrder, soon)));
	});
});

test("are short for programs", async () => {
	const options = [{ import: id }, { customTimeouts: {} }, { deletedWith: {} }, { version: "1.0.0" }, { provider: {} }];
	const refused = options.map((option) => () => assertResourceOptions(`Number "${"n".repeat(40)}"`, option as never));
	expectShortOf("option-refused", await errorsOf(...refused));
	vi.resetModules();
	vi.spyOn(process, "versions", "get").mockReturnValue({ ...process.versions, node: "20.11.0" });
	expectShortOf("node-version", await errorsOf(() => import("../../../provider/node-version.js")));
	vi.restoreAllMocks();
	vi.resetModules();
	const pulumi = await import("@pulumi/pulumi");
	const warnings: string[] = [];
	vi.spyOn(pulumi.log, "warn").mockImplementation(async (text) => void warnings.push(text));
	await pulumi.runtime.setMocks({ call: () => ({}), newResource: ({ name: id }) => ({ id, state: {} }) });
	pulumi.runtime.setConfig("telephony:apiKey", "key");
	const { SipTrunk } = await import("../../../sdk/index.js");
	const declare = () => new SipTrunk("pbx", { auth: { mode: "digest" }, capacity: 1 } as never);
	declare();
	expectShortOf("key-in-clear", warnings);
	const [node = "", ...others] = process.argv;
	process.argv = [node, "/x/@pulumi/pulumi/cmd/run/index.js"];
	vi.spyOn(process, "cwd").mockReturnValue(longFolder);
	const missing = await errorsOf(declare);
	vi.restoreAllMocks();
	process.argv = [node, ...others];
	expectShortOf("provider-missing", missing);
});

test("are short for the command", async () => {
	const program = new Command("telephony").exitOverride();
	addTrigger(program);
	const trigger = () => program.parseAsync(["node", "telephony", "trigger", "sms", "--url", "http://127.0.0.1:9"]);
	const failed = { code: 255, stderr: `error: ${"x".repeat(100)}` };
	const texts = [
		...(await errorsOf(trigger, () => assertOptions({ cwd: longFolder, stack: "dev" } as never))),
		...(["engine", "plan-unknown", "drift-unknown"] as const).map(
			(unknownCode) => engineError(failed, `the plan of stack ${"s".repeat(40)} is not known`, { unknownCode }).message,
		),
	];
	expect(texts.map(codeOf)).toEqual(["emulator", "usage", "engine", "plan-unknown", "drift-unknown"]);
	for (const text of texts) expectShort(text);
});

test("are rendered here for every code", () => {
	expect(Object.keys(messageCodes).filter((code) => !rendered.has(code as MessageCode))).toEqual([]);
});
