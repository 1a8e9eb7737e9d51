/** `telephony release`: Ctrl-C leaves a number as it was, or released. */
import { expect, test } from "vitest";
import { identityFrom } from "../../../provider/ownership/claim";
import { formatReference, retainedLease } from "../../../provider/ownership/reference";
import { numberClaim } from "../../../provider/resources/number/properties";
import { telephony } from "../../helpers/drift-cli";
import { useEmulator } from "../../helpers/emulator";
import { start } from "../../helpers/engine-running";
import { eventually } from "../../helpers/eventually";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { aNumber } from "../../helpers/provider";
import { useStates } from "../../helpers/states";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);
const states = useStates<object>("release", emulator);
const place = "s3://states";

test.each(["SIGINT", "SIGTERM"] as const)("%s during a release restores routing and protection", async (signal) => {
	const routing = { type: "sip_uri", uri: "sip:desk@pbx.example.com" };
	const ids: string[] = [];
	for (const name of ["one", "two"]) {
		const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
		const identity = identityFrom(numberClaim, aNumber({}, name), { owner: undefined, place });
		const reference = formatReference(identity, retainedLease);
		emulator.control.patchNumber(body.id, { reference, routing, release_protection: true });
		ids.push(body.id);
	}
	let deletes = 0;
	proxy.plan = (_, method) => {
		if (method !== "DELETE") return undefined;
		deletes += 1;
		if (deletes > 1) return { kind: "refused", status: 503, retryAfter: "1" };
		const body = JSON.stringify({ error: "number_in_use", message: "It has a routing.", request_id: "req_x" });
		return { kind: "chosen", status: 409, type: "application/json", body, isCarriedOut: false };
	};
	const file = states.state([{ type: "pulumi:pulumi:Stack", name: "shop-dev", id: "" }]);
	const args = ["release", "--cwd", states.folder, "--retained", "--unprotect", "--yes", "--stack", file];
	const env = {
		...process.env,
		TELEPHONY_API_KEY: proxy.apiKey,
		TELEPHONY_BASE_URL: proxy.url,
		PULUMI_BACKEND_URL: place,
	};
	const running = start(["node", telephony, ...args], states.folder, env);
	await eventually(() => expect(deletes).toBeGreaterThan(1));
	process.kill(running.child.pid ?? 0, signal);
	const code = await running.code;
	for (const id of ids) expect(emulator.row(id), running.output()).toMatchObject({ routing, release_protection: true });
	expect([code, running.output()]).toEqual([signal === "SIGINT" ? 130 : 143, expect.stringContaining("not released")]);
});

test("Ctrl-C between two releases releases no other number", async () => {
	const ids: string[] = [];
	for (const name of ["one", "two", "three"]) {
		const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
		const identity = identityFrom(numberClaim, aNumber({}, name), { owner: undefined, place });
		emulator.control.patchNumber(body.id, { reference: formatReference(identity, retainedLease) });
		ids.push(body.id);
	}
	let deletes = 0;
	proxy.plan = (_, method) => {
		if (method === "DELETE") deletes += 1;
		return undefined;
	};
	emulator.control.faults.set({ operation: "releaseNumber", nth: 1, phase: "before", kind: "delay", ms: 2_000 });
	const file = states.state([{ type: "pulumi:pulumi:Stack", name: "shop-dev", id: "" }]);
	const args = ["release", "--cwd", states.folder, "--retained", "--yes", "--stack", file];
	const env = {
		...process.env,
		TELEPHONY_API_KEY: proxy.apiKey,
		TELEPHONY_BASE_URL: proxy.url,
		PULUMI_BACKEND_URL: place,
	};
	const running = start(["node", telephony, ...args], states.folder, env);
	await eventually(() => expect(deletes).toBe(1));
	process.kill(running.child.pid ?? 0, "SIGINT");
	expect(await running.code).toBe(130);
	expect(emulator.released()).toHaveLength(1);
	expect(running.output()).toMatch(/released .*not released/s);
});
