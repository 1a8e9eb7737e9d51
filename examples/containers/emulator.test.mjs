// Testcontainers for Node: `docker build -t telephony-emulator -f emulator/Dockerfile .`, then `node --test`.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { GenericContainer, Wait } from "testcontainers";

const token = randomUUID();
let container;
let emulator;

before(async () => {
	container = await new GenericContainer("telephony-emulator")
		.withCommand(["--host", "0.0.0.0", "--memory", "--clock", "virtual", "--kyc", "2h"])
		.withEnvironment({ TELEPHONY_CONTROL_TOKEN: token })
		.withExposedPorts(4010)
		.withWaitStrategy(Wait.forLogMessage(/listening on/))
		.start();
	emulator = `http://${container.getHost()}:${container.getMappedPort(4010)}`;
});
after(() => container?.stop());

const post = async (path, bearer, body) => {
	const headers = { Authorization: `Bearer ${bearer}`, "Content-Type": "application/json" };
	const answer = await fetch(emulator + path, { method: "POST", headers, body: JSON.stringify(body) });
	return answer.json();
};

test("a German number is active once KYC is approved", async () => {
	const { id, status } = await post("/v1/numbers", "emulator-key", { country: "DE", type: "mobile" });
	assert.equal(status, "pending");
	await post("/_emulator/clock", token, { advance: "2h" });
	const answer = await fetch(`${emulator}/v1/numbers/${id}`, { headers: { Authorization: "Bearer emulator-key" } });
	assert.equal((await answer.json()).status, "active");
});
