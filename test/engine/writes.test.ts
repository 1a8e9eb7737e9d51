/** Writes that the service refuses, or doesn't answer, and numbers that the engine would replace, on the real engine. */
import { expect, test, vi } from "vitest";
import { pathsIn, reported } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, type Project, stepsIn } from "../helpers/engine";

// A test here is up to nine runs of the engine.
vi.setConfig({ testTimeout: 300_000 });
const emulator = useEmulator({ kyc: "immediate" });
const kinds = () => emulator.control.ledger().map(({ kind }) => kind);
const row = (id: string | undefined) => emulator.control.state().numbers.find((number) => number.id === id);
const flat = ({ output }: { output: string }) => output.replaceAll(/\s+/g, " ");

const up = async (stack: Project, ...args: string[]) => {
	const done = await stack.up(...args);
	expect(done.code, done.output).toBe(0);
	return done;
};
const number = (args: object = {}) =>
	`new telephony.Number("main", ${JSON.stringify({ country: "NL", type: "geographic", ...args })});`;

test.each([403, 500])("what a PATCH answered %i didn't clear is named until the next up clears it", async (status) => {
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
	await up(stack);
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
		emulator.control.faults.set({ operation, every: true, kind: "status", status });
	// Without --continue-on-error the first refusal can end the run before the other updates are sent.
	expect((await stack.up("--continue-on-error")).code).not.toBe(0);
	emulator.control.faults.clear();
	expect(live()).toEqual(before);

	const names = Object.keys(ids).sort();
	const preview = await stack.preview();
	expect(stepsIn(preview), preview.output).toEqual(Object.fromEntries(names.map((name) => [name, "update"])));
	const refresh = await stack.drift();
	expect(refresh.code, refresh.output).not.toBe(0);
	expect(Object.keys(stepsIn(refresh)).sort(), refresh.output).toEqual(names);
	const drift = await reported(stack);
	expect([drift.code, pathsIn(drift.report)], drift.output).toEqual([
		7,
		{ labelled: ["label"], nested: ["routing.ringTimeoutSeconds"], routed: ["routing"], trunk: ["targets"] },
	]);

	await up(stack);
	expect(live()).toEqual({ routed: null, nested: false, labelled: null, trunk: 0 });
	const clean = await stack.preview("--expect-no-changes");
	expect(clean.code, clean.output).toBe(0);
	const after = await stack.drift();
	expect(after.code, after.output).toBe(0);
});

test.each(["create", "update"])("what a %s wrote without an answer is its own: destroy releases it", async (step) => {
	const stack = await createProject({ program: number(), service: emulator });
	if (step === "update") await up(stack);
	stack.write(number({ label: "Front desk" }));
	emulator.control.faults.set({ operation: "patchNumber", every: true, kind: "reset", phase: "after" });
	expect((await stack.up()).code).not.toBe(0);
	emulator.control.faults.clear();
	const { main } = await stack.ids();
	expect(row(main)).toMatchObject({ label: "Front desk", status: "active" });
	const destroy = await stack.destroy();
	expect(destroy.code, destroy.output).toBe(0);
	expect([kinds(), row(main)?.status, await stack.resources()]).toEqual([["purchase", "release"], "released", []]);
});

test.each(["taint", "--replace"])("%s with another area keeps the old number, and names it", async (how) => {
	const stack = await createProject({ program: number({ area: "20" }), service: emulator });
	await up(stack);
	const [old] = await stack.resources();
	const urn = old?.urn ?? "";
	stack.write(number({ area: "10" }));
	if (how === "taint") await stack.pulumi("state", "taint", urn, "--yes");
	const refused = await stack.up(...(how === "taint" ? [] : ["--replace", urn]));
	expect(refused.code, refused.output).not.toBe(0);
	expect(flat(refused)).toContain(`${old?.id}`);
	expect(flat(refused)).toContain("allowReplacement: true");
	expect([row(old?.id)?.status, kinds().includes("release")]).toEqual(["active", false]);

	stack.write(number({ area: "10", allowReplacement: true }));
	await up(stack);
	expect(row(old?.id)?.status).toBe("released");
	expect([(await stack.resources()).length, row((await stack.ids()).main)]).toMatchObject([
		1,
		{ area: "10", status: "active" },
	]);
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

test("a resource that is deleted first, and hands on the same area, costs no number; another area is refused", async () => {
	const stack = await createProject({ program: afterSite(1, "20"), service: emulator });
	await up(stack);
	const { main } = await stack.ids();
	stack.write(afterSite(2, "20"));
	const replaced = await up(stack);
	expect(replaced.output).toMatch(/dynamic:Resource site delet/);
	expect([await stack.ids(), kinds(), row(main)?.status]).toEqual([{ main }, ["purchase"], "active"]);

	stack.write(afterSite(3, "10"));
	const other = await stack.up();
	expect(other.code, other.output).not.toBe(0);
	expect(flat(other)).toContain("allowReplacement");
	expect([await stack.ids(), kinds(), row(main)?.status]).toEqual([{ main }, ["purchase"], "active"]);
});

/** Verbatim names make the engine delete before it creates. */
const deletingFirst = async () => {
	const stack = await createProject({ program: number(), service: emulator });
	await stack.pulumi("config", "set", "--path", "pulumi:autonaming.mode", "verbatim");
	await up(stack);
	stack.write(number({ generation: 1 }));
	const { main = "" } = await stack.ids();
	return { stack, main };
};
const waits = /Kept number .* until this run has bought its successor/;
const steps = () => emulator.control.ledger().map(({ kind, number_id }) => [kind, number_id]);

test("where the engine deletes first, the old number is released once its successor is bought", async () => {
	const { stack, main } = await deletingFirst();
	expect(flat(await up(stack))).toMatch(waits);
	const { main: successor } = await stack.ids();
	expect(steps()).toEqual([
		["purchase", main],
		["purchase", successor],
		["release", main],
	]);
	expect([main === successor, row(successor)?.status]).toEqual([false, "active"]);
});

test("where the engine deletes first, and nothing is left to buy, the old number is kept and named", async () => {
	const { stack, main } = await deletingFirst();
	emulator.control.settings({ numbersMax: 1 });
	const refused = await stack.up();
	expect(refused.code, refused.output).not.toBe(0);
	expect(flat(refused)).toMatch(waits);
	expect(flat(refused)).toContain(main);
	expect([kinds(), row(main)?.status]).toEqual([["purchase"], "active"]);
	// The old generation still finds it.
	stack.write(number());
	await up(stack);
	expect([await stack.ids(), kinds()]).toEqual([{ main }, ["purchase"]]);
});
