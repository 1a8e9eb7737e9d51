import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import type { Post } from "../../helpers/receiver";
import { useEvents } from "../fixture";

const { call, outside, buy, trunk, listen, settled, advance, receiver, deliveries, types } = useEvents();

/** By the words of the specification, in another implementation than the one that signs. */
const signatureByNode = ({ headers, body }: Post, secret: string) => {
	const key = Buffer.from(secret.replace("whsec_", ""), "base64");
	const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
	return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
};

const signatureByOpenssl = ({ headers, body }: Post, secret: string) => {
	const key = Buffer.from(secret.replace("whsec_", ""), "base64").toString("hex");
	const input = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
	const args = ["dgst", "-sha256", "-mac", "HMAC", "-macopt", `hexkey:${key}`, "-binary"];
	return `v1,${execFileSync("openssl", args, { input }).toString("base64")}`;
};

describe("an event", () => {
	test("goes to every webhook that wants it, as Standard Webhooks has it", async () => {
		const { secret } = await listen(["number.activated"]);
		await listen(["*"], { url: `${receiver.url}/all?x=1` });
		await listen(["number.released"]);
		await listen(["*"], { enabled: false });
		const number = await buy();
		await settled();
		expect(receiver.posts.map(({ path }) => path).sort()).toEqual(["/", "/all?x=1"]);
		const [post] = receiver.posts;
		expect(post?.event).toEqual({ type: "number.activated", timestamp: number.created_at, data: number });
		expect(post?.headers).toMatchObject({
			"content-type": "application/json",
			"webhook-id": expect.stringMatching(/^evt_\w+$/),
			"webhook-timestamp": expect.stringMatching(/^\d+$/),
			"webhook-signature": signatureByNode(post as Post, String(secret)),
		});
		const off = Number(post?.headers["webhook-timestamp"]) - Date.now() / 1000;
		expect(Math.abs(off)).toBeLessThan(60);
		expect(new Set(receiver.posts.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
		expect(deliveries()).toMatchObject([{ status: "delivered" }, { status: "delivered" }]);
	});

	test("can be verified by the public package and by OpenSSL", async () => {
		const { secret } = await listen();
		await buy();
		await settled();
		const [post] = receiver.posts as [Post];
		const headers = post.headers as Record<string, string>;
		expect(new Webhook(String(secret)).verify(post.body, headers)).toEqual(post.event);
		expect(() => new Webhook(String(secret)).verify(`${post.body} `, headers)).toThrow(/No matching signature/);
		expect(headers["webhook-signature"]).toBe(signatureByOpenssl(post, String(secret)));
	});

	test("is signed with both secrets while a rotation overlaps, and then with the new one", async () => {
		const { id, secret: old } = await listen();
		const { secret } = (await call("POST", `/webhooks/${id}/rotate_secret`, { previous_expires_in: 60 })).body;
		await buy();
		await advance(60_000);
		await buy();
		await settled();
		const [during, after] = receiver.posts as [Post, Post];
		const both = [secret, old].map((one) => signatureByNode(during, String(one))).join(" ");
		expect(during.headers["webhook-signature"]).toBe(both);
		expect(after.headers["webhook-signature"]).toBe(signatureByNode(after, String(secret)));
	});

	test("is told of all that becomes of a number and of a trunk, and of nothing else", async () => {
		await listen();
		const { id } = await buy("DE");
		await outside("POST", `/_emulator/numbers/${id}/kyc`, { decision: "reject" });
		await outside("POST", `/_emulator/numbers/${id}/kyc`, { decision: "approve" });
		await call("PATCH", `/numbers/${id}`, { label: "desk" });
		await outside("PATCH", `/_emulator/numbers/${id}`, { status: "suspended" });
		await outside("PATCH", `/_emulator/numbers/${id}`, { status: "active" });
		await call("DELETE", `/numbers/${id}`);
		const { id: office } = await trunk();
		await call("PATCH", `/trunks/${office}`, { capacity: 30 });
		await call("PATCH", `/trunks/${office}`, { capacity: 31 });
		await call("POST", `/trunks/${office}/rotate_password`);
		await settled();
		expect(types()).toEqual([
			"number.kyc_updated",
			"number.kyc_updated",
			"number.activated",
			"number.suspended",
			"number.activated",
			"number.released",
			"trunk.updated",
			"trunk.updated",
		]);
		expect(receiver.posts.slice(0, 2).map(({ event }) => event.data.status)).toEqual(["pending", "active"]);
		expect(receiver.posts.at(-2)?.event.data).toMatchObject({ id: office, capacity: 31 });
		expect(receiver.posts.at(-1)?.body).not.toContain('"password":');
	});
});
