/** Nothing is lost to an outage of a part of the service, nor to another account's key, on the real engine. */
import { expect, test } from "vitest";
import { dialect } from "../helpers/dialect.mts";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails, succeeds } from "../helpers/engine";
import { useFaultProxy } from "../helpers/fault-proxy";

const emulator = useEmulator({ kyc: "immediate" });
const service = useFaultProxy(emulator);
const other = useEmulator({ kyc: "immediate" });
const items = dialect?.lists?.items ?? "data";
const numbers = (count: number) =>
	`for (let n = 0; n < ${count}; n++) new telephony.Number("n" + n, { country: "US", type: "mobile" });`;

test("a list that shows 0 of 8 numbers, while single reads fail, takes none out of the state", async () => {
	const stack = await createProject({ program: numbers(8), service });
	await succeeds(stack.up());
	const ids = await stack.ids();
	service.plan = (_, method, path) =>
		method === "GET" && path.includes("/numbers/") ? { kind: "refused", status: 503 } : undefined;
	service.rewrite = (text, _, path) => {
		const { [items]: data } = JSON.parse(text) as Record<string, object[] | undefined>;
		return !path.includes("/numbers/") && data !== undefined
			? JSON.stringify({ [items]: [], next_cursor: null })
			: text;
	};
	const wrong = await fails(stack.up("--refresh"));
	expect(wrong).toContain("A list alone doesn't prove a deletion, so the state keeps it.");
	expect(await stack.ids()).toEqual(ids);
	expect(emulator.control.ledger().filter(({ kind }) => kind === "purchase")).toHaveLength(8);
});

test("another account's key buys nothing there", async () => {
	const program = `${numbers(3)}
		new telephony.SipTrunk("trunk", { auth: { mode: "digest", username: "office" }, capacity: 1 });`;
	const stack = await createProject({ program, service: emulator });
	await succeeds(stack.up());
	const ids = await stack.ids();
	Object.assign(stack.env, { TELEPHONY_BASE_URL: other.url, TELEPHONY_API_KEY: other.apiKey });
	await fails(stack.up("--refresh"), "wrong-account");
	expect({ ledger: other.control.ledger(), trunks: other.control.state().trunks }).toEqual({ ledger: [], trunks: [] });
	expect(await stack.ids()).toEqual(ids);

	Object.assign(stack.env, { TELEPHONY_BASE_URL: emulator.url, TELEPHONY_API_KEY: emulator.apiKey });
	await succeeds(stack.up("--refresh"));
	expect(await stack.ids()).toEqual(ids);
	expect(emulator.control.ledger().filter(({ kind }) => kind === "purchase")).toHaveLength(3);

	Object.assign(stack.env, { TELEPHONY_BASE_URL: other.url, TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" });
	await succeeds(stack.up("--refresh"));
	expect(other.control.ledger().filter(({ kind }) => kind === "purchase")).toHaveLength(3);
});
