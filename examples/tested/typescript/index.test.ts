import assert from "node:assert/strict";
import { test } from "node:test";
import * as pulumi from "@pulumi/pulumi";
import { mocks, startAccount } from "pulumi-telephony/testing";

test("the line is a mobile number that rings on the trunk", async (t) => {
	const telephony = await mocks();
	t.after(() => telephony.close());
	await pulumi.runtime.setMocks(telephony);
	const { number } = await import("./index.ts");
	const e164 = await new Promise((resolve) => void number.apply(resolve));
	assert.match(String(e164), /^\+316/);
	const [trunk, line] = telephony.resources;
	assert.deepEqual(line?.inputs.routing, { type: "trunk", trunkId: trunk?.id });
});

test("a German number waits for KYC, and `up` continues after it", async (t) => {
	const account = await startAccount();
	t.after(() => account.close());
	const stack = await account.stack({ workDir: ".", config: { "telephony-tested:country": { value: "DE" } } });
	assert.equal((await stack.up()).status, "pending");
	await account.decide("Number support", "approve");
	assert.equal((await stack.repair()).status, "active");
	await stack.destroy();
	assert.deepEqual(
		account.ledger().map(({ kind }) => kind),
		["purchase", "release"],
	);
});
