import fc from "fast-check";
import { expect, test } from "vitest";
import type { SettingsPatch } from "../../../emulator";
import { useVirtualEmulator } from "../fixture";

const { emulator, call, outside, buy, trunk, hook, profile, port, set } = useVirtualEmulator();

const odd = ["", "  ", "not a url", "https://", "https://a.example/%zz", "sip:@", "+1", "fax", "trunk", "\ud800"];
const word = fc.oneof(fc.string({ unit: "binary", maxLength: 40 }), fc.constantFrom(...odd));
const anything = fc.oneof(word, fc.double(), fc.constantFrom(null, true, 1e308), fc.array(word), fc.object());
const some = (parts: Record<string, fc.Arbitrary<unknown>>) => fc.record(parts, { requiredKeys: [] });
const somehow = (parts: Record<string, fc.Arbitrary<unknown>>) => fc.oneof(some(parts), anything);
const texts = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, word]));
const values = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, anything]));

const reasons = fc.array(some(texts("code message")), { maxLength: 2 });
const route = texts("type trunk_id uri to url agent_id");
const routing = somehow({ ...route, ...values("ring_timeout_seconds"), failover: somehow(route) });
const kyc = somehow({ ...texts("status deadline profile_id"), reasons });
const cidrs = fc.array(fc.oneof(word, fc.ipV4(), fc.ipV6()));
const auth = some({ mode: fc.constantFrom("ip_acl", "digest"), allowed_cidrs: cidrs });
const targets = fc.array(some({ ...texts("host transport"), port: fc.integer() }), { maxLength: 2 });
const numbers = fc.oneof(fc.array(word), fc.constant(["+31201234568"]), anything);
const scheduled_at = fc.oneof(word, fc.constant("2025-01-01T00:00:00Z"));
const carrier = somehow({ ...texts("name"), ...values("account_number pin") });

/** For a number, a trunk, a webhook, a KYC profile and a port order. */
const edits = [
	{ ...texts("status"), ...values("label sms_webhook_url reconciling metadata capabilities"), routing, kyc },
	{ ...texts("name status"), ...values("capacity cps codecs media_encryption"), targets, auth },
	{ ...texts("url secret"), ...values("events description status") },
	{
		...texts("name status"),
		...values("id_number document_ids"),
		address: somehow(texts("street city country")),
		reasons,
	},
	{ ...texts("status requested_date"), numbers, carrier, subscriber: somehow(texts("name address")), scheduled_at },
].map(some);

const spelling = some({
	...{ cidr: fc.constantFrom("strip32", "add32"), hostCase: fc.constantFrom("lower", "upper") },
	...{ urlSlash: fc.constantFrom("add", "strip"), secretEcho: fc.constantFrom("mask", "hash") },
	...{ maskHostBits: fc.boolean(), mergeDuplicates: fc.boolean(), phonePlus: fc.boolean(), trimText: fc.boolean() },
}) as fc.Arbitrary<SettingsPatch>;

test("no edit makes the API or the console fail, then or later", async () => {
	const paths = [
		...[`/numbers/${(await buy("DE")).id}`, `/trunks/${(await trunk()).id}`, `/webhooks/${(await hook()).id}`],
		...[`/kyc/profiles/${(await profile()).id}`, `/port_orders/${(await port()).id}`],
	];
	let taken = 0;
	const tryEdit = async (path: string, edit: object) => {
		const { status } = await outside("PATCH", `/_emulator${path}`, edit);
		expect([200, 400], JSON.stringify(edit)).toContain(status);
		if (status === 200) taken += 1;
		const paths = [path, path.replace(/\/[^/]*$/, "")];
		const pages = paths.map((page) =>
			fetch(new URL(`/_console${page.replace("/kyc/profiles", "/kyc")}`, emulator.url)),
		);
		const answers = await Promise.all([...paths.map((each) => call("GET", each)), ...pages]);
		expect(
			answers.map((each) => each.status),
			JSON.stringify(edit),
		).toEqual([200, 200, 200, 200]);
	};
	await fc.assert(
		fc.asyncProperty(spelling, fc.tuple(...edits), async (settings, drawn) => {
			set(settings);
			for (const [index, path] of paths.entries()) {
				const edit = drawn[index] as object;
				// One by one too: a patch is refused as a whole.
				for (const part of [edit, ...Object.entries(edit).map((entry) => Object.fromEntries([entry]))])
					await tryEdit(path, part);
			}
		}),
		// The state lasts from one run to the next: a smaller edit would show nothing.
		{ numRuns: 25, endOnFailure: true },
	);
	expect(taken).toBeGreaterThan(20);
});
