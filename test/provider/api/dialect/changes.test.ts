/** Changes of a record of which the service keeps more than we know: the whole of it, or an object that others use. */
import { expect, test } from "vitest";
import { useUnlikeService } from "../../../helpers/unlike-service";

const service = useUnlikeService();
const { clientOf, sent, bodies } = service;

test("a whole change sends the record as last read, with what is theirs", async () => {
	const record = {
		trunk_no: "t",
		channels: "10",
		note: "theirs",
		codecs: ["PCMA"],
		metadata: { a: "1", b: "2" },
		auth: { mode: "digest", username: "user", realm: "theirs" },
	};
	const client = clientOf(
		{
			operations: { patchTrunk: { request: "PUT /trunks/{id}", whole: true } },
			records: { trunk: { id: "trunk_no", capacity: { at: "channels", as: "string" } } },
		},
		{ "GET /trunks/t": [200, record], "PUT /trunks/t": ({ body }) => [200, JSON.parse(body)] },
	);
	await client.trunks.patch("t", { capacity: 20 });
	await client.trunks.patch("t", { metadata: { c: "3" }, codecs: ["G722"] });
	await client.trunks.patch("t", { auth: { mode: "ip_acl", allowed_cidrs: ["192.0.2.1"] }, metadata: null });
	const one = { ...record, channels: "20" };
	const two = { ...one, metadata: { c: "3" }, codecs: ["G722"] };
	const three = { ...two, auth: { mode: "ip_acl", allowed_cidrs: ["192.0.2.1"], realm: "theirs" }, metadata: null };
	expect(service.received.map(({ method }) => method)).toEqual(["GET", "PUT", "PUT", "PUT"]);
	expect(bodies()).toEqual([one, two, three]);
});

test("one object that is shared with others keeps what is theirs", async () => {
	const client = clientOf(
		{ records: { number: { reference: "tags.pulumi", label: "tags.name" } } },
		{
			"GET /numbers/n": [200, { id: "n", tags: { team: "sales", pulumi: "old", name: "x" } }],
			"PATCH /numbers/n": ({ body }) => [200, { id: "n", ...JSON.parse(body) }],
		},
	);
	expect(await client.numbers.patch("n", { reference: "new" })).toEqual({
		id: "n",
		reference: "new",
		label: "x",
		tags: { team: "sales" },
	});
	await client.numbers.patch("n", { label: null });
	await client.numbers.patch("n", { release_protection: true });
	expect(sent()).toEqual([
		"GET /numbers/n",
		'PATCH /numbers/n {"tags":{"team":"sales","name":"x","pulumi":"new"}}',
		'PATCH /numbers/n {"tags":{"team":"sales","pulumi":"new","name":null}}',
		'PATCH /numbers/n {"release_protection":true}',
	]);
});

test("ours inside their metadata: a change of the one leaves the other", async () => {
	const client = clientOf(
		{ records: { number: { reference: "metadata.pulumi" } } },
		{
			"GET /numbers/n": [200, { id: "n", metadata: { pulumi: "r", a: "1" } }],
			"PATCH /numbers/n": ({ body }) => [200, { id: "n", ...JSON.parse(body) }],
		},
	);
	expect(await client.numbers.get("n")).toEqual({ id: "n", reference: "r", metadata: { a: "1" } });
	await client.numbers.patch("n", { metadata: { b: "2" } });
	await client.numbers.patch("n", { reference: "s" });
	await client.numbers.patch("n", { metadata: null });
	expect(bodies()).toEqual([
		{ metadata: { pulumi: "r", b: "2" } },
		{ metadata: { pulumi: "s", b: "2" } },
		{ metadata: { pulumi: "s" } },
	]);
});
