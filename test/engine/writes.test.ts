/** Writes that the service refuses, or doesn't answer, and numbers that the engine would replace, on the real engine. */
import { expect, test, vi } from "vitest";
import { pathsIn, reported } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, fails, seenAt, stepsIn, succeeds } from "../helpers/engine";

// A test here is up to nine runs of the engine.
vi.setConfig({ testTimeout: 300_000 });
const emulator = useEmulator({ kyc: "immediate" });
const { kinds, number: row } = seenAt(emulator);

const number = (args: object = {}) =>
	`new telephony.Number("main", ${JSON.stringify({ country: "NL", type: "geographic", ...args })});`;

test("what a PATCH answered 500 didn't clear is named until the next up clears it", async () => {
	const routing = { type: "forward", to: "+31201234567" };
	const all = (isDeclared: boolean) => `
		const more = ${isDeclared};
		const own = { country: "US", type: "mobile" };
		new telephony.Number("routed", { ...own, ...(more ? ${JSON.stringify({ routing })} : {}) });
		new telephony.Number("nested", { ...own, routing: { ...${JSON.stringify(routing)}, ringTimeoutSeconds: more ? 25 : undefined } });
		new telephony.Number("labelled", { ...own, ...(more ? { label: "Front desk" } : {}) });
		new telephony.SipTrunk("trunk", {
			auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] },
			capacity: 2,
			...(more ? { targets: [{ host: "pbx.example.com" }] } : {}),
		});`;
	const stack = await createProject({ program: all(true), service: emulator });
	await succeeds(stack.up());
	const ids = await stack.ids();
	const live = () => {
		const nested = row(ids.nested)?.routing as { ring_timeout_seconds?: number } | null | undefined;
		return {
			routed: row(ids.routed)?.routing?.type ?? null,
			nested: nested?.ring_timeout_seconds === 25,
			labelled: row(ids.labelled)?.label ?? null,
			trunk: emulator.control.state().trunks[0]?.targets?.length ?? 0,
		};
	};
	const before = live();
	expect(before).toEqual({ routed: "forward", nested: true, labelled: "Front desk", trunk: 1 });

	stack.write(all(false));
	for (const operation of ["patchNumber", "patchTrunk"] as const)
		emulator.control.faults.set({ operation, every: true, kind: "status", status: 500 });
	// Without --continue-on-error the first refusal can end the run before the other updates are sent.
	await fails(stack.up("--continue-on-error"));
	emulator.control.faults.clear();
	expect(live()).toEqual(before);

	const names = Object.keys(ids).sort();
	const preview = await stack.preview();
	expect(stepsIn(preview), preview.output).toEqual(Object.fromEntries(names.map((name) => [name, "update"])));
	const refresh = await stack.drift();
	expect(refresh.code, refresh.output).not.toBe(0);
	expect(Object.keys(stepsIn(refresh)).sort(), refresh.output).toEqual(names);
	const drift = await reported(stack);
	expect(drift.code, drift.output).toBe(7);
	expect(pathsIn(drift.report), drift.output).toEqual({
		labelled: ["label"],
		nested: ["routing.ringTimeoutSeconds"],
		routed: ["routing"],
		trunk: ["targets"],
	});

	await succeeds(stack.up());
	expect(live()).toEqual({ routed: null, nested: false, labelled: null, trunk: 0 });
	await expectQuiet(stack);
});

test.each(["create", "update"])("what a %s wrote without an answer is its own: destroy releases it", async (step) => {
	const stack = await createProject({ program: number(), service: emulator });
	if (step === "update") await succeeds(stack.up());
	stack.write(number({ label: "Front desk" }));
	emulator.control.faults.set({ operation: "patchNumber", every: true, kind: "reset", phase: "after" });
	await fails(stack.up());
	emulator.control.faults.clear();
	const { main } = await stack.ids();
	expect(row(main)).toMatchObject({ label: "Front desk", status: "active" });
	await succeeds(stack.destroy());
	expect(kinds()).toEqual(["purchase", "release"]);
	expect(row(main)?.status).toBe("released");
	expect(await stack.resources()).toEqual([]);
});

test("taint with another area buys one, and releases the old one as the state says", async () => {
	const stack = await createProject({ program: number({ area: "20" }), service: emulator });
	await succeeds(stack.up());
	const [old] = await stack.resources();
	stack.write(number({ area: "10" }));
	await stack.pulumi("state", "taint", old?.urn ?? "", "--yes");
	await succeeds(stack.up());
	expect(row(old?.id)?.status).toBe("released");
	expect(row((await stack.ids()).main)).toMatchObject({ area: "10", status: "active" });
	expect(kinds()).toEqual(["purchase", "purchase", "release"]);
});

/** A resource of another provider, which is deleted before it is made anew, with its area as it was or not. */
const afterSite = (version: number, area: string) => `
	const provider = {
		async create(inputs) { return { id: "site-" + inputs.version, outs: inputs }; },
		async diff(_, olds, news) {
			const changes = olds.version !== news.version;
			return { changes, replaces: changes ? ["version"] : [], deleteBeforeReplace: true };
		},
	};
	class Site extends pulumi.dynamic.Resource {
		constructor(name, args) { super(provider, name, args); }
	}
	const site = new Site("site", { version: ${version}, area: "${area}", generation: 0 });
	new telephony.Number("main", { country: "NL", type: "geographic", area: site.area, generation: site.generation });`;

test("a resource that is deleted first, and hands on the same area, costs no number; another area replaces it", async () => {
	const stack = await createProject({ program: afterSite(1, "20"), service: emulator });
	await succeeds(stack.up());
	const { main } = await stack.ids();
	stack.write(afterSite(2, "20"));
	const replaced = await succeeds(stack.up());
	expect(replaced.output).toMatch(/dynamic:Resource site delet/);
	expect(await stack.ids()).toEqual({ main });
	expect(kinds()).toEqual(["purchase"]);
	expect(row(main)?.status).toBe("active");

	stack.write(afterSite(3, "10"));
	await succeeds(stack.up());
	expect(kinds()).toEqual(["purchase", "purchase", "release"]);
	expect(row(main)?.status).toBe("released");
});

test.each(["release", "retain"] as const)(
	"where the engine deletes first, the old number ends by its saved %s",
	async (onDelete) => {
		const stack = await createProject({ program: number({ onDelete }), service: emulator });
		// Verbatim names make the engine delete before it creates.
		await stack.pulumi("config", "set", "--path", "pulumi:autonaming.mode", "verbatim");
		await succeeds(stack.up());
		const { main } = await stack.ids();
		stack.write(number({ onDelete, generation: 1 }));
		await succeeds(stack.up());
		const retained = onDelete === "retain";
		expect(kinds()).toEqual(retained ? ["purchase", "purchase"] : ["purchase", "release", "purchase"]);
		expect(row(main)?.status).toBe(retained ? "active" : "released");
		await expectQuiet(stack);
	},
);
