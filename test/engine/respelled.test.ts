/** A service that shows values in spellings of its own: one warning at the first `up`, and no difference later. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { eventNames } from "../../provider/api/contract";
import { kindsIn, pathsIn, reported } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, flat, fronts, succeeds } from "../helpers/engine";
import { useFaultProxy } from "../helpers/fault-proxy";
import { repository } from "../helpers/repository";
import { inTurn } from "../short.mts";

vi.setConfig({ testTimeout: 600_000 });
const emulator = useEmulator();
const proxy = useFaultProxy(emulator);

/** Decomposed, as some editors and file systems write it. */
const declared = (text: string) => text.normalize("NFD");

/** Returns the service's spelling of a field. */
function spelled(field: string, value: unknown): unknown {
	if (field === "events" && Array.isArray(value) && value.includes("*")) return [...eventNames];
	if (typeof value !== "string") return value;
	if (field === "username") return value.toLowerCase();
	if (field === "requested_date") return value.slice(0, "2031-01-31".length);
	return value.normalize("NFC");
}

const profile = (name: string, holder: string) => `
	new telephony.KycProfile("${name}", {
		entityType: "business", name: "${declared(holder)}", country: "DE",
		address: { street: "Unter den Linden 1", city: "Berlin", postalCode: "10117", country: "DE" },
		idNumber: "HRB 12345",
		documents: [
			{ kind: "company_register", file: "kyc/register.pdf" },
			{ kind: "proof_of_address", file: "kyc/bill.pdf" },
		],
	});`;
const program = `
	new telephony.Number("main", { country: "NL", type: "mobile", label: "${declared("Café")}" });
	new telephony.SipTrunk("office", { auth: { mode: "digest", username: "Office-PBX" }, capacity: 3 });
	new telephony.Webhook("hook", { url: "https://a.example.com/", events: ["*"] });
	${profile("approved", "Bäcker GmbH")}
	${profile("locked", "Müller GmbH")}
	new telephony.PortOrder("move", {
		numbers: ["+31201234567"], country: "NL", requestedDate: "2031-01-31T08:00:00Z",
		carrier: { name: "Old Telecom", accountNumber: "A-1042" },
		subscriber: { name: "Example B.V.", address: "Damrak 1, 1012 LG Amsterdam" },
		documents: [{ kind: "letter_of_authorization", file: "port/letter.pdf" }],
	});
`;

/** The resource, the property, and its two spellings. */
const spellings = [
	["main", "label", declared("Café"), "Café"],
	["office", "username", "Office-PBX", "office-pbx"],
	["hook", "events", "*", new RegExp(eventNames.join("|"))],
	["approved", "name", declared("Bäcker GmbH"), "Bäcker GmbH"],
	["locked", "name", declared("Müller GmbH"), "Müller GmbH"],
	["move", "requestedDate", "2031-01-31T08:00:00Z", /2031-01-31(?!T)/],
] as const;

const hasText = (message: string, text: string | RegExp) =>
	typeof text === "string" ? message.includes(text) : text.test(message);

test.each(inTurn(fronts))("%s: warns of another spelling once, and shows no difference", async (front) => {
	const { control } = emulator;
	proxy.rewrite = (text) =>
		text === "" ? text : JSON.stringify(JSON.parse(text, (field, value) => spelled(field, value)));
	const stack = await createProject({ program, service: proxy, front });
	for (const [example, folder] of [
		["kyc-profile", "kyc"],
		["port-order", "port"],
	] as const)
		cpSync(join(repository, "examples", example, "documents"), join(stack.folder, folder), { recursive: true });

	const first = await succeeds(stack.up());
	const ids = await stack.ids();
	const diagnostics = flat(first.output.split("Diagnostics:")[1] ?? "");
	const warnings = diagnostics.split("[telephony:respelled]").slice(0, -1);
	for (const texts of spellings)
		expect(
			warnings.filter((warning) => texts.every((text) => hasText(warning, text))),
			texts.join(),
		).toHaveLength(1);
	expect(warnings).toHaveLength(spellings.length);

	const before = emulator.requests().length;
	const expectNothing = async () => {
		for (const run of [await stack.preview("--expect-no-changes"), await stack.drift()]) {
			await succeeds(run);
			expect(run.output).not.toContain("[telephony:respelled]");
		}
	};
	await expectNothing();
	control.decideProfile(ids.approved ?? "", "approve");
	for (let run = 0; run < 2; run++)
		expect((await succeeds(stack.up("--refresh"))).output).not.toContain("[telephony:respelled]");
	await expectNothing();
	expect(emulator.writes(before)).toEqual([]);

	control.patchNumber(ids.main ?? "", { label: "Café 2" });
	control.patchTrunk(ids.office ?? "", { auth: { mode: "digest", username: "office-2" } });
	control.patchWebhook(ids.hook ?? "", { events: [...eventNames.slice(1)] });
	control.patchKycProfile(ids.approved ?? "", { name: "Backer GmbH" });
	control.patchKycProfile(ids.locked ?? "", { name: "Muller GmbH" });
	control.patchPortOrder(ids.move ?? "", { requested_date: "2031-02-01T08:00:00Z" });
	const drifted = await reported(stack);
	expect(drifted.code, drifted.output).toBe(7);
	expect(kindsIn(drifted.report)).toMatchObject(Object.fromEntries(spellings.map(([name]) => [name, "changed"])));
	expect(pathsIn(drifted.report)).toMatchObject({
		...{ main: ["label"], office: ["auth.username"], hook: ["events"] },
		...{ approved: ["name"], locked: ["name"], move: ["requestedDate"] },
	});
});
