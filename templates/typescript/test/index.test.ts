import assert from "node:assert/strict";
import { test } from "node:test";
import * as pulumi from "@pulumi/pulumi";
import { mocks, startAccount } from "pulumi-telephony/testing";

const resolved = <T>(output: pulumi.Output<T>) => new Promise<T>((resolve) => void output.apply(resolve));

test("the desk has a number in Amsterdam, which rings on the trunk", async (t) => {
	const telephony = await mocks();
	t.after(() => telephony.close());
	await pulumi.runtime.setMocks(telephony);
	const { phoneNumber } = await import("../index.ts");
	assert.match((await resolved(phoneNumber)) ?? "", /^\+3120/);
	const { id } = telephony.resources.find(({ name }) => name === "office") ?? {};
	const desk = telephony.resources.find(({ name }) => name === "desk");
	assert.deepEqual(desk?.inputs.routing, { type: "trunk", trunkId: id });
});

test("the stack goes up, shows what others change, and is destroyed", async (t) => {
	const account = await startAccount();
	t.after(() => account.close());
	const stack = await account.stack({ workDir: "." });
	await stack.up();
	await account.edit("office", { capacity: 7 });
	const { resources } = await stack.drift();
	assert.deepEqual(
		resources.map(({ name }) => name),
		["office"],
	);
	await stack.destroy();
	assert.deepEqual(
		account.ledger().map(({ kind }) => kind),
		["purchase", "release"],
	);
});
