/** Sales that look like something else: each resource gets one number, whatever the responses and the lists show. */
import { describe, expect, test } from "vitest";
import { featuresHeader } from "../../../../provider/api/contract";
import type { Values } from "../../../../provider/properties/table";
import { useAccount } from "../../../helpers/account";
import { type Fault, rewriteReads, useFaultProxy } from "../../../helpers/fault-proxy";
import { aNumber, create, failureOf, openProvider } from "../../../helpers/provider";
import { failedUp, refreshed, replaced } from "../../../helpers/runs";
import { timeOf, useCarrier } from "../../../helpers/scripted-carrier";

const hour = 3_600_000;
const { emulator, clock, live, purchases, off } = useAccount();
const proxy = useFaultProxy(emulator);
const open = (features = "") =>
	openProvider(proxy, { clock, config: { "telephony:features": features, "telephony:onDelete": "release" } });
const altering = (change: (reference: string) => string): Fault => ({
	kind: "altered",
	alter: (body) => ({ ...(body as Values), reference: change(String((body as Values).reference)) }),
});

describe("a service whose times are behind its clock", () => {
	const carrier = useCarrier("idempotencyKey reference -statusFilter", () => ({ keys: "marked" }));
	const openThere = () => carrier.open({ config: { "telephony:limits": '{"maxPurchases":3}' } });
	const selling = (offset: number, status: string) => {
		const { sell } = carrier.make;
		const created_at = timeOf(carrier.clock.now() + offset);
		carrier.make.sell = (serial, body) => ({ ...sell(serial, body), status, created_at });
	};

	test.each([-4_000, -5 * hour])("sells one number if each sale fails, %i ms", async (offset) => {
		selling(offset, "failed");
		const { id } = await failedUp(openThere(), aNumber());
		expect([id, carrier.rows.length]).toEqual(["n1", 1]);
	});

	test("sells no more numbers than allowed if each is released at once", async () => {
		selling(-4_000, "released");
		const error = await failureOf(create(openThere().number, aNumber()));
		expect([error.messageCode, carrier.rows.length]).toEqual(["limit", 3]);
	});

	test.each([-4_000, -5 * hour])("sells one number if reads lag, %i ms", async (offset) => {
		const run = openThere();
		const sold = new Map<unknown, number>();
		selling(offset, "active");
		carrier.make.show = (row, place) => {
			sold.set(row.id, sold.get(row.id) ?? run.clock.now());
			const isShown = place === "purchase" || place === "patch" || run.clock.now() - (sold.get(row.id) ?? 0) >= 5_000;
			return isShown ? row : undefined;
		};
		await create(run.number, aNumber({}, "a"));
		await run.clock.sleep(80_000);
		await create(run.number, aNumber({}, "b"));
		expect(carrier.rows).toHaveLength(2);
	});
});

describe("a list that leaves out references", () => {
	const hide = () =>
		rewriteReads(proxy, (json) => {
			const { data, ...rest } = json as { readonly data?: readonly Values[] };
			return data === undefined ? rest : { ...rest, data: data.map(({ reference: _, ...item }) => item) };
		});

	test("shows the number of a lost state to a run without keys", async () => {
		off("idempotencyKey");
		proxy.hidden.add(featuresHeader);
		hide();
		const { id } = await create(open().number, aNumber({ label: "Support" }));
		await clock.sleep(60_000);
		expect((await create(open().number, aNumber({ label: "Support" }))).id).toBe(id);
	});

	test.each([false, true])("shows the number after a taint, refreshed: %s", async (isRefreshed) => {
		hide();
		const first = await create(open().number, aNumber());
		await clock.sleep(48 * hour);
		expect((await replaced(open(), first, aNumber(), isRefreshed)).id).toBe(first.id);
	});

	test("shows a retained number that is declared again", async () => {
		hide();
		const first = await create(open().number, aNumber({ onDelete: "retain" }));
		await clock.sleep(48 * hour);
		await open().number.delete(first.id, first.outs);
		expect((await create(open().number, aNumber())).id).toBe(first.id);
	});

	test("hides none behind a number that nobody has claimed", async () => {
		await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
		rewriteReads(proxy, (json) => {
			const { data, reference, ...rest } = json as Values;
			if (!Array.isArray(data)) return reference === null ? rest : { ...rest, reference };
			return { ...rest, data: data.map(({ reference: _, ...item }: Values) => item) };
		});
		const { id } = await create(open("reference").number, aNumber());
		await clock.sleep(48 * hour);
		expect((await create(open("reference").number, aNumber())).id).toBe(id);
	});

	test("is no drift, even if it shows null in their place", async () => {
		rewriteReads(proxy, (json) => {
			const { data, ...rest } = json as { readonly data?: readonly Values[] };
			return data === undefined ? rest : { ...rest, data: data.map((item) => ({ ...item, reference: null })) };
		});
		const made = await create(open().number, aNumber());
		const run = open();
		expect(await refreshed(run, made, aNumber())).toMatchObject({ changes: false, id: made.id });
		expect(run.warnings).toEqual([]);
	});

	test("costs one read for each number of others in a run", async () => {
		hide();
		for (const name of ["a", "b"]) await create(open().number, aNumber({}, name));
		const before = emulator.requests().length;
		const run = open();
		for (const name of ["c", "d", "e"]) await create(run.number, aNumber({}, name));
		expect(emulator.requests(before).filter((request) => request.startsWith("GET /numbers/"))).toHaveLength(2);
	});
});

describe.each<[string, (text: string) => string]>([
	["lower case", (text) => text.toLowerCase()],
	["upper case", (text) => text.toUpperCase()],
	["a blank before it", (text) => ` ${text}`],
])("references in %s", (_, change) => {
	const respell = () => {
		proxy.plan = (_, method) => (method === "PATCH" ? altering(change) : undefined);
	};

	test("stop a run after its first purchase, and each later run", async () => {
		respell();
		for (let run = 0; run < 3; run++)
			expect((await failedUp(open(), aNumber())).error.message).toContain("[telephony:reference-cut]");
		expect(purchases()).toHaveLength(1);
	});

	test("are no other stack's claim", async () => {
		respell();
		const saved = await failedUp(open(), aNumber());
		expect((await failedUp(open(), aNumber(), saved)).error.message).toContain("[telephony:reference-cut]");
	});
});

test("a reference that the service gives a new number is no claim", async () => {
	off("idempotencyKey");
	proxy.rewrite = (text) => text.replaceAll(`"reference":null`, `"reference":"ORD-4711"`);
	const { id } = await create(open().number, aNumber());
	expect([live().map((number) => number.id), purchases().length]).toEqual([[id], 1]);
});

test.each(["idempotencyKey", "-idempotencyKey"])(
	"a response without a body leads to the number: %s",
	async (features) => {
		if (features.startsWith("-")) off("idempotencyKey");
		proxy.plan = (_, method) =>
			method === "POST"
				? { kind: "chosen", status: 201, type: "application/json", body: "", isCarriedOut: true }
				: undefined;
		const { id } = await create(open(features).number, aNumber());
		expect([live().map((number) => number.id), purchases().length]).toEqual([[id], 1]);
	},
);

test("routing comes back if clearing it for a release gets no response", async () => {
	const { id, outs } = await create(open().number, aNumber({ routing: { type: "forward", to: "+31201234567" } }));
	await clock.sleep(2 * hour);
	let patches = 0;
	proxy.plan = (_, method) => {
		const body = '{"error":"number_in_use","message":"routing","request_id":"r"}';
		if (method === "DELETE")
			return { kind: "chosen", status: 409, type: "application/json", body, isCarriedOut: false };
		return method === "PATCH" && patches++ < 5 ? { kind: "replaced", status: 504 } : undefined;
	};
	await failureOf(open().number.delete(id, outs));
	expect(live()[0]?.routing).toMatchObject({ type: "forward" });
});
