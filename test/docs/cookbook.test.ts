/** Each recipe of the cookbook, run against an account in memory. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import ts from "typescript";
import { afterAll, afterEach, expect, test } from "vitest";
import * as telephony from "../../sdk";
import { mocks, type TelephonyMocks } from "../../sdk/nodejs-testing";
import { content } from "../helpers/papers";
import { blocksOf } from "./pages";

/** The resources that each recipe declares, by its heading. */
const recipes: Readonly<Record<string, readonly string[]>> = {
	"Forward calls to a mobile phone": ["Number desk"],
	"Connect a phone system": ["SipTrunk office", "Number main"],
	"Connect equipment without a fixed address": ["SipTrunk remote"],
	"Buy a number for each country": ["Number sales-NL", "Number sales-GB", "Number sales-US"],
	"Buy a block of numbers": ["NumberPool support"],
	"Buy in a regulated market": ["KycProfile company", "Number berlin"],
	"Receive SMS": ["Number alerts", "Webhook status"],
	"Keep a printed number": ["Number hotline"],
	"Adopt a number from the dashboard": ["Number office"],
	"Redirect calls in an outage": ["Number main"],
};
const [first, ...blocks] = blocksOf("docs/guides/cookbook.md").filter(({ language }) => language === "ts");

const folder = mkdtempSync(join(tmpdir(), "cookbook-"));
for (const file of ["register.pdf", "bill.pdf"]) writeFileSync(join(folder, file), content("pdf", file));
afterAll(() => rmSync(folder, { recursive: true }));
const running: TelephonyMocks[] = [];
afterEach(async () => {
	for (const account of running.splice(0)) await account.close();
});

function evaluate(program: string): Record<string, unknown> {
	const modules: Readonly<Record<string, unknown>> = { "pulumi-telephony": telephony, "@pulumi/pulumi": pulumi };
	const { outputText } = ts.transpileModule(program, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
	const exported = {};
	new Function("require", "exports", outputText)((name: string) => modules[name], exported);
	return exported;
}

test("the page has these recipes", () => {
	expect(first?.text).toBe('import * as telephony from "pulumi-telephony";');
	expect(blocks.map(({ heading }) => heading)).toEqual(Object.keys(recipes));
});

test.each(blocks)("$heading", async ({ heading, text }) => {
	const account = await mocks({ cwd: folder });
	running.push(account);
	await pulumi.runtime.setMocks(account);
	if (heading.startsWith("Adopt")) {
		const { url, apiKey, control } = account.account;
		const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
		const body = JSON.stringify({ country: "NL", type: "geographic", area: "20" });
		await fetch(`${url}/numbers`, { method: "POST", headers, body });
		control.patchNumber(control.state().numbers[0]?.id ?? "", { number: "+31201234567" });
	}
	const exported = evaluate(`${first?.text}\n${text}`);
	const outputs = Object.values(exported).map(
		(output) =>
			new Promise((done) => void pulumi.all([output as pulumi.Input<object>]).apply(([value]) => done(value))),
	);
	const declared = expect.poll(() => account.resources.map(({ type, name }) => `${type} ${name}`).sort());
	await Promise.race([account.failure, declared.toEqual([...(recipes[heading] ?? [])].sort())]);
	for (const output of await Promise.race([account.failure, Promise.all(outputs)])) expect(output).toBeTruthy();
});
