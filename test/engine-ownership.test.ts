/** Whose a number is, on the real engine: two states of one name, replacements, and numbers that are adopted. */
import { expect, test } from "vitest";
import { useEmulator } from "./helpers/emulator";
import { createProject } from "./helpers/engine";

const emulator = useEmulator({ kyc: "immediate" });
const kinds = () => emulator.control.ledger().map(({ kind }) => kind);
const number = (id: string | undefined) => emulator.control.state().numbers.find((row) => row.id === id);
const flat = (output: string) => output.replaceAll(/\s+/g, " ");
const program = 'new telephony.Number("support", { country: "NL", type: "mobile" });';

test("a second state of the same stack is refused with the ways out, and with an owner buys its own", async () => {
	const first = await createProject({ program, service: emulator });
	expect((await first.up()).code).toBe(0);
	const { support } = await first.ids();
	const before = number(support);

	const second = await createProject({ program, service: emulator });
	const refused = await second.up();
	expect(refused.code).not.toBe(0);
	for (const part of [support ?? "", "telephony:owner", "adopt", "generation", "untaint"]) {
		expect(flat(refused.output)).toContain(part);
	}
	expect([kinds(), number(support)]).toEqual([["purchase"], before]);

	await second.pulumi("config", "set", "telephony:owner", "second");
	const own = await second.up();
	expect(own.code, own.output).toBe(0);
	expect((await second.ids()).support).not.toBe(support);
	const gone = await second.destroy();
	expect(gone.code, gone.output).toBe(0);
	expect([kinds(), number(support)]).toEqual([["purchase", "purchase", "release"], before]);
	expect((await first.drift()).code).toBe(0);
});

test.for([{}, { reference: false }])("--replace and taint keep the number; features: %j", async (features) => {
	emulator.control.settings({ features });
	const stack = await createProject({ program, service: emulator });
	await stack.up();
	const [entry] = await stack.resources();
	// A service without references needs to have the number seen in the same run.
	const seen = "reference" in features ? ["--refresh"] : [];
	const replaced = await stack.up("--replace", entry?.urn ?? "", ...seen);
	expect(replaced.code, replaced.output).toBe(0);
	await stack.pulumi("state", "taint", entry?.urn ?? "", "--yes");
	const untainted = await stack.up(...seen);
	expect(untainted.code, untainted.output).toBe(0);
	expect([(await stack.ids()).support, kinds()]).toEqual([entry?.id, ["purchase"]]);
	expect(number(entry?.id)?.status).toBe("active");
	expect((await stack.drift()).code).toBe(0);
	const destroyed = await stack.destroy();
	expect(destroyed.code, destroyed.output).toBe(0);
	expect(kinds()).toEqual(["purchase", "release"]);
});

test("a number that is adopted is configured, kept when adopt is removed, and kept by destroy", async () => {
	const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
	const adopting = (adopt?: string, more = {}) =>
		`new telephony.Number("old", ${JSON.stringify({ country: "NL", type: "mobile", label: "old", adopt, ...more })});`;
	const stack = await createProject({ program: adopting("num_none"), service: emulator });
	const unknown = await stack.up();
	expect([unknown.code === 0, flat(unknown.output).includes("adopt: there is no number num_none")]).toEqual([
		false,
		true,
	]);

	stack.write(adopting(String(body.number)));
	const up = await stack.up();
	expect(up.code, up.output).toBe(0);
	expect([(await stack.ids()).old, number(body.id)?.label]).toEqual([body.id, "old"]);
	stack.write(adopting("num_other"));
	expect(flat((await stack.preview()).output)).toContain("adopt: it is read only when a resource is created");
	stack.write(adopting());
	const preview = await stack.preview("--expect-no-changes");
	expect(preview.code, preview.output).toBe(0);

	const destroy = await stack.destroy();
	expect(destroy.code, destroy.output).toBe(0);
	expect(number(body.id)).toMatchObject({ status: "active", reference: null });
	expect(kinds()).toEqual(["purchase"]);
});
