import fc from "fast-check";
import { expect, test } from "vitest";
import type { SettingsPatch } from "../../../emulator";
import { useVirtualEmulator } from "../fixture";

const { emulator, call, outside, buy, trunk, hook, profile, port, set } = useVirtualEmulator();

const word = fc.oneof(
	fc.string({ unit: "binary", maxLength: 40 }),
	fc.constantFrom("", "  ", "not a url", "https://", "https://a.example/%zz", "sip:@", "+1", "fax", "trunk", "\ud800"),
);
const anything = fc.oneof(word, fc.double(), fc.constantFrom(null, true, 1e308), fc.array(word), fc.object());
const some = (parts: Record<string, fc.Arbitrary<unknown>>) => fc.record(parts, { requiredKeys: [] });

const place = { type: word, trunk_id: word, uri: word, to: word, url: word, agent_id: word };
const route = some({ ...place, ring_timeout_seconds: anything, failover: fc.oneof(anything, some(place)) });
const reasons = fc.array(some({ code: word, message: word }), { maxLength: 2 });
const kyc = some({ status: word, deadline: word, profile_id: word, reasons });

const number = some({
	...{ routing: fc.oneof(route, anything), status: word, label: anything, metadata: fc.oneof(anything, fc.object()) },
	...{ capabilities: fc.array(word), kyc: fc.oneof(kyc, anything), sms_webhook_url: anything, reconciling: anything },
});
const office = some({
	...{ name: word, capacity: anything, cps: anything, codecs: anything, status: word, media_encryption: anything },
	targets: fc.array(some({ host: word, port: fc.integer(), transport: word }), { maxLength: 2 }),
	auth: some({
		mode: fc.constantFrom("ip_acl", "digest"),
		allowed_cidrs: fc.array(fc.oneof(word, fc.ipV4(), fc.ipV6())),
	}),
});
const holder = some({
	...{ name: word, status: word, id_number: anything, document_ids: fc.oneof(fc.array(word), anything) },
	...{ address: fc.oneof(some({ street: word, city: word, postal_code: word, country: word }), anything), reasons },
});
const move = some({
	...{ numbers: fc.oneof(fc.array(word), fc.constant(["+31201234568"]), anything), status: word, exceptions: reasons },
	...{ carrier: fc.oneof(some({ name: word, account_number: anything, pin: anything }), anything) },
	...{ subscriber: fc.oneof(some({ name: word, address: word }), anything), document_ids: fc.array(word) },
	...{ requested_date: word, scheduled_at: fc.oneof(word, fc.constant("2025-01-01T00:00:00Z")) },
});
const receiver = some({ url: word, events: anything, description: anything, status: anything, secret: word });

/** Each of which spells what it is given in its own way. */
const spellings = some({
	...{ cidr: fc.constantFrom("strip32", "add32"), hostCase: fc.constantFrom("lower", "upper") },
	...{ urlSlash: fc.constantFrom("add", "strip"), secretEcho: fc.constantFrom("mask", "hash") },
	...{ maskHostBits: fc.boolean(), mergeDuplicates: fc.boolean(), phonePlus: fc.boolean(), trimText: fc.boolean() },
}) as fc.Arbitrary<SettingsPatch>;

test("no edit behind the back makes the API or the console fail, then or later", async () => {
	const paths = [
		...[`/numbers/${(await buy("DE")).id}`, `/trunks/${(await trunk()).id}`, `/webhooks/${(await hook()).id}`],
		...[`/kyc/profiles/${(await profile()).id}`, `/port_orders/${(await port()).id}`],
	];
	let taken = 0;
	const answers = async (path: string, edit: object) => {
		const edited = await outside("PATCH", `/_emulator${path}`, edit);
		if (edited.status === 200) taken += 1;
		const list = path.replace(/\/[^/]*$/, "");
		const shown = [path, list].map((page) => `/_console${page.replace("/kyc/profiles", "/kyc")}`);
		const console = shown.map((page) => fetch(new URL(page, emulator.url)));
		return Promise.all([edited, call("GET", path), call("GET", list), ...console]);
	};
	await fc.assert(
		fc.asyncProperty(number, office, receiver, holder, move, spellings, async (...parts) => {
			set(parts[5]);
			for (const [index, path] of paths.entries()) {
				const edit = parts[index] as object;
				// One by one too: a patch is refused as a whole.
				for (const each of [edit, ...Object.entries(edit).map(([name, value]) => ({ [name]: value }))]) {
					const [first, ...rest] = (await answers(path, each)).map(({ status }) => status);
					expect([200, 400], JSON.stringify(each)).toContain(first);
					expect(rest, JSON.stringify(each)).toEqual([200, 200, 200, 200]);
				}
			}
		}),
		// The state stays from one run to the next: a smaller edit would show nothing.
		{ numRuns: 25, endOnFailure: true },
	);
	expect(taken).toBeGreaterThan(20);
});
