/** `telephony service check --write` and `--buy`: the rate of the service, and what it tries. */
import { describe, expect, test } from "vitest";
import type { Checkup } from "../../../cli/service/checkup";
import { missingId } from "../../../cli/service/reading";
import { isSettled, type ServiceReport } from "../../../cli/service/report";
import { writeAndDelete } from "../../../cli/service/writing";
import type { Emulator } from "../../../emulator";
import { open } from "../../emulator/folders";
import { FakeClock } from "../../helpers/clock";
import { useEmulator } from "../../helpers/emulator";
import { eachRecord, rewriteReads, useFaultProxy } from "../../helpers/fault-proxy";
import { useCarrier } from "../../helpers/scripted-carrier";
import { refusal, reply, useScriptedServer } from "../../helpers/scripted-server";
import { buying, check, linesOf, rowsOf } from "../../helpers/service-check";

const start = () => open({ kyc: "immediate", seed: 1 });
const buy = buying();
const write = (checkup: Checkup) => writeAndDelete(checkup, () => {});

const decisions = (report: ServiceReport) => rowsOf(report, "decide");
const untested = (report: ServiceReport) => rowsOf(report, "untested");
const seenOf = ({ rows }: ServiceReport, subject: string) => rows.find(({ what }) => what === subject)?.seen;

/** Fails if the check has left anything on the account. */
function expectNothingLeft({ control }: Emulator): void {
	const { numbers, trunks, webhooks } = control.state();
	const held = numbers.filter(({ status }) => status !== "released" && status !== "releasing");
	expect({ held, trunks, webhooks }).toEqual({ held: [], trunks: [], webhooks: [] });
}

describe("a service that limits its rate", () => {
	test("gets each request again after its pause, a purchase too", async () => {
		const emulator = await start();
		for (const operation of ["listNumbers", "buyNumber", "createTrunk", "patchNumber", "releaseNumber"] as const)
			emulator.control.faults.set({ operation, status: 429, error: "rate_limited", retryAfter: 7 });
		const clock = new FakeClock();
		const report = await check(emulator, undefined, buy, clock);
		expect(clock.slept.filter((ms) => ms >= 7_000)).not.toEqual([]);
		expect({ lines: linesOf(report), decisions: decisions(report), untested: untested(report) }).toEqual({
			lines: ["features: idempotencyKey"],
			decisions: [],
			untested: [],
		});
		expect(emulator.control.state().numbers).toHaveLength(1);
		expectNothingLeft(emulator);
	});

	test.each([
		["listTrunks", 429, "trunks"],
		["listWebhooks", 503, "webhooks"],
		["getNumber", 429, "a missing number"],
		["buyNumber", 429, "a purchase"],
		["patchNumber", 429, "number: change of the label"],
		["createTrunk", 429, "trunk: create"],
	] as const)("%s with HTTP %i is not tested, and no fact", async (operation, status, what) => {
		const emulator = await start();
		emulator.control.faults.set({ operation, every: true, status, error: "rate_limited" });
		const report = await check(emulator, undefined, buy);
		expect(untested(report)).toContain(what);
		expect(seenOf(report, what)).toContain(`the service refused for its rate (HTTP ${status})`);
		expect(linesOf(report).filter((line) => line !== "features: idempotencyKey")).toEqual([]);
		expect(decisions(report)).toEqual([]);
		expect(isSettled(report)).toBe(false);
		expectNothingLeft(emulator);
	});
});

describe("trunks and webhooks", () => {
	test("are created, changed and deleted", async () => {
		const emulator = await start();
		const report = await check(emulator, undefined, write);
		expect({ lines: linesOf(report), decisions: decisions(report) }).toEqual({ lines: [], decisions: [] });
		expect(untested(report).filter((what) => /trunk|webhook/.test(what))).toEqual([]);
		expectNothingLeft(emulator);
		const written = emulator.control.requests().filter(({ method }) => method !== "GET");
		expect(written.map(({ method, path }) => `${method} ${path.split("/")[2]}`).toSorted()).toEqual([
			...["DELETE trunks", "DELETE webhooks", "PATCH trunks", "PATCH webhooks", "POST trunks", "POST webhooks"],
		]);
	});

	test("are replaced by a service that changes whole objects", async () => {
		const service = { operations: { patchTrunk: { request: "PUT /trunks/{id}", whole: true } } };
		const emulator = await open({ kyc: "immediate", seed: 1, service });
		expect(decisions(await check(emulator, undefined, write))).toEqual(["trunk: change"]);
		expect(decisions(await check(emulator, service, write))).toEqual([]);
		expectNothingLeft(emulator);
	});

	test("are named if they can't be deleted", async () => {
		const emulator = await start();
		emulator.control.faults.set({ operation: "deleteTrunk", every: true, status: 403, error: "forbidden" });
		const failed = check(emulator, undefined, write);
		await expect(failed).rejects.toThrow("NOT DELETED: ");
		const { trunks, webhooks } = emulator.control.state();
		expect(webhooks).toEqual([]);
		for (const { id } of trunks) await expect(failed).rejects.toThrow(id);
	});
});

describe("a service that keeps deleted objects", () => {
	const emulator = useEmulator();
	const proxy = useFaultProxy(emulator);

	/** The service shows each deleted object with this status. */
	const keep = (status: string) => {
		const deleted = new Set<unknown>();
		proxy.plan = (_, method, path) => {
			if (method !== "DELETE") return undefined;
			deleted.add(path.split("/").at(-1));
			return { kind: "chosen", status: 202, type: "application/json", body: "", isCarriedOut: false };
		};
		rewriteReads(
			proxy,
			eachRecord((row) => (deleted.has(row.id) ? { ...row, status } : row)),
		);
	};

	test("counts as removing them if it says so", async () => {
		keep("deleted");
		expect(decisions(await check(proxy, undefined, write))).toEqual([]);
	});

	test("are named if it says that they are in use", async () => {
		keep("enabled");
		await expect(check(proxy, undefined, write)).rejects.toThrow(/NOT DELETED: the webhook .*, the trunk /);
	});
});

describe("a plain service", () => {
	const carrier = useCarrier("", () => ({ keys: "marked" }));
	const cut = (length: number) => (value: unknown) => (typeof value === "string" ? value.slice(0, length) : value);

	test("that cuts references keeps none", async () => {
		carrier.make.show = (row) => ({ ...row, reference: cut(40)(row.reference) });
		const report = await check(carrier, undefined, buy, carrier.clock);
		expect(linesOf(report)).toContain("records: { number: { reference: false } }");
		expect(seenOf(report, "number: change of the reference")).toBe("cut after 40 characters");
		expect(carrier.rows).toEqual([]);
	});

	test("that cuts labels keeps short ones", async () => {
		carrier.make.show = (row) => ({ ...row, label: cut(40)(row.label) });
		const report = await check(carrier, undefined, buy, carrier.clock);
		expect(seenOf(report, "number: change of the label")).toBe("cut after 40 characters");
		expect(linesOf(report)).toContain("records: { number: { label: { most: 40 } } }");
	});

	test("that drops the routing leaves a decision", async () => {
		carrier.make.show = ({ routing: _, ...row }) => row;
		const report = await check(carrier, undefined, buy, carrier.clock);
		expect(decisions(report)).toContain("number: change of the routing");
	});
});

test.each([
	["1001", "2000000011"],
	["1999999999", "99999999999"],
	["num_01", "num_999999"],
	["DID-000123", "DID-999999"],
	["num_a1B2", "num_f9F9"],
	["ffff", "0000"],
])("reads a missing id of the form of %s: %s", (id, missing) => {
	expect(missingId(id)).toBe(missing);
});

describe("pages", () => {
	const server = useScriptedServer();
	const rows = Array.from({ length: 5 }, (_, index) => ({
		id: `n${index}`,
		number: `+3161234567${index}`,
		status: "active",
	}));

	const serve = (size: (limit: number) => number, cursor: string) => {
		server.script = (response, received) => {
			const { pathname, searchParams } = new URL(received.at(-1)?.path ?? "", "http://service");
			if (pathname !== "/numbers") return reply(response, 404, refusal("not_found"));
			const from = Number(searchParams.get(cursor) ?? 0);
			const to = from + size(Number(searchParams.get("limit") ?? 2));
			const next_cursor = to < rows.length ? String(to) : null;
			return reply(response, 200, { data: rows.slice(from, to), next_cursor });
		};
	};
	const service = () => ({ url: server.url, apiKey: "key" });

	test.each([
		["cursor", "holds"],
		["after", "decide"],
	])("show if the cursor's parameter is cursor: %s", async (cursor, verdict) => {
		serve(() => 2, cursor);
		const { rows } = await check(service());
		expect(rows.find(({ what }) => what === "parameter for the next page")?.verdict).toBe(verdict);
	});
});
