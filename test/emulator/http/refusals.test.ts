/** Fields that no request may have, by operation. */
import { expect, test } from "vitest";
import { company, mobile, move, refusal, useVirtualEmulator } from "../fixture";

const { call, buy, profile, state } = useVirtualEmulator();

const [numbers, number] = ["POST /numbers", "PATCH /numbers/NUMBER"];
const [profiles, kyc, documents] = ["POST /kyc/profiles", "PATCH /kyc/profiles/PROFILE", "POST /kyc/documents"];
const [ports, search, hooks] = ["POST /port_orders", "GET /available_numbers", "POST /webhooks"];
const toTrunk = { type: "trunk", trunk_id: "trk_0" };
const viaFailover = { type: "agent", agent_id: "a", failover: toTrunk };
const pdf = { kind: "other", filename: "a.pdf", media_type: "application/pdf", content: "AAAA" };
const port = (wrong: object) => ({ ...move, ...wrong });
const urls = ["http://a.example/", "https://user:pw@a.example/", "https://a.example/#x", "https://a.example:99999/"];
const [invalid, dangling, notPortable] = ["validation_failed", "invalid_reference", "number_not_portable"];

test.each<[field: string, error: string, request: string, body?: object]>([
	["country", "unsupported_market", numbers, mobile("JP")],
	["type", invalid, numbers, { country: "US", type: "fax" }],
	["routing.to", invalid, number, { routing: { type: "forward", to: "123" } }],
	["kyc_profile_id", invalid, number, { kyc_profile_id: "kyc_1" }],
	["country", "immutable_field", number, { country: "CA" }],
	["routing.trunk_id", dangling, number, { routing: toTrunk }],
	["routing.failover.trunk_id", dangling, number, { routing: viaFailover }],
	["colour", invalid, "GET /numbers?colour=red"],
	["country", invalid, search],
	["country", "unsupported_market", `${search}?country=JP`],
	["contains", invalid, `${search}?country=US&contains=abc`],
	["capabilities", invalid, `${search}?country=US&capabilities=voice,telepathy`],
	["country", "unsupported_market", "GET /kyc/requirements?country=JP&type=mobile"],
	["content", invalid, documents, { ...pdf, content: "not base64!" }],
	["media_type", invalid, documents, { ...pdf, media_type: "text/html" }],
	["address.city", invalid, profiles, { ...company, address: { street: "x" } }],
	["document_ids.0", dangling, profiles, { ...company, document_ids: ["doc_0"] }],
	["holder", invalid, kyc, { holder: "business" }],
	["document_ids.0", dangling, kyc, { document_ids: ["doc_0"] }],
	["numbers.0", invalid, ports, port({ numbers: ["020 1234567"] })],
	["numbers", invalid, ports, port({ numbers: Array(51).fill("+31201234567") })],
	["carrier.password", invalid, ports, port({ carrier: { name: "x", password: "y" } })],
	["numbers.0", notPortable, ports, port({ numbers: ["+12125550100"] })],
	["numbers.0", notPortable, ports, port({ numbers: ["+3120123456"] })],
	["country", "unsupported_market", ports, port({ country: "JP" })],
	["document_ids.0", dangling, ports, port({ document_ids: ["doc_0"] })],
	["from", invalid, "GET /usage?from=yesterday"],
	["to", invalid, "GET /usage?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z"],
	["status", invalid, "GET /invoices?status=lost"],
	...urls.map((url): [string, string, string, object] => ["url", invalid, hooks, { url, events: ["*"] }]),
])("%s is refused as %s: %s %j", async (field, error, request, body) => {
	const [{ id }, holder] = [await buy(), await profile()];
	const before = state();
	const [method = "", path = ""] = request.replace("NUMBER", id).replace("PROFILE", holder.id).split(" ");
	expect(await call(method, path, body)).toMatchObject(refusal(400, error, field));
	expect(state()).toEqual(before);
});
