/** The life of a KYC profile: created, submitted, decided on, corrected, and deleted once no number needs it. */
import { describe, expect, test } from "vitest";
import type { Control, FaultRequest } from "../../../../emulator";
import type { Values } from "../../../../provider/properties/table";
import { kycProfileDrift } from "../../../../provider/resources/kyc-profile/handler";
import { useAccount } from "../../../helpers/account";
import { useFaultProxy } from "../../../helpers/fault-proxy";
import { createDesk, documents, aWholeProfile as whole } from "../../../helpers/papers";
import {
	aNumber,
	aPool,
	aProfile,
	checked,
	create,
	failureOf,
	initErrorOf,
	openProvider,
	type ProviderOptions,
} from "../../../helpers/provider";
import { differs, failedUp, refreshed, upAgain, updated } from "../../../helpers/runs";

const { emulator, clock, open: run } = useAccount({ kyc: "manual" });
const decide: Control["decideProfile"] = (...decision) => emulator.control.decideProfile(...decision);

const idNumber = "L01X00T471";
const profiles = () => emulator.control.state().kycProfiles;
const profile = (id: string) => profiles().find((profile) => profile.id === id);
const blurred = [{ code: "blurred", message: "The scan is blurred." }];

/** A program's folder with its documents, and runs there. */
function desk() {
	const { folder, write } = createDesk();
	const open = (more: ProviderOptions = {}, service: { url: string; apiKey: string } = emulator) =>
		openProvider(service, { clock, cwd: folder, ...more });
	return { write, open };
}
async function submitted(more: Values = {}) {
	const { open, write } = desk();
	return { write, open, ...(await create(open().kycProfile, whole(more))) };
}

describe("a profile", () => {
	test("is created with its documents and submitted once", async () => {
		const { open, ...resource } = await submitted();
		const { id, outs } = resource;
		expect(profile(id)).toMatchObject({ status: "in_review", holder: "individual", id_number: idNumber });
		expect(profile(id)?.document_ids).toEqual(outs.documentIds);
		expect(outs).toMatchObject({ status: "in_review", reasons: [] });
		const writes = emulator.writes().length;
		expect(await differs(open(), resource, whole())).toBe(false);
		const { documents: stored, documentIds } = outs;
		const read = await refreshed(open(), resource, whole());
		expect(read).toMatchObject({
			changes: false,
			outs: { documents: stored, documentIds },
			inputs: { documents: stored },
		});
		expect(emulator.writes()).toHaveLength(writes);
		await open().kycProfile.delete(id, outs);
		expect(profiles()).toEqual([]);
	});
});

test("isn't submitted again without a change", async () => {
	const { open, ...resource } = await submitted();
	decide(resource.id, "reject", blurred);
	await updated(open(), resource, whole());
	expect(emulator.writes().filter((write) => write.endsWith("/submit"))).toHaveLength(1);
	expect(profile(resource.id)?.status).toBe("rejected");
});

test("refuses to adopt another holder's profile", async () => {
	const { id, open } = await submitted();
	await emulator.call("PATCH", `/kyc/profiles/${id}`, { reference: null });
	const business = aProfile({ adopt: id, entityType: "business" }, "company");
	const error = await failureOf(create(open().kycProfile, business));
	expect(error).toMatchObject({ messageCode: "adopt-refused", message: expect.stringContaining("entityType") });
});

describe.each([false, true])(
	"an expired profile that a run submits again, with waitForApproval %s",
	(waitForApproval) => {
		const proxy = useFaultProxy(emulator);

		test("isn't reported as expired by a response from before", async () => {
			const { open, ...resource } = await submitted({ waitForApproval: false });
			decide(resource.id, "approve");
			decide(resource.id, "expire");
			const expired = await refreshed(open(), resource, whole());
			let staleResponses = 0;
			proxy.rewrite = (text) => {
				if (!text.includes('"in_review"') || staleResponses === 3) return text;
				staleResponses += 1;
				return text.replaceAll('"in_review"', '"expired"');
			};
			if (waitForApproval) clock.after(60, () => decide(resource.id, "approve"));
			const submitting = open({}, proxy);
			const { outs } = await upAgain(
				submitting,
				expired,
				whole({ name: "Erika Musterfrau", waitForApproval }),
				whole(),
			);
			expect([submitting.warnings, outs.status]).toEqual([[], waitForApproval ? "approved" : "in_review"]);
		});
	},
);

test.each<[Values, FaultRequest]>([
	[{ idNumber: "L01X00T472" }, { operation: "patchKycProfile", status: 422, every: true }],
	[{ name: "Erika Musterfrau" }, { operation: "patchKycProfile", phase: "after", status: 502, every: true }],
])("submits the correction %j after a failure: %j", async (correction, fault) => {
	const { open, ...resource } = await submitted();
	decide(resource.id, "reject");
	emulator.control.faults.set(fault);
	const saved = await failedUp(open(), whole(correction), resource);
	emulator.control.faults.clear();
	await upAgain(open(), saved, whole(correction), whole());
	const { idNumber: id_number = idNumber, name = "Erika Mustermann" } = correction;
	expect(profile(resource.id)).toMatchObject({ id_number, name, status: "in_review" });
});

test("refuses a number in another country than its profile", async () => {
	const { id, outs, open } = await submitted();
	const refused = async ({ number, numberPool }: ReturnType<typeof run>) => {
		const news = { country: "FR", type: "mobile", kycProfileId: id };
		const checks = [
			number.check({}, aNumber(news)),
			numberPool.check({}, aPool(news)),
			number.check({}, aNumber({ ...news, country: "DE" })),
		];
		return (await Promise.all(checks)).map(
			({ failures }) => failures.filter(({ reason }) => /^kycProfileId: /.test(reason)).length,
		);
	};
	for (const [country, expected] of [
		["DE", [1, 1, 0]],
		["FR", [0, 0, 1]],
	] as const) {
		const next = open();
		expect(await refused(next), "a profile that this run hasn't seen").toEqual([0, 0, 0]);
		const { inputs } = await next.kycProfile.check(outs, whole({ country }));
		await next.kycProfile.diff(id, outs, inputs);
		expect(await refused(next)).toEqual(expected);
		await next.kycProfile.configure({ config: { get: () => undefined } });
		expect(await refused(next), "the next operation").toEqual([0, 0, 0]);
	}
});

describe("a decision", () => {
	test("is waited for if the program asks, and then its number", async () => {
		const { open } = desk();
		clock.after(90, () => decide(profiles()[0]?.id ?? "", "approve"));
		const { kycProfile, number, statuses } = open();
		const { id, outs } = await create(kycProfile, whole({ waitForApproval: true }));
		expect(outs.status).toBe("approved");
		expect(statuses.at(-1)).toMatch(/^in review, \d+ (s|min) left$/);
		const berlin = await create(number, aNumber({ country: "DE", type: "geographic", area: "30", kycProfileId: id }));
		expect(berlin.outs.status).toBe("active");
	});
});

test.each(["approved", "in_review"])("warns of a change to an %s profile in a preview, and fails", async (status) => {
	const { open, ...resource } = await submitted();
	if (status === "approved") decide(resource.id, "approve");
	const afterRefresh = await refreshed(open(), resource, whole());
	const run = open();
	await differs(run, afterRefresh, whole({ waitForApproval: true }));
	expect(run.warnings).toEqual([]);
	const changed = whole({ name: "Erika Musterfrau", waitForApproval: true });
	expect(await differs(run, afterRefresh, changed, whole())).toBe(true);
	expect(run.warnings).toEqual([expect.stringMatching(/^name: the KYC profile/)]);
	const inputs = await checked(run.kycProfile, whole({ name: "Erika Musterfrau" }), whole());
	const { cause } = await initErrorOf(run.kycProfile.update(resource.id, afterRefresh.outs, inputs));
	expect(cause).toMatchObject({ messageCode: "kyc-locked" });
	const { failures } = await run.kycProfile.check(inputs, whole({ entityType: "business" }));
	expect(failures.map(({ reason }) => reason)).toEqual([expect.stringMatching(/^entityType: /)]);
});

test.each([{}, { documents }])("tells how to adopt an approved profile with an id number, %j", async (more) => {
	const { open, id, outs } = await submitted({ onDelete: "retain" });
	decide(id, "approve");
	await open().kycProfile.delete(id, outs);
	const adopting = aProfile({ adopt: id, ...more }, "other");
	const failed = await failedUp(open(), { ...adopting, idNumber });
	expect(failed.error.message).toContain("Remove `idNumber`");
	expect(failed.error.message).not.toContain("second KycProfile");
	expect((await upAgain(open(), failed, adopting)).id).toBe(id);
});

describe("a preview", () => {
	test.each<[string, Values, string[], number]>([
		["nothing", whole(), [], 0],
		["a document", whole({ documents: documents.slice(0, 1) }), ["documents: proof_of_address"], 0],
		["the id number", aProfile({ documents }), ["idNumber: id_number"], 0],
		["a company's document", whole({ entityType: "business" }), ["documents: company_register"], 0],
		["a name, which comes first", whole({ name: "" }), ["name: must"], 0],
		["nothing that is adopted", aProfile({ adopt: "kyc_1" }), [], 0],
		["nothing in a country without identity checks", whole({ country: "NL" }), [], 1],
	])("names missing requirements of the market: %s", async (_, news, reasons, warned) => {
		const { kycProfile, warnings } = desk().open();
		const { failures } = await kycProfile.check({}, news);
		expect(failures.map(({ reason }) => reason)).toEqual(reasons.map((text) => expect.stringContaining(text)));
		expect(warnings).toHaveLength(warned);
	});
});

test.each<[string, Values, string | undefined]>([
	["draft", {}, "waiting"],
	["in_review", {}, "waiting"],
	["in_review", { waitForApproval: true }, "waiting"],
	["approved", { waitForApproval: true }, undefined],
	["certified", { waitForApproval: true }, undefined],
	["rejected", {}, "problem"],
	["expired", {}, "problem"],
])("reports the drift of a profile that is %s, %j: %s", (status, more, kind) => {
	const condition = kycProfileDrift.condition?.({ status, reasons: blurred, ...more });
	expect(condition?.kind).toBe(kind);
	if (kind === "problem") expect(condition?.reasons).toEqual(blurred);
});
