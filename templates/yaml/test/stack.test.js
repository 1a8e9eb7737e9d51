const assert = require("node:assert/strict");
const { test } = require("node:test");
const { startAccount } = require("pulumi-telephony/testing");

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
