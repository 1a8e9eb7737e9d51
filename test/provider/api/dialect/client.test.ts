/** The whole client at services that name things otherwise: each answer is as without, and so are the requests in number. */
import { expect, test } from "vitest";
import { createEmulator } from "../../../../emulator";
import { createClient } from "../../../../provider/api/client";
import { dialects } from "../../../helpers/dialects";

async function story(service: unknown) {
	const emulator = await createEmulator({ service, kyc: "immediate", seed: 1, startAt: "2026-01-01T00:00:00Z" });
	const client = createClient({ baseUrl: emulator.url, apiKey: emulator.apiKey, service });
	const seen: unknown[] = [];
	try {
		const trunk = await client.trunks.create({
			name: "office",
			auth: { mode: "ip_acl", allowed_cidrs: ["192.0.2.0/24"] },
			capacity: 10,
			reference: "r1",
		});
		const buy = { country: "NL", type: "mobile" } as const;
		const { data: bought } = await client.numbers.buy(buy, { idempotencyKey: "k1" });
		const { replayed } = await client.numbers.buy(buy, { idempotencyKey: "k1" });
		const id = String(bought.id);
		seen.push(trunk.data, bought, replayed);
		seen.push(
			await client.numbers.patch(id, {
				label: "desk",
				reference: "r2",
				routing: { type: "trunk", trunk_id: trunk.data.id },
			}),
		);
		seen.push(await client.numbers.patch(id, { routing: { type: "sip_uri", uri: "sip:a@example.com" } }));
		seen.push(await client.numbers.patch(id, { routing: null, label: null }));
		seen.push(await client.trunks.patch(trunk.data.id, { capacity: 20, enabled: false }));
		seen.push(
			await client.trunks.patch(trunk.data.id, {
				auth: { mode: "digest", username: "user1", password: "a-long-password" },
			}),
		);
		const hook = await client.webhooks.create({
			url: "https://example.com/a",
			events: ["number.activated", "call.completed"],
		});
		seen.push(hook.data, await client.webhooks.patch(hook.data.id, { events: ["*"], enabled: false }));
		seen.push(await client.numbers.get(id), await client.trunks.get(trunk.data.id));
		for await (const page of client.numbers.pages()) seen.push(page);
		seen.push(await client.trunks.get("trk_none").catch(({ kind, errorCode, status }) => [kind, errorCode, status]));
		seen.push(
			await client.trunks
				.patch(trunk.data.id, { capacity: 0 })
				.catch(({ kind, errorCode, status }) => [kind, errorCode, status]),
		);
		await client.trunks.delete(trunk.data.id);
		await client.numbers.release(id);
		seen.push(emulator.control.state());
		const requests = emulator.control.requests().length;
		return { seen, requests };
	} finally {
		await client.close();
		await emulator.close();
	}
}

const plain = story(undefined);

const withoutMetadata = (seen: unknown): unknown =>
	JSON.parse(JSON.stringify(seen), (key, value) => (key === "metadata" ? undefined : value));

test.each(Object.keys(dialects))("%s", async (name) => {
	const { seen, requests } = await story(dialects[name]);
	const expected = await plain;
	// A service that has no metadata shows none.
	expect(withoutMetadata(seen)).toEqual(withoutMetadata(expected.seen));
	expect(requests).toBe(expected.requests);
});
