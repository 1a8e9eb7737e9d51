/** Accounts and stacks for tests of programs, on the real engine. */
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import * as telephony from "../../sdk";
import { type Account, type AccountOptions, startAccount } from "../../sdk/nodejs-testing";
import { createFolder } from "../helpers/folders";
import { repository } from "../helpers/repository";

afterEach(() => vi.unstubAllEnvs());

async function anAccount(options: AccountOptions = {}): Promise<Account> {
	const account = await startAccount(options);
	onTestFinished(() => account.close());
	return account;
}

const program = `
const pulumi = require("@pulumi/pulumi");
const telephony = require("pulumi-telephony");
const trunk = new telephony.SipTrunk("office", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] }, capacity: 30 });
const number = new telephony.Number("office", { country: "NL", type: "mobile", label: new pulumi.Config().require("label"), routing: { type: "trunk", trunkId: trunk.id } });
exports.number = number.phoneNumber;
`;

it("runs a folder's program: up, drift, repair and destroy", async () => {
	// The test must not reach this account.
	vi.stubEnv("TELEPHONY_BASE_URL", "https://real.example/v1");
	const folder = createFolder();
	symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
	const runtime = "runtime: { name: nodejs, options: { typescript: false } }";
	writeFileSync(join(folder, "Pulumi.yaml"), `name: desk\n${runtime}\n`);
	writeFileSync(join(folder, "package.json"), "{}\n");
	writeFileSync(join(folder, "index.js"), program);
	const before = readdirSync(folder);
	const account = await anAccount();
	const config = { "desk:label": { value: "Front desk" }, "telephony:onDelete": { value: "release" } };
	const stack = await account.stack({ workDir: folder, config });
	const { number } = await stack.up();
	expect(number).toMatch(/^\+316/);
	expect(await stack.resources()).toMatchObject([{ type: "SipTrunk", name: "office" }, { type: "Number" }]);
	expect(account.control.state().numbers).toMatchObject([{ number, label: "Front desk" }]);
	await expect(account.edit("office", { capacity: 7 })).rejects.toThrow('"SipTrunk office"');
	await expect(account.edit("lobby", { capacity: 7 })).rejects.toThrow('"SipTrunk office", "Number office"');
	await account.edit("SipTrunk office", { capacity: 7 });
	await account.edit(account.control.state().numbers[0]?.id ?? "", { routing: null });
	const { resources, ...report } = await stack.drift();
	expect(report).toMatchObject({ total: 2, drifted: 2, account: account.url });
	expect(resources.flatMap(({ changes }) => changes.map(({ path }) => path))).toContain("capacity");
	expect(await stack.repair()).toEqual({ number });
	expect(account.control.state().trunks).toMatchObject([{ capacity: 30 }]);
	await stack.destroy();
	expect(account.ledger().map(({ kind }) => kind)).toEqual(["purchase", "release"]);
	await account.close();
	expect(readdirSync(folder)).toEqual(before);
	expect(process.env.TELEPHONY_BASE_URL).toBe("https://real.example/v1");
});

it("runs a function: KYC decisions, the clock and removals", async () => {
	const account = await anAccount({ clock: "virtual", kyc: "10d" });
	const stack = await account.stack({
		program: async () => {
			const berlin = new telephony.Number("berlin", { country: "DE", type: "mobile", waitForActive: false });
			const paris = new telephony.Number("paris", { country: "FR", type: "mobile", waitForActive: false });
			const { numbers } = await telephony.getNumbers();
			return { berlin: berlin.status, paris: paris.status, before: numbers.length };
		},
	});
	expect(await stack.up()).toEqual({ berlin: "pending", paris: "pending", before: 0 });
	const statuses = () =>
		Object.fromEntries(account.control.state().numbers.map(({ country, status }) => [country, status]));
	await account.decide("berlin", "approve");
	expect(statuses()).toEqual({ DE: "active", FR: "pending" });
	await account.advance("11d");
	expect(statuses()).toEqual({ DE: "active", FR: "active" });
	await account.remove("paris");
	expect(await stack.drift()).toMatchObject({ resources: [{ name: "paris", kind: "deleted" }] });
	await expect(account.decide("lobby", "approve")).rejects.toThrow("lobby");
});

it("keeps the user's proxy exceptions, and adds this machine", async () => {
	vi.stubEnv("no_proxy", undefined);
	vi.stubEnv("NO_PROXY", "a.invalid");
	for (const [exceptions, expected] of [
		[undefined, "a.invalid,127.0.0.1,localhost"],
		["b.invalid, localhost", "b.invalid,localhost,127.0.0.1"],
	] as const) {
		vi.stubEnv("no_grpc_proxy", exceptions);
		const account = await anAccount();
		expect(process.env.no_grpc_proxy).toBe(expected);
		await account.close();
		expect(process.env.no_grpc_proxy).toBe(exceptions);
	}
});

it("names what to install without the engine, or with an old one", async () => {
	const empty = createFolder();
	const cwd = process.cwd();
	onTestFinished(() => process.chdir(cwd));
	process.chdir(empty);
	const paths = process.env.PATH?.split(delimiter).filter((folder) => !existsSync(join(folder, "pulumi")));
	vi.stubEnv("PATH", paths?.join(delimiter));
	const account = await anAccount();
	await expect(account.stack({ workDir: empty })).rejects.toThrow("npm install --save-dev pulumi");
	// npm installs the engine here, and an editor has no PATH of npm.
	mkdirSync(join(empty, "node_modules/.bin"), { recursive: true });
	writeFileSync(join(empty, "node_modules/.bin/pulumi"), "#!/bin/sh\necho v3.1.0\n", { mode: 0o755 });
	await expect(account.stack({ workDir: empty })).rejects.toThrow("v3.1.0");
});
