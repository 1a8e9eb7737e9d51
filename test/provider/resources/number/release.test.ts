/** What a delete does with a number: rule 2 of the design. */
import { describe, expect, test } from "vitest";
import { leftLease, parseReference } from "../../../../provider/ownership/reference";
import type { Values } from "../../../../provider/properties/table";
import { useEmulator } from "../../../helpers/emulator";
import { useFaultProxy } from "../../../helpers/fault-proxy";
import { aNumber, checked, create, failureOf, openProvider, type ProviderOptions } from "../../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);
const open = (options: ProviderOptions = {}) => openProvider(emulator, options);
type Made = Awaited<ReturnType<typeof create>>;
const edit = (id: string, patch: object) => emulator.edit("number", id, patch);
const codesOf = (warnings: readonly string[]) => warnings.map((each) => /\[telephony:([\w-]+)\]/.exec(each)?.[1]);

/** What has become of a number. */
const fateOf = (id: string) => {
	const { status, reference } = emulator.row(id) ?? {};
	if (status !== "active") return status;
	return parseReference(reference)?.lease === leftLease ? "left" : "kept";
};

const elsewhere = { ...aNumber(), resourceUrn: String(aNumber().resourceUrn).replace("dev::shop", "prod::shop") };

interface Case {
	readonly title: string;
	readonly args?: Values;
	readonly config?: ProviderOptions["config"];
	/** What happens between the purchase and the delete. */
	readonly between?: (made: Made) => unknown;
	readonly becomes: "released" | "left" | "kept";
	readonly warns?: string;
}

const cases: readonly Case[] = [
	{ title: "onDelete is release", args: { onDelete: "release" }, becomes: "released" },
	{ title: "telephony:onDelete is release", becomes: "released" },
	{ title: "onDelete is retain", args: { onDelete: "retain" }, becomes: "left", warns: "kept" },
	{ title: "nothing says so", config: { "telephony:onDelete": "" }, becomes: "left", warns: "kept" },
	{ title: "releaseProtection is set", args: { releaseProtection: true }, becomes: "left", warns: "kept" },
	{
		title: "the service protects it",
		between: ({ id }) => edit(id, { release_protection: true }),
		becomes: "left",
		warns: "kept",
	},
	{
		title: "its declared protection is lifted at the service",
		args: { releaseProtection: true },
		between: ({ id }) => edit(id, { release_protection: false }),
		becomes: "left",
		warns: "kept",
	},
	{ title: "its reference is cleared", between: ({ id }) => edit(id, { reference: null }), becomes: "released" },
	{
		title: "its reference is cleared and onDelete is retain",
		args: { onDelete: "retain" },
		between: ({ id }) => edit(id, { reference: null }),
		becomes: "left",
		warns: "kept",
	},
	{
		title: "another program's reference is on it",
		between: ({ id }) => edit(id, { reference: "order 4711" }),
		becomes: "kept",
		warns: "claimed",
	},
	{
		title: "another stack has adopted it",
		between: async ({ id }) => {
			edit(id, { reference: null });
			await create(open().number, { ...elsewhere, adopt: id });
		},
		becomes: "kept",
		warns: "claimed",
	},
	{
		title: "the same stack name in another state has claimed it",
		between: async ({ id }) => {
			edit(id, { reference: null });
			await create(open({ place: "https://other.example" }).number, aNumber({ adopt: id }));
		},
		becomes: "kept",
		warns: "claimed",
	},
	{
		title: "a later run has resumed it",
		between: () => create(open().number, aNumber()),
		becomes: "kept",
		warns: "claimed",
	},
	{
		title: "another resource of this stack has adopted it",
		between: async ({ id }) => {
			edit(id, { reference: null });
			await create(open().number, aNumber({ adopt: id }, "other"));
		},
		becomes: "kept",
		warns: "claimed",
	},
];

describe("a delete", () => {
	test.each(cases)("when $title: $becomes", async ({ args, config = {}, between, becomes, warns }) => {
		const made = await create(open({ config }).number, aNumber({ label: "desk", ...args }));
		await between?.(made);
		const { reference, ...before } = emulator.row(made.id) ?? {};
		const run = open();
		await run.number.delete(made.id, made.outs);
		expect({ becomes: fateOf(made.id), warns: codesOf(run.warnings) }).toEqual({
			becomes,
			warns: warns ? [warns] : [],
		});
		if (becomes === "released") return;
		const { reference: after, ...now } = { updated_at: "", ...emulator.row(made.id) };
		expect(now).toEqual({ ...before, updated_at: now.updated_at });
		if (becomes === "kept") expect(after).toBe(reference);
	});

	test("acts on the saved state, not on the program or the configuration of today", async () => {
		const [kept, gone] = [
			await create(open().number, aNumber({ onDelete: "retain" }, "kept")),
			await create(open().number, aNumber({ onDelete: "release" }, "gone")),
		];
		for (const setting of ["release", "retain"])
			for (const { id, outs } of [kept, gone])
				await open({ config: { "telephony:onDelete": setting } }).number.delete(id, outs);
		expect([fateOf(kept.id), fateOf(gone.id)]).toEqual(["left", "released"]);
	});

	test.each([{}, { country: "GB" }, { generation: 1 }])(
		"keeps a number that the same run has resumed after a taint, and ends one of other criteria: %j",
		async (change) => {
			const { id, outs } = await create(open().number, aNumber());
			const run = open();
			const made = await create(run.number, aNumber(change));
			await run.number.delete(id, outs);
			const isSame = Object.keys(change).length === 0;
			expect(made.id === id).toBe(isSame);
			expect([fateOf(id), fateOf(made.id)]).toEqual([isSame ? "kept" : "released", "kept"]);
			expect(emulator.purchases()).toHaveLength(isSame ? 1 : 2);
		},
	);

	test.each(["retain", "release"])("after a rename without aliases follows onDelete: %s", async (onDelete) => {
		const old = await create(open().number, aNumber({ onDelete }, "old"));
		const renamed = open();
		const made = await create(renamed.number, aNumber({ onDelete }, "new"));
		await renamed.number.delete(old.id, old.outs);
		expect([fateOf(old.id), fateOf(made.id)]).toEqual([onDelete === "retain" ? "left" : "released", "kept"]);
		const back = open();
		const again = await create(back.number, aNumber({ onDelete }, "old"));
		await back.number.delete(made.id, made.outs);
		expect(again.id === old.id).toBe(onDelete === "retain");
		expect(emulator.purchases()).toHaveLength(onDelete === "retain" ? 2 : 3);
	});

	test.each([
		["released", (id: string) => emulator.control.deleteNumber(id)],
		["failed", (id: string) => emulator.control.decide(id, "expire")],
	])("of a number that is %s requests nothing", async (status, end) => {
		emulator.control.settings({ softDelete: true });
		emulator.control.kyc("manual");
		const { id, outs } = await create(open().number, aNumber({ country: "DE", waitForActive: false }));
		end(id);
		expect(emulator.row(id)?.status).toBe(status);
		const before = emulator.requests().length;
		await open().number.delete(id, outs);
		expect(emulator.writes(before)).toEqual([]);
	});

	test.each(["retain", "release"])("works at a service without references: %s", async (onDelete) => {
		emulator.control.settings({ features: { reference: false } });
		const { id, outs } = await create(open().number, aNumber({ onDelete }));
		const before = emulator.requests().length;
		await open().number.delete(id, outs);
		expect(emulator.writes(before)).toEqual(onDelete === "retain" ? [] : [`DELETE /numbers/${id}`]);
	});
});

describe("a release", () => {
	test("clears the routing first if the service wants that", async () => {
		emulator.control.settings({ refuseReleaseWhileRouted: true });
		const { id, outs } = await create(open().number, aNumber({ routing: { type: "agent", agentId: "a" } }));
		await open().number.delete(id, outs);
		expect(fateOf(id)).toBe("released");
	});

	test.each(["unanswered", "empty"] as const)("counts if its response is %s", async (kind) => {
		const { id, outs } = await create(open().number, aNumber());
		let seen = 0;
		proxy.plan = (_, method) => (method === "DELETE" && seen++ === 0 ? { kind } : undefined);
		await openProvider(proxy).number.delete(id, outs);
		expect(fateOf(id)).toBe("released");
	});

	test.each([
		["port_in_progress", (id: string) => edit(id, { status: "porting_out" })],
		["number_in_use", () => void emulator.control.faults.set({ operation: "releaseNumber", error: "number_in_use" })],
		["release", () => void emulator.control.settings({ features: { release: false } })],
	])("that the service refuses fails and tells how to leave the number: %s", async (code, refuse) => {
		const { id, outs } = await create(open().number, aNumber());
		refuse(id);
		const { message } = await failureOf(open().number.delete(id, outs));
		expect(message).toContain('onDelete: "retain"');
		expect(message).toContain(code);
		expect(emulator.released()).toEqual([]);
		emulator.control.faults.clear();
		const retained = await checked(open().number, aNumber({ onDelete: "retain" }));
		await open().number.delete(id, (await open().number.update(id, outs, retained)).outs);
		expect(parseReference(String(emulator.row(id)?.reference))?.lease).toBe(leftLease);
	});
});

test("a purchase over a TLS connection that can't be trusted is not made, and is not tried again", async () => {
	const away = openProvider({ url: emulator.url.replace("http:", "https:"), apiKey: emulator.apiKey });
	const { client } = await away.session.service();
	const error = await failureOf(client.numbers.buy({ country: "NL", type: "mobile" }));
	expect(error).toMatchObject({ kind: "Config", message: expect.stringContaining("NODE_EXTRA_CA_CERTS") });
	expect(away.clock.slept).toEqual([]);
});

describe("a number that is released outside Pulumi and restored", () => {
	const news = aNumber({ label: "desk" });
	const toIt = async (id: string, method: "DELETE" | "POST", path = "") => {
		const { status } = await emulator.call(method, `/numbers/${id}${path}`);
		expect(status).toBeLessThan(300);
	};

	test("before a run reads it shows no change", async () => {
		const { id, outs } = await create(open().number, news);
		await toIt(id, "DELETE");
		await toIt(id, "POST", "/restore");
		const run = open();
		const read = await run.number.read(id, outs);
		expect({ id: read.id, warnings: run.warnings }).toEqual({ id, warnings: [] });
		expect((await run.number.diff(id, read.props ?? {}, await checked(run.number, news))).changes).toBe(false);
	});

	test("after a refresh took it out of the state is resumed by the next up", async () => {
		const { id, outs } = await create(open().number, news);
		await toIt(id, "DELETE");
		const refresh = open();
		expect((await refresh.number.read(id, outs)).id).toBeUndefined();
		expect(codesOf(refresh.warnings)).toEqual(["released-outside"]);
		await toIt(id, "POST", "/restore");
		const up = open();
		const again = await create(up.number, news);
		expect({ id: again.id, number: again.outs.phoneNumber }).toEqual({ id, number: outs.phoneNumber });
		expect(emulator.kinds()).toEqual(["purchase", "release", "restore"]);
		expect(codesOf(up.warnings)).toEqual(["taken-over"]);
		expect(emulator.row(id)).toMatchObject({
			label: "desk",
			reference: expect.stringContaining(String(again.outs.lease)),
		});
	});
});
