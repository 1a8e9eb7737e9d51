/** Nothing is lost to an outage of a part of the service, nor to another account's key, on the real engine. */
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject } from "../helpers/engine";
import { useFaultProxy } from "../helpers/fault-proxy";

const emulator = useEmulator({ kyc: "immediate" });
const service = useFaultProxy(emulator);
const other = useEmulator({ kyc: "immediate" });
const flat = (output: string) => output.replaceAll(/\s+/g, " ");
const numbers = (count: number) =>
	`for (let n = 0; n < ${count}; n++) new telephony.Number("n" + n, { country: "US", type: "mobile" });`;

test.each([0, 4])(
	"a list that shows %i of 8 numbers, while single reads fail, takes none out of the state",
	async (shown) => {
		const stack = await createProject({ program: numbers(8), service });
		expect((await stack.up()).code).toBe(0);
		const ids = await stack.ids();
		service.plan = (_, method, path) =>
			method === "GET" && !path.includes("?") ? { kind: "refused", status: 503 } : undefined;
		service.rewrite = (text, _, path) => {
			const { data } = JSON.parse(text) as { data?: object[] };
			return path.includes("?") && data !== undefined
				? JSON.stringify({ data: data.slice(0, shown), next_cursor: null })
				: text;
		};
		const wrong = await stack.up("--refresh");
		expect(wrong.code, wrong.output).not.toBe(0);
		expect(flat(wrong.output)).toContain("A list alone proves nothing, so the state keeps it.");
		expect(await stack.ids()).toEqual(ids);
		expect(emulator.control.ledger().filter(({ kind }) => kind === "purchase")).toHaveLength(8);
	},
);

test.each([[], ["--parallel", "1"]])("another account's key buys nothing there (%j %j)", async (...parallel) => {
	const args = parallel.filter((arg) => arg !== undefined);
	const program = `${numbers(3)}
		new telephony.SipTrunk("trunk", { auth: { mode: "digest", username: "office" }, capacity: 1 });`;
	const stack = await createProject({ program, service: emulator });
	expect((await stack.up()).code).toBe(0);
	const ids = await stack.ids();
	Object.assign(stack.env, { TELEPHONY_BASE_URL: other.url, TELEPHONY_API_KEY: other.apiKey });
	const wrong = await stack.up("--refresh", ...args);
	expect(wrong.code, wrong.output).not.toBe(0);
	expect(flat(wrong.output)).toContain("[telephony:wrong-account]");
	expect([other.control.ledger(), other.control.state().trunks]).toEqual([[], []]);
	expect(await stack.ids()).toEqual(ids);

	Object.assign(stack.env, { TELEPHONY_BASE_URL: emulator.url, TELEPHONY_API_KEY: emulator.apiKey });
	const right = await stack.up("--refresh");
	expect(right.code, right.output).toBe(0);
	expect(await stack.ids()).toEqual(ids);
	expect(emulator.control.ledger().filter(({ kind }) => kind === "purchase")).toHaveLength(3);

	Object.assign(stack.env, { TELEPHONY_BASE_URL: other.url, TELEPHONY_ALL_GONE: "yes" });
	const moved = await stack.up("--refresh");
	expect(moved.code, moved.output).toBe(0);
	expect(other.control.ledger().filter(({ kind }) => kind === "purchase")).toHaveLength(3);
});
