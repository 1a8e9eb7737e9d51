/** The policy pack on the real engine. */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, type Front, fronts, succeeds } from "../helpers/engine";
import { variations } from "../short.mts";

const emulator = useEmulator({ kyc: "immediate" });
const pack = resolve(__dirname, "../../policy/bin/pulumi-telephony-policy");

const settings = {
	"allowed-numbers": { countries: ["NL"] },
	"stack-capacity": { capacity: 50 },
	"stack-numbers": { numbers: 5 },
	"stack-costs": { monthly: ["20USD"], prices: [{ setup: "0USD", monthly: "3USD" }] },
};
const refused = `
	const other = new telephony.Number("other", { country: "GB", type: "mobile", label: "production" });
	new telephony.SipTrunk("wide", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.0.0/16"] }, capacity: 30 });
	const auth = { mode: "digest", username: "office", password: pulumi.secret("one-Secret-of-20-chars") };
	new telephony.SipTrunk("known", { auth, capacity: 30 });
	new telephony.NumberPool("many", { country: "NL", type: "mobile", count: 9, label: other.id });
	new telephony.Webhook("events", { url: "http://127.0.0.1:1/in", events: ["*"] });
`;
const allowed = `
	new telephony.Number("office", { country: "NL", type: "mobile", label: "production", releaseProtection: true, onDelete: "retain" });
	new telephony.SipTrunk("office", { auth: { mode: "digest", username: "office" }, capacity: 50 });
`;

const project = async (front: Front, program: string) => {
	const made = await createProject({ service: emulator, front, program });
	const file = join(made.folder, "policies.json");
	writeFileSync(file, JSON.stringify(settings));
	return { ...made, policies: ["--policy-pack", pack, "--policy-pack-config", file] };
};

test.for(variations(fronts))("fails a preview, and names each broken policy: %s", async (front) => {
	const { preview, policies } = await project(front, refused);
	const { code, output } = await preview(...policies);
	expect(code, output).not.toBe(0);
	const broken = [...output.matchAll(/\[mandatory\] +(\S+) +\(\S+ (\S+)\)/g)].map((found) => found.slice(1).join(" "));
	const ofResources = ["allowed-numbers other", "https-addresses events", "narrow-ip-lists wide"];
	const ofStack = ["stack-capacity", "stack-costs", "stack-numbers"].map((policy) => `${policy} telephony-test-dev`);
	const all = [...ofResources, "no-digest-password known", "release-protection other", ...ofStack];
	expect(broken.sort()).toEqual(all);
	expect(output).not.toContain("one-Secret");
});

test("lets `up` run without a broken policy", async () => {
	const { up, policies } = await project(fronts[0], allowed);
	await succeeds(up(...policies));
	expect(emulator.kinds()).toEqual(["purchase"]);
});
