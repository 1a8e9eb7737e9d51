/** Decides in a delete whether a number is released, retained or stays. */
import { describe, expect, test } from "vitest";
import { parseReference, retainedLease } from "../../../../provider/ownership/reference";
import type { Values } from "../../../../provider/properties/table";
import { useEmulator } from "../../../helpers/emulator";
import { useFaultProxy } from "../../../helpers/fault-proxy";
import { aNumber, codesOf, create, failureOf, openProvider, type ProviderOptions } from "../../../helpers/provider";
import { failedUp, refreshed, upAgain, updated } from "../../../helpers/runs";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);
const open = (options: ProviderOptions = {}) => openProvider(emulator, options);
const edit = (id: string, patch: object) => emulator.edit("number", id, patch);

/** The outcome of a delete for a number. */
const outcomeOf = (id: string) => {
	const { status, reference } = emulator.row(id) ?? {};
	if (status !== "active") return status;
	return parseReference(reference)?.lease === retainedLease ? "retained" : "stays";
};
const adoptBy =
	(news: Values, options: ProviderOptions = {}) =>
	async (id: string) => {
		edit(id, { reference: null });
		await create(open(options).number, { ...news, adopt: id });
	};
const prod = String(aNumber().__resourceUrn).replace("dev::shop", "prod::shop");

interface Case {
	readonly title: string;
	readonly args?: Values;
	readonly config?: ProviderOptions["config"];
	/** Happens between the purchase and the delete. */
	readonly between?: (id: string) => unknown;
	readonly becomes: "released" | "retained" | "stays";
}

test.each<Case>([
	{ title: "onDelete is release", args: { onDelete: "release" }, becomes: "released" },
	{ title: "telephony:onDelete is release", becomes: "released" },
	{ title: "its reference is cleared", between: (id) => edit(id, { reference: null }), becomes: "released" },
	{ title: "onDelete is retain", args: { onDelete: "retain" }, becomes: "retained" },
	{ title: "nothing says so", config: { "telephony:onDelete": "" }, becomes: "retained" },
	{ title: "releaseProtection is set", args: { releaseProtection: true }, becomes: "retained" },
	{ title: "the service protects it", between: (id) => edit(id, { release_protection: true }), becomes: "retained" },
	{
		title: "its protection is lifted at the service",
		args: { releaseProtection: true },
		between: (id) => edit(id, { release_protection: false }),
		becomes: "retained",
	},
	{
		title: "its reference is cleared and onDelete is retain",
		args: { onDelete: "retain" },
		between: (id) => edit(id, { reference: null }),
		becomes: "retained",
	},
	{ title: "another program claims it", between: (id) => edit(id, { reference: "order 4711" }), becomes: "stays" },
	{ title: "another stack adopts it", between: adoptBy({ ...aNumber(), __resourceUrn: prod }), becomes: "stays" },
	{ title: "another state adopts it", between: adoptBy(aNumber(), { place: "https://b.example" }), becomes: "stays" },
	{ title: "another resource adopts it", between: adoptBy(aNumber({}, "other")), becomes: "stays" },
	{ title: "a later run resumes it", between: () => create(open().number, aNumber()), becomes: "stays" },
])("decides a delete if $title: $becomes", async ({ args, config = {}, between, becomes }) => {
	const { id, outs } = await create(open({ config }).number, aNumber({ label: "desk", ...args }));
	await between?.(id);
	const { reference, ...before } = emulator.row(id) ?? {};
	const run = open();
	await run.number.delete(id, outs);
	const warns = { released: [], retained: ["retained"], stays: ["claimed"] }[becomes];
	expect({ becomes: outcomeOf(id), warns: codesOf(run.warnings) }).toEqual({ becomes, warns });
	const released = becomes === "released" ? [`Released ${outs.phoneNumber} (${id}). [telephony:released]`] : [];
	expect(run.notes).toEqual(released);
	if (becomes === "released") return;
	const { reference: after, ...current } = { updated_at: "", ...emulator.row(id) };
	expect(current).toEqual({ ...before, updated_at: current.updated_at });
	if (becomes === "stays") expect(after).toBe(reference);
});

describe("a delete", () => {
	test.each(["release", "retain"])("follows the saved state, not the configuration of today: %s", async (setting) => {
		for (const [onDelete, becomes] of Object.entries({ retain: "retained", release: "released" })) {
			const { id, outs } = await create(open().number, aNumber({ onDelete }, onDelete));
			await open({ config: { "telephony:onDelete": setting } }).number.delete(id, outs);
			expect(outcomeOf(id)).toBe(becomes);
		}
	});

	test.each([
		["a taint", {}, "main", "stays"],
		["other criteria", { country: "GB" }, "main", "released"],
		["another generation", { generation: 1 }, "main", "released"],
		["a rename", {}, "renamed", "released"],
		["a rename with retain", { onDelete: "retain" }, "renamed", "retained"],
	])("follows the create of a replacement, after %s", async (_, change, name, becomes) => {
		const args = name === "renamed" ? change : {};
		const { id, outs } = await create(open().number, aNumber(args));
		const run = open();
		const made = await create(run.number, aNumber(change, name));
		await run.number.delete(id, outs);
		expect([outcomeOf(id), outcomeOf(made.id)]).toEqual([becomes, "stays"]);
		expect(made.id === id).toBe(becomes === "stays");
	});
});

describe("a protection that the program doesn't declare", () => {
	const protect = (id: string) => edit(id, { release_protection: true, label: "by hand" });

	test("stays after a write without a response", async () => {
		const made = await create(open().number, aNumber());
		protect(made.id);
		emulator.control.faults.set({ operation: "patchNumber", status: 500, every: true, phase: "after" });
		const news = aNumber({ metadata: { team: "a" } });
		const failed = await failedUp(open(), news, made);
		emulator.control.faults.clear();
		const { outs } = await upAgain(open(), failed, news);
		expect(emulator.row(made.id)).toMatchObject({ label: null, metadata: { team: "a" } });
		await open().number.delete(made.id, outs);
		expect(outcomeOf(made.id)).toBe("retained");
	});

	test("stays when the number is resumed", async () => {
		const made = await create(open().number, aNumber({ onDelete: "retain" }));
		await open().number.delete(made.id, made.outs);
		protect(made.id);
		const { outs } = await create(open().number, aNumber());
		expect(emulator.row(made.id)).toMatchObject({ label: null });
		await open().number.delete(made.id, outs);
		expect(outcomeOf(made.id)).toBe("retained");
	});
});

describe("a release", () => {
	test("clears the routing first if the service wants that", async () => {
		emulator.control.settings({ refuseReleaseWhileRouted: true });
		const { id, outs } = await create(open().number, aNumber({ routing: { type: "agent", agentId: "a" } }));
		await open().number.delete(id, outs);
		expect(outcomeOf(id)).toBe("released");
	});

	test("writes the routing back if a call keeps the number", async () => {
		const routing = { type: "agent", agentId: "a" };
		const resource = await create(open().number, aNumber({ routing }));
		const before = emulator.row(resource.id)?.routing;
		emulator.control.faults.set({ operation: "releaseNumber", error: "number_in_use", every: true });
		expect((await failureOf(open().number.delete(resource.id, resource.outs))).errorCode).toBe("number_in_use");
		expect(emulator.row(resource.id)?.routing).toMatchObject(before as object);
		expect(await refreshed(open(), resource, aNumber({ routing }))).toMatchObject({ changes: false });
		emulator.control.faults.clear();
		await open().number.delete(resource.id, resource.outs);
		expect(outcomeOf(resource.id)).toBe("released");
	});

	test.each(["unanswered", "empty"] as const)("counts if its response is %s", async (kind) => {
		const { id, outs } = await create(open().number, aNumber());
		let deletes = 0;
		proxy.plan = (_, method) => (method === "DELETE" && deletes++ === 0 ? { kind } : undefined);
		await openProvider(proxy).number.delete(id, outs);
		expect(outcomeOf(id)).toBe("released");
	});

	test.each([
		["port_in_progress", (id: string) => edit(id, { status: "porting_out" })],
		["number_in_use", () => void emulator.control.faults.set({ operation: "releaseNumber", error: "number_in_use" })],
		["release", () => void emulator.control.settings({ features: { release: false } })],
	])("names the way to retain the number if it is refused: %s", async (code, refuse) => {
		const { id, outs } = await create(open().number, aNumber());
		refuse(id);
		const { message } = await failureOf(open().number.delete(id, outs));
		expect(message).toContain('onDelete: "retain"');
		expect(message).toContain(code);
		expect(emulator.released()).toEqual([]);
		emulator.control.faults.clear();
		await open().number.delete(id, (await updated(open(), { id, outs }, aNumber({ onDelete: "retain" }))).outs);
		expect(parseReference(emulator.row(id)?.reference)?.lease).toBe(retainedLease);
	});
});

test("says to note the id of a number retained without references", async () => {
	emulator.control.settings({ features: { reference: false } });
	const { id, outs } = await create(open().number, aNumber({ onDelete: "retain" }));
	const run = open();
	await run.number.delete(id, outs);
	expect(codesOf(run.warnings)).toEqual(["retained"]);
	expect(run.warnings[0]).toContain(`adopt: "${id}"`);
	expect(run.warnings[0]).not.toContain("telephony release");
});
