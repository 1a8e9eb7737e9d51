/** "Action required" says which action, at the cost of a look or none, and never in the way of the wait. */
import { describe, expect, test } from "vitest";
import { createClient } from "../../../../provider/api/client";
import type { Values } from "../../../../provider/properties/table";
import { useEmulator } from "../../../helpers/emulator";
import { useFaultProxy } from "../../../helpers/fault-proxy";
import { aNumber, create, declaration, initErrorOf, openProvider, openWith } from "../../../helpers/provider";

const emulator = useEmulator();
const proxy = useFaultProxy(emulator);
const berlin = (args: Values = {}, name = "berlin") =>
	aNumber({ country: "DE", type: "geographic", area: "30", activationTimeoutSeconds: 60, ...args }, name);
const kycRequests = () =>
	emulator.control.requests().flatMap(({ method, path }) => (path.startsWith("/v1/kyc/") ? [`${method} ${path}`] : []));
const client = () => createClient({ baseUrl: emulator.url, apiKey: emulator.apiKey });
const only = () => emulator.control.state().numbers[0]?.id ?? "";

const address = { street: "Unter den Linden 1", city: "Berlin", postal_code: "10117", country: "DE" };
const document = async (kind: "proof_of_address" | "company_register") => {
	const content = Buffer.from("%PDF-1.7").toString("base64");
	const { data } = await client().kyc.documents.create({
		kind,
		filename: `${kind}.pdf`,
		media_type: "application/pdf",
		content,
	});
	return data.id;
};
const profile = async (rest: { document_ids?: string[]; id_number?: string } = {}) => {
	const { data } = await client().kyc.profiles.create({
		holder: "business",
		name: "Example GmbH",
		country: "DE",
		address,
		...rest,
	});
	return data.id;
};

describe("a number whose KYC wants something", () => {
	test("a number without a profile says so while it waits, and at the end what the market asks for", async () => {
		const run = openProvider(emulator);
		const error = await initErrorOf(create(run.number, berlin()));
		expect(run.statuses[0]).toBe("KYC action required: set `kycProfileId`, 60 s left");
		expect(error.reasons[0]).toMatch(
			/`kycProfileId`.*\bDE\b.*company_register \(business\), proof_of_address, id_number/,
		);
		expect(kycRequests()).toEqual(["GET /v1/kyc/requirements?country=DE&type=geographic"]);
	});

	test("costs no request of its own where it is approved", async () => {
		await create(openWith(emulator, [20, () => emulator.control.decide(only(), "approve")]).number, berlin());
		expect(kycRequests()).toEqual([]);
	});

	test("names the documents and properties that its profile lacks, from the start of the wait", async () => {
		const kycProfileId = await profile({ document_ids: [await document("proof_of_address")] });
		const run = openProvider(emulator);
		const error = await initErrorOf(create(run.number, berlin({ kycProfileId })));
		const lacks = `lacks company_register, id_number`;
		expect(run.statuses[0]).toBe(`KYC action required: profile ${kycProfileId} ${lacks}, 60 s left`);
		expect(error.reasons[0]).toContain(`Complete and submit KYC profile ${kycProfileId}: it ${lacks}. Run`);
	});

	test("says that a complete profile only has to be submitted", async () => {
		const document_ids = [await document("proof_of_address"), await document("company_register")];
		const kycProfileId = await profile({ document_ids, id_number: "HRB 1" });
		const error = await initErrorOf(create(openProvider(emulator).number, berlin({ kycProfileId })));
		expect(error.reasons[0]).toContain(`Submit KYC profile ${kycProfileId}, which is still a draft. Run`);
	});

	test("says that a profile is none of the account", async () => {
		emulator.control.settings({ acceptUnknownProfiles: true });
		const error = await initErrorOf(create(openProvider(emulator).number, berlin({ kycProfileId: "kyc_typo" })));
		expect(error.reasons[0]).toMatch(/Set `kycProfileId` to another profile: .*kyc_typo/);
	});

	test("is refused with the profile to correct", async () => {
		const document_ids = [await document("proof_of_address"), await document("company_register")];
		const kycProfileId = await profile({ document_ids, id_number: "HRB 1" });
		await client().kyc.profiles.submit(kycProfileId);
		const reasons = [{ code: "blurred", message: "Send a sharper copy." }];
		const { number } = openWith(emulator, [20, () => emulator.control.decideProfile(kycProfileId, "reject", reasons)]);
		const error = await initErrorOf(create(number, berlin({ kycProfileId })));
		expect(error.message).toMatch(
			new RegExp(`Send a sharper copy. \\(blurred\\).*${kycProfileId}.*req_.*\\[telephony:kyc-rejected\\]$`),
		);
	});

	test("shows the service's reasons where they are all that is known", async () => {
		emulator.control.settings({ features: { kyc: false } });
		const kyc = { status: "action_required", reasons: [{ code: "blurred", message: "Send a sharper copy." }] };
		const run = openWith(emulator, [1, () => emulator.control.patchNumber(only(), { kyc })]);
		const error = await initErrorOf(create(run.number, berlin({ kycProfileId: "kyc_elsewhere" })));
		expect(run.statuses.at(-1)).toMatch(/^KYC action required: Send a sharper copy\. \(blurred\), /);
		expect(error.reasons[0]).toContain("KYC action required: Send a sharper copy. (blurred)");
		expect(error.reasons[0]).toContain("Submit the missing documents in the service's dashboard. Run");
		expect(kycRequests()).toEqual([]);
	});

	test("that has failed is told as gone, not as waiting for papers", async () => {
		const { number } = openWith(emulator, [20, () => emulator.control.decide(only(), "expire")]);
		const error = await initErrorOf(create(number, berlin()));
		expect(error.message).toMatch(/failed, KYC expired\..*`pulumi refresh`.*\[telephony:kyc-rejected\]$/);
	});

	test("is waited for as ever where the service fails at its profiles", async () => {
		proxy.plan = (_, method, path) =>
			method === "GET" && path.startsWith("/v1/kyc/") ? { kind: "refused", status: 500 } : undefined;
		const { number } = openWith(proxy, [40, () => emulator.control.decide(only(), "approve")]);
		const { outs } = await create(number, berlin({ kycProfileId: await profile() }));
		expect(outs.status).toBe("active");
	});

	test("is shown by a refresh with the action, once it is refused", async () => {
		const { id, outs } = await create(openProvider(emulator).number, berlin({ waitForActive: false }));
		emulator.control.decide(id, "reject", [{ code: "blurred", message: "Send a sharper copy." }]);
		const run = openProvider(emulator);
		await run.number.read(id, outs);
		expect(run.warnings).toEqual([
			expect.stringContaining("Restore it: set `kycProfileId` to a KYC profile of the account, or submit"),
		]);
	});
});

test("an activation says once what all of its numbers want", async () => {
	const run = openProvider(emulator);
	const kycProfileId = await profile();
	const ids: string[] = [];
	for (const name of ["a", "b", "c", "d"]) {
		ids.push((await create(run.number, berlin({ waitForActive: false, kycProfileId }, name))).id);
	}
	const activation = declaration("Activation", "fleet", { numberIds: ids, timeoutSeconds: 60 });
	const error = await initErrorOf(create(openProvider(emulator).activation, activation));
	const sentence = `Complete and submit KYC profile ${kycProfileId}: it lacks company_register, proof_of_address, id_number`;
	expect(error.message).toContain(`${sentence}. Run \`pulumi up\` again to continue waiting.`);
	expect(error.message.split(sentence)).toHaveLength(2);
	expect(kycRequests().filter((each) => each.startsWith("GET"))).toEqual([
		`GET /v1/kyc/profiles/${kycProfileId}`,
		"GET /v1/kyc/requirements?country=DE&type=geographic",
	]);
});
