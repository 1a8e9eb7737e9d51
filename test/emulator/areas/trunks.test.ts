import { describe, expect, test } from "vitest";
import { digest, iso, refusal, useVirtualEmulator } from "../fixture";

const { clock, call, post, patch, remove, read, buy, trunk, set, state } = useVirtualEmulator();

const acl = (...allowed_cidrs: string[]) => ({ auth: { mode: "ip_acl", allowed_cidrs } });
type WithAuth = { readonly id: string; readonly auth: Readonly<Record<string, unknown>> };
const create = async (more: object = {}) => (await trunk(more)) as unknown as WithAuth;
const change = async (id: string, body: object) => (await patch(`/trunks/${id}`, body)).body as unknown as WithAuth;

describe("a trunk", () => {
	test("shows a generated password once, and a given one never", async () => {
		const { id, auth, ...created } = await create();
		const defaults = { media_encryption: "none", codecs: ["PCMU", "PCMA"], targets: [], cps: null };
		expect(created).toMatchObject({ enabled: true, status: "active", numbers_count: 0, ...defaults });
		expect(id).toMatch(/^trk_/);
		const { password, ...withoutPassword } = auth;
		expect(String(password).length).toBeGreaterThanOrEqual(12);
		expect((await read(`/trunks/${id}`)).auth).toEqual(withoutPassword);
		clock.advance(1000);
		const renamed = await change(id, { auth: { ...digest, username: "office-2" } });
		expect(renamed.auth).toEqual({ ...withoutPassword, username: "office-2" });
		expect(state().trunks).toMatchObject([{ auth: { password } }]);
		const given = { ...digest, password: "correct-horse-battery" };
		const changed = await change(id, { auth: given });
		expect(changed.auth).toMatchObject({ password_set: true, password_updated_at: iso(clock.now()) });
		expect(changed.auth).not.toHaveProperty("password");
		clock.advance(1000);
		expect(await change(id, { auth: given })).toEqual(changed);
	});

	test("fills in defaults, also where an option is null", async () => {
		const targets = [{ host: "sip.example.com", transport: "tls" }];
		const { id, ...made } = await create({ targets, codecs: ["opus"] });
		const target = { host: "sip.example.com", port: 5061, transport: "tls", priority: 10, weight: 10 };
		expect(made).toMatchObject({ targets: [target], codecs: ["opus"], media_encryption: "none" });
		expect(await change(id, { targets: null, codecs: null })).toMatchObject({ targets: [], codecs: ["PCMU", "PCMA"] });
	});

	test("changes its mode, and rotates a password only if it has one", async () => {
		const { id } = await create(acl("192.0.2.0/24"));
		const rotate = () => post(`/trunks/${id}/rotate_password`);
		expect(await rotate()).toMatchObject(refusal(400, "bad_request"));
		const { auth } = await change(id, { auth: digest });
		expect(auth).toMatchObject({ mode: "digest", password: expect.any(String) });
		expect(auth).not.toHaveProperty("allowed_cidrs");
		const rotated = (await rotate()).body as unknown as WithAuth;
		expect(rotated.auth).toMatchObject({ password: expect.not.stringMatching(String(auth.password)) });
	});

	test("is not deleted while a live number uses it, even as failover", async () => {
		const { id } = await create();
		const number = await buy();
		const failover = { type: "trunk", trunk_id: id };
		await patch(`/numbers/${number.id}`, { routing: { type: "agent", agent_id: "a", failover } });
		expect(await read(`/trunks/${id}`)).toMatchObject({ numbers_count: 1 });
		const inUse = { ...refusal(409, "trunk_in_use"), body: { details: { number_ids: [number.id] } } };
		expect(await remove(`/trunks/${id}`)).toMatchObject(inUse);
		await remove(`/numbers/${number.id}`);
		expect((await remove(`/trunks/${id}`)).status).toBe(204);
		expect(await remove(`/trunks/${id}`)).toMatchObject(refusal(404, "not_found"));
	});

	test("needs a name, valid addresses, and capacity of the account", async () => {
		const response = await post("/trunks", { capacity: 1, ...acl("192.0.2.300") });
		expect(response.body.details).toMatchObject([{ field: "name" }, { field: "auth.allowed_cidrs.0" }]);
		set({ capacityMax: 30 });
		const { id } = await create();
		const refused = { ...refusal(409, "capacity_exceeded"), body: { details: { max: 30 } } };
		expect(await patch(`/trunks/${id}`, { capacity: 31 })).toMatchObject(refused);
	});

	const wide = ["0.0.0.0/0", "::/0", "0.0.0.0/1", "2000::/3"];
	const inside = ["10.1.2.3", "172.0.0.0/8", "192.168.0.0/24", "127.0.0.1", "fd00::/48", "::ffff:10.0.0.1"];
	test.each([...wide, ...inside])("does not allow %s unless a setting does", async (cidr) => {
		const refused = refusal(400, "validation_failed", "auth.allowed_cidrs.1");
		const body = { name: "office", capacity: 1, ...acl("198.51.100.7", cidr) };
		expect(await call("POST", "/trunks", body)).toMatchObject(refused);
		const { id } = await create(acl("198.51.100.0/24", "203.0.113.7", "2001:db8::/32", "8.8.8.8", "2a00::/16"));
		expect((await patch(`/trunks/${id}`, acl(cidr))).status).toBe(400);
		set({ acceptAnyAddress: true });
		expect((await patch(`/trunks/${id}`, acl(cidr))).status).toBe(200);
	});
});
