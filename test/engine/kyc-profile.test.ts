/** A regulated market without leaving the program: profile, papers and number in one `up`, and what comes after. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails, flat, seenAt, succeeds } from "../helpers/engine";
import { content } from "../helpers/papers";

const emulator = useEmulator();
const { number } = seenAt(emulator);
const idNumber = "L01X00T471";

const program = (name: string) => `
	const profile = new telephony.KycProfile("holder", {
		entityType: "individual",
		name: "${name}",
		country: "DE",
		address: { street: "Heidestr. 17", city: "Berlin", postalCode: "10557", country: "DE" },
		idNumber: "${idNumber}",
		documents: [
			{ kind: "identity", file: new pulumi.asset.FileAsset("id.pdf") },
			{ kind: "proof_of_address", file: "bill.png" },
		],
		waitForApproval: true,
	});
	const berlin = new telephony.Number("berlin", { country: "DE", type: "geographic", area: "30", kycProfileId: profile.id });
	Object.assign(exports, { number: berlin.phoneNumber, status: berlin.status, documents: profile.documents });
`;

test("a German number from nothing to active, and its profile to its end", async () => {
	const stack = await createProject({ program: program("Erika Mustermann"), service: emulator });
	const write = (file: string, data: Buffer) => writeFileSync(join(stack.folder, file), data);
	const profile = () => emulator.control.state().kycProfiles[0];
	const uploads = () => emulator.writes().filter((each) => each === "POST /kyc/documents").length;

	write("id.pdf", content("pdf"));
	const missing = await fails(stack.preview());
	expect(missing).toContain("documents[1].file: there is no file bill.png in the program's folder");
	expect(emulator.writes(), "a preview writes nothing").toEqual([]);

	write("bill.png", content("png"));
	emulator.control.kyc("1s");
	await succeeds(stack.up());
	const ids = await stack.ids();
	expect(profile()).toMatchObject({ id: ids.holder, status: "approved", id_number: idNumber });
	expect(number(ids.berlin)).toMatchObject({ status: "active", kyc: { profile_id: ids.holder } });
	expect(uploads()).toBe(2);
	const state = await stack.state();
	expect(state).not.toContain(idNumber);
	expect(state).not.toContain(content("pdf").toString("base64"));
	const { documents } = (await stack.outputs()) as { documents: { file: string }[] };
	expect(documents.map(({ file }) => file)).toEqual(["id.pdf", "bill.png"]);
	await succeeds(stack.preview("--expect-no-changes", "--refresh"));

	stack.write(program("Erika Musterfrau"));
	expect(flat(await succeeds(stack.preview()))).toContain("Declare a second KycProfile");

	// Its papers go out of date, and the service's word for that is no drift that a run repairs by itself.
	emulator.control.decideProfile(ids.holder ?? "", "expire");
	emulator.control.kyc("reject");
	const refused = await fails(stack.up("--refresh", "--continue-on-error"), "kyc-rejected");
	expect(refused).toContain("The proof of address can't be read: send a sharper copy. (document_unreadable)");
	expect(profile()).toMatchObject({ name: "Erika Musterfrau", status: "rejected" });

	emulator.control.kyc("immediate");
	write("bill.png", content("png", "sharper"));
	await succeeds(stack.up("--refresh"));
	expect(profile()).toMatchObject({ id: ids.holder, status: "approved" });
	expect(number(ids.berlin)?.status).toBe("active");
	expect([uploads(), await stack.ids()]).toEqual([3, ids]);

	rmSync(join(stack.folder, "id.pdf"));
	await succeeds(stack.destroy());
	expect(emulator.control.state().kycProfiles).toEqual([]);
	expect(emulator.kinds()).toEqual(["purchase", "release"]);
});

test("papers that move are no difference, nor are those that the program ignores", async () => {
	emulator.control.kyc("immediate");
	const stack = await createProject({ program: program("Erika Mustermann"), service: emulator });
	const write = (file: string, data: Buffer) => writeFileSync(join(stack.folder, file), data);
	write("id.pdf", content("pdf"));
	write("bill.png", content("png"));
	await succeeds(stack.up());
	rmSync(join(stack.folder, "bill.png"));
	write("moved.png", content("png"));
	const byPath = program("Erika Mustermann").replace('new pulumi.asset.FileAsset("id.pdf")', '"id.pdf"');
	const moved = byPath.replace("bill.png", "moved.png");
	stack.write(moved);
	await succeeds(stack.preview("--expect-no-changes"));

	for (const file of ["id.pdf", "moved.png"]) rmSync(join(stack.folder, file));
	expect(await fails(stack.preview()), "without them").toContain('`ignoreChanges: ["documents"]`');
	const without = `, { ignoreChanges: ["documents"] });\n\tconst berlin`;
	stack.write(moved.replace(/\);\s*const berlin/, without));
	await succeeds(stack.preview("--expect-no-changes"));
});
