/** The life of a KYC profile: made, handed in, decided on, corrected, and gone once no number needs it. */
import { describe, expect, test } from "vitest";
import type { Control } from "../../../../emulator";
import type { Handler } from "../../../../provider/lifecycle/resource";
import type { Values } from "../../../../provider/properties/table";
import { kycProfileDrift } from "../../../../provider/resources/kyc-profile/handler";
import { useAccount } from "../../../helpers/account";
import { content, createPapers, type Papers } from "../../../helpers/papers";
import {
	aNumber,
	aPool,
	aProfile,
	checked,
	create,
	failureOf,
	initErrorOf,
	type ProviderOptions,
} from "../../../helpers/provider";

const { emulator, clock, open: run } = useAccount({ kyc: "manual" });
const decideProfile: Control["decideProfile"] = (...decision) => emulator.control.decideProfile(...decision);

const idNumber = "L01X00T471";
const papers = (): Papers => {
	const made = createPapers();
	made.write("id.pdf", content("pdf", "passport"));
	made.write("bill.png", content("png", "bill"));
	return made;
};
const documents = [
	{ kind: "identity", file: "id.pdf" },
	{ kind: "proof_of_address", file: "bill.png" },
];
const whole = (more: Values = {}, name?: string) => aProfile({ idNumber, documents, ...more }, name);
const profiles = () => emulator.control.state().kycProfiles;
const profile = (id: string) => profiles().find((each) => each.id === id);
const submissions = () => emulator.writes().filter((each) => each.endsWith("/submit")).length;
const uploads = () => emulator.writes().filter((each) => each === "POST /kyc/documents").length;

/** A program's folder, and one run of it after the other. */
function desk() {
	const folder = papers();
	const open = (more: ProviderOptions = {}) => run({ cwd: folder.folder, ...more });
	return { ...folder, open };
}

async function update(handler: Handler, id: string, outs: Values, inputs: Values, news: Values) {
	const next = await checked(handler, news, inputs);
	const { changes } = await handler.diff(id, outs, next);
	return { changes, inputs: next, outs: changes ? (await handler.update(id, outs, next)).outs : outs };
}

async function submitted(more: Values = {}) {
	const { open, ...rest } = desk();
	const { kycProfile } = open();
	const inputs = await checked(kycProfile, whole(more));
	const { id, outs } = await kycProfile.create(inputs);
	return { ...rest, open, inputs, id, outs };
}

describe("a profile that is declared", () => {
	test("is made, gets its papers and is submitted, and nothing of that twice", async () => {
		const { id, inputs, outs, open } = await submitted();
		expect(profile(id)).toMatchObject({ status: "in_review", holder: "individual", id_number: idNumber });
		expect(profile(id)?.document_ids).toEqual(outs.documentIds);
		expect(outs).toMatchObject({ status: "in_review", reasons: [], documents: inputs.documents });

		const writes = emulator.writes().length;
		expect((await update(open().kycProfile, id, outs, inputs, whole())).changes).toBe(false);
		const read = await open().kycProfile.read(id, outs);
		expect(read.props).toMatchObject({ documents: inputs.documents, documentIds: outs.documentIds });
		expect({ ...read.inputs, __provider: inputs.__provider }).toEqual(inputs);
		expect(emulator.writes()).toHaveLength(writes);

		await open().kycProfile.delete(id, outs);
		expect(profiles()).toEqual([]);
	});

	test("shows its secrets nowhere", async () => {
		const { outs, open } = await submitted();
		const state = JSON.stringify({ ...outs, idNumber: undefined });
		expect(state).not.toContain(idNumber);
		expect(state).not.toContain(content("pdf", "passport").toString("base64"));
		emulator.control.faults.set({ operation: "createKycProfile", kind: "status", status: 400 });
		const { kycProfile } = open();
		const error = await failureOf(create(kycProfile, whole({}, "other")));
		expect(error.message).not.toContain(idNumber);
	});

	test("is taken over from a run that was killed after any of its requests", async () => {
		const { open } = desk();
		for (const operation of ["createKycProfile", "createKycDocument", "patchKycProfile", "submitKycProfile"] as const) {
			emulator.control.faults.set({ operation, kind: "reset", phase: "after", probability: 1 });
			await expect(create(open().kycProfile, whole())).rejects.toThrow();
			emulator.control.faults.clear();
		}
		const { id } = await create(open().kycProfile, whole());
		expect(profiles().map((each) => each.id)).toEqual([id]);
		expect(profile(id)?.status).toBe("in_review");
		expect(emulator.control.state().kycDocuments).toHaveLength(2);
	});

	test("is adopted with what it has, and let go", async () => {
		const { id, open } = await submitted();
		decideProfile(id, "approve");
		const other = run({ place: "https://other.example", cwd: "/" });
		await emulator.call("PATCH", `/kyc/profiles/${id}`, { reference: null });
		const { outs } = await create(other.kycProfile, aProfile({ adopt: id }));
		expect(outs).toMatchObject({ status: "approved" });
		await run({ place: "https://other.example" }).kycProfile.delete(id, outs);
		expect(profile(id)).toMatchObject({ status: "approved", reference: expect.stringContaining(".left~") });
		const error = await failureOf(
			create(open().kycProfile, aProfile({ adopt: id, entityType: "business" }, "company")),
		);
		expect(error.message).toMatch(/adopt: .* has the entityType "individual"/);
	});
});

describe("a number in another country than its profile", () => {
	const french = (kycProfileId: string) => ({ country: "FR", type: "mobile", kycProfileId });
	const refused = async ({ number, numberPool }: ReturnType<typeof run>, id: string) => {
		const [one, pool] = [await number.check({}, aNumber(french(id))), await numberPool.check({}, aPool(french(id)))];
		const german = await number.check({}, aNumber({ ...french(id), country: "DE" }));
		return [one, pool, german].map(
			({ failures }) => failures.filter(({ reason }) => /^kycProfileId: /.test(reason)).length,
		);
	};

	test("is refused by check once the run knows the profile", async () => {
		const { id, inputs, outs, open } = await submitted();
		const seen = async (work: (run: ReturnType<typeof open>) => Promise<unknown>) => {
			const next = open();
			await work(next);
			return refused(next, id);
		};
		const urn = inputs.resourceUrn;
		expect(await seen(async () => {})).toEqual([0, 0, 0]);
		expect(await seen(async ({ kycProfile }) => kycProfile.diff(id, outs, inputs))).toEqual([1, 1, 0]);
		expect(await seen(async ({ kycProfile }) => kycProfile.read(id, outs))).toEqual([1, 1, 0]);
		expect(await seen(async ({ kycProfile }) => kycProfile.read(id, { resourceUrn: urn }))).toEqual([1, 1, 0]);
		expect(await seen(async ({ kycProfile }) => kycProfile.create(inputs))).toEqual([1, 1, 0]);
		const moved = { ...inputs, country: "FR" };
		expect(await seen(async ({ kycProfile }) => kycProfile.diff(id, outs, moved))).toEqual([0, 0, 1]);
		const other = open();
		await other.kycProfile.diff(id, outs, inputs);
		await other.kycProfile.configure({ config: { get: () => undefined } });
		expect(await refused(other, id)).toEqual([0, 0, 0]);
	});
});

describe("a decision", () => {
	test("is waited for where the program says so, and the number after it", async () => {
		const { open } = desk();
		clock.after(90, () => decideProfile(profiles()[0]?.id ?? "", "approve"));
		const { kycProfile, number, statuses } = open();
		const { id, outs } = await create(kycProfile, whole({ waitForApproval: true }));
		expect(outs.status).toBe("approved");
		expect(statuses.at(-1)).toMatch(/^in review, \d+ (s|min) left$/);
		const berlin = await create(number, aNumber({ country: "DE", type: "geographic", area: "30", kycProfileId: id }));
		expect(berlin.outs.status).toBe("active");
	});

	test("that takes too long is waited for by the next run", async () => {
		const { open } = desk();
		const inputs = await checked(open().kycProfile, whole({ waitForApproval: true }));
		const { id, properties, message } = await initErrorOf(open().kycProfile.create(inputs));
		expect(message).toMatch(/is submitted and saved, but not approved yet: in review after 10 min\./);
		decideProfile(id, "approve");
		const next = await update(open().kycProfile, id, properties, inputs, whole({ waitForApproval: true }));
		expect({ changes: next.changes, status: next.outs.status }).toEqual({ changes: true, status: "approved" });
		expect(submissions()).toBe(1);
	});

	test.each([
		["rejected", "reject", /rejected: The scan is blurred\. \(blurred\)/],
		["expired", "expire", /: expired\./],
	] as const)(
		"%s ends the wait with the way out, and only a correction is submitted again",
		async (status, decision, why) => {
			const { id, inputs, outs: before, open, write } = await submitted();
			if (decision === "expire") decideProfile(id, "approve");
			decideProfile(id, decision, [{ code: "blurred", message: "The scan is blurred." }]);
			const waiting = whole({ waitForApproval: true });
			const { props: outs = {} } = await open().kycProfile.read(id, before);
			expect(outs.status).toBe(status);

			const inputsNow = await checked(open().kycProfile, waiting, inputs);
			const { message, properties } = await initErrorOf(open().kycProfile.update(id, outs, inputsNow));
			expect(message).toMatch(why);
			const again = await initErrorOf(update(open().kycProfile, id, properties, inputsNow, waiting));
			expect({ matches: why.test(again.message), submissions: submissions() }).toEqual({
				matches: true,
				submissions: 1,
			});

			write("id.pdf", content("pdf", "sharper"));
			const { outs: corrected } = await update(open().kycProfile, id, again.properties, inputsNow, whole());
			expect(corrected).toMatchObject({ status: "in_review", reasons: [] });
			expect([submissions(), uploads()]).toEqual([2, 3]);
			expect(profile(id)?.document_ids).toEqual(corrected.documentIds);
		},
	);

	test.each([422, 503])("is asked for by the next run, where only another idNumber met a %i", async (status) => {
		const { id, inputs, outs, open } = await submitted();
		decideProfile(id, "reject");
		emulator.control.faults.set({ operation: "patchKycProfile", status, every: true });
		const corrected = whole({ idNumber: "L01X00T472" });
		const { properties } = await initErrorOf(update(open().kycProfile, id, outs, inputs, corrected));
		emulator.control.faults.clear();
		await update(open().kycProfile, id, properties, inputs, corrected);
		expect(profile(id)).toMatchObject({ id_number: "L01X00T472", status: "in_review" });
	});

	test("that a killed or failed run has made, and that is given up before it has its papers, is deleted", async () => {
		const { open } = desk();
		const inputs = await checked(open().kycProfile, whole());
		const { set, clear } = emulator.control.faults;
		set({ operation: "createKycProfile", nth: 1, kind: "status", phase: "after", status: 502 });
		set({ operation: "createKycProfile", nth: 2, kind: "status", phase: "before", status: 403 });
		await failureOf(open().kycProfile.create(inputs));
		clear();
		set({ operation: "createKycDocument", kind: "status", phase: "before", status: 403, every: true });
		const { id, properties } = await initErrorOf(open().kycProfile.create(inputs));
		await open().kycProfile.delete(id, properties);
		expect(profiles()).toEqual([]);
	});

	test("is asked for by the next run, where a correction got no answer", async () => {
		const { id, inputs, outs, open } = await submitted();
		decideProfile(id, "reject");
		emulator.control.faults.set({ operation: "patchKycProfile", phase: "after", status: 502, every: true });
		const renamed = whole({ name: "Erika Musterfrau" });
		const { properties } = await initErrorOf(update(open().kycProfile, id, outs, inputs, renamed));
		emulator.control.faults.clear();
		expect([profile(id)?.name, profile(id)?.status]).toEqual(["Erika Musterfrau", "rejected"]);
		await update(open().kycProfile, id, properties, inputs, renamed);
		expect(profile(id)?.status).toBe("in_review");
	});

	test("asked for by a submission that failed is asked for by the next run", async () => {
		const { id, inputs, outs, open } = await submitted();
		decideProfile(id, "reject");
		emulator.control.faults.set({ operation: "submitKycProfile", kind: "status", status: 422 });
		const renamed = whole({ name: "Erika Musterfrau" });
		const { properties } = await initErrorOf(update(open().kycProfile, id, outs, inputs, renamed));
		expect([profile(id)?.name, profile(id)?.status]).toEqual(["Erika Musterfrau", "rejected"]);
		await update(open().kycProfile, id, properties, inputs, renamed);
		expect(profile(id)?.status).toBe("in_review");
	});

	test.each([false, true])("on a submission whose answer was lost ends it too (refresh: %s)", async (refreshes) => {
		const { open } = desk();
		const inputs = await checked(open().kycProfile, whole());
		const { set, clear } = emulator.control.faults;
		set({ operation: "submitKycProfile", nth: 1, kind: "status", phase: "after", status: 502 });
		set({ operation: "submitKycProfile", nth: 2, kind: "status", phase: "before", status: 403 });
		const { id, properties } = await initErrorOf(open().kycProfile.create(inputs));
		clear();
		const { props: outs = {} } = refreshes ? await open().kycProfile.read(id, properties) : { props: properties };
		decideProfile(id, "reject");
		const next = await checked(open().kycProfile, whole(), inputs);
		await open().kycProfile.update(id, outs, next);
		expect(profile(id)?.status, "nothing was corrected").toBe("rejected");
	});
});

describe("a change that the service refuses", () => {
	test.each([
		["approved", /Declare a second KycProfile/],
		["in_review", /Wait for the decision/],
	])("because the profile is %s, is warned of at preview and explained by up", async (status, way) => {
		const { id, inputs, outs, open } = await submitted();
		if (status === "approved") decideProfile(id, "approve");
		const { kycProfile, warnings } = open();
		const { props = {} } = await kycProfile.read(id, outs);
		const next = await checked(kycProfile, whole({ name: "Erika Musterfrau" }), inputs);
		await kycProfile.diff(id, props, next);
		expect(warnings.filter((each) => way.test(each))).toHaveLength(1);
		const { message } = await initErrorOf(kycProfile.update(id, props, next));
		expect(message).toMatch(way);
		expect(message).toContain("[telephony:kyc-locked]");
	});

	test("is not warned of where only the provider's own properties change", async () => {
		const { id, inputs, outs, open } = await submitted();
		const { kycProfile, warnings } = open();
		await kycProfile.diff(id, outs, await checked(kycProfile, whole({ waitForApproval: true }), inputs));
		expect(warnings).toEqual([]);
	});

	test("of the holder is refused at preview", async () => {
		const { inputs, open } = await submitted();
		const { failures } = await open().kycProfile.check(inputs, whole({ entityType: "business" }));
		expect(failures.map(({ reason }) => reason)).toEqual([
			expect.stringMatching(/^entityType: .*Declare another KycProfile/),
		]);
	});
});

describe("a preview compares the profile with what its markets ask for", () => {
	const check = async (news: Values) => {
		const { kycProfile, warnings } = desk().open();
		const { failures } = await kycProfile.check({}, news);
		return { reasons: failures.map(({ reason }) => reason), warnings };
	};
	test.each<[what: string, news: Values, reasons: RegExp[]]>([
		["nothing is missing", whole(), []],
		[
			"a paper is missing",
			whole({ documents: documents.slice(0, 1) }),
			[/^documents: proof_of_address is missing. It is required for all numbers in DE/],
		],
		["the id number is missing", aProfile({ documents }), [/^idNumber: id_number is missing/]],
		["a company needs other papers", whole({ entityType: "business" }), [/^documents: company_register is missing/]],
		["a wrong property comes first", whole({ name: "" }), [/^name: must not be empty/]],
		["what is adopted has its own", aProfile({ adopt: "kyc_1" }), []],
	])("%s", async (_, news, reasons) => {
		const found = await check(news);
		expect(found.reasons).toEqual(reasons.map((each) => expect.stringMatching(each)));
	});

	test("a country without identity checks is a warning", async () => {
		const { reasons, warnings } = await check(whole({ country: "NL" }));
		expect(reasons).toEqual([]);
		expect(warnings).toEqual([expect.stringMatching(/^country: NL requires no identity checks/)]);
	});

	test("a service that can't be asked fails no preview", async () => {
		emulator.control.faults.set({ operation: "getKycRequirements", kind: "status", status: 400, probability: 1 });
		expect(await check(aProfile())).toEqual({ reasons: [], warnings: [] });
	});
});

describe("what somebody else has changed", () => {
	test("is shown by a refresh, and put back where the service allows it", async () => {
		const { id, inputs, outs, open } = await submitted();
		decideProfile(id, "reject");
		await emulator.call("PATCH", `/kyc/profiles/${id}`, { name: "Max", document_ids: [], id_number: null });
		const { kycProfile } = open();
		const { props = {} } = await kycProfile.read(id, outs);
		expect(props).toMatchObject({ name: "Max", documents: [], documentIds: [], status: "rejected" });
		const mended = await update(kycProfile, id, props, inputs, whole());
		expect(mended.outs).toMatchObject({ documents: inputs.documents, status: "in_review" });
		expect(profile(id)).toMatchObject({ name: "Erika Mustermann", id_number: idNumber });
		expect(uploads()).toBe(2);
	});

	test("a profile that is gone is made again", async () => {
		const { id, outs, open } = await submitted();
		await emulator.call("DELETE", `/kyc/profiles/${id}`);
		expect(await open({ env: { TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" } }).kycProfile.read(id, outs)).toEqual({});
	});
});

test("a profile that a number needs is kept, and the error names the number", async () => {
	const { id, outs, open } = await submitted();
	decideProfile(id, "approve");
	const berlin = { country: "DE", type: "geographic", area: "30", kycProfileId: id };
	const { outs: bought, id: numberId } = await create(open().number, aNumber(berlin));
	const error = await failureOf(open().kycProfile.delete(id, outs));
	expect(error.message).toContain(String(bought.phoneNumber));
	expect(profile(id)).toBeDefined();
	await open().number.delete(numberId, bought);
	await open().kycProfile.delete(id, outs);
	expect(profiles()).toEqual([]);
});

test("an imported profile is declared as it is, apart from what only the program knows", async () => {
	const { id, open } = await submitted();
	await emulator.call("PATCH", `/kyc/profiles/${id}`, { reference: null });
	const found = await open().kycProfile.import?.(id, whole({}, "imported"));
	expect(found?.inputs).toMatchObject({ entityType: "individual", name: "Erika Mustermann", adopt: id });
	expect(found?.inputs).not.toHaveProperty("documents");
	expect(JSON.stringify(found)).not.toContain(idNumber);
});

describe("what a drift report says of a profile that is", () => {
	test.each<[status: string, more: Values, kind: string | undefined]>([
		["draft", {}, "waiting"],
		["in_review", {}, undefined],
		["in_review", { waitForApproval: true }, "waiting"],
		["approved", { waitForApproval: true }, undefined],
		["certified", { waitForApproval: true }, undefined],
		["rejected", {}, "problem"],
		["expired", {}, "problem"],
	])("%s, %j: %s", (status, more, kind) => {
		const reasons = [{ code: "blurred", message: "The scan is blurred." }];
		const condition = kycProfileDrift.condition?.({ status, reasons, ...more });
		expect(condition?.kind).toBe(kind);
		if (kind === "problem") expect(condition?.consequence).toContain("The scan is blurred. (blurred)");
	});
});
