/** Changes of a program: in place, by a replacement, or under another name. The ledger judges that no number gets lost. */
import { expect, test, vi } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, type Project, plugin, stepsIn, succeeds } from "../helpers/engine";
import { replacing, taint, tell, urnOf, withSite } from "../helpers/story";

vi.setConfig({ testTimeout: 600_000 });
const emulator = useEmulator({ kyc: "immediate" });

/** Numbers that depend on another one, and on a trunk. */
const office = (label: string) => `
	const trunk = new telephony.SipTrunk("trunk", { auth: { mode: "digest", username: "${label}" }, capacity: 2, name: "${label}" });
	const args = { country: "NL", type: "mobile" };
	const main = new telephony.Number("main", { ...args, label: "${label}" });
	new telephony.Number("byId", { ...args, routing: { type: "trunk", trunkId: trunk.id }, label: main.id, metadata: { country: main.country } });
	new telephony.Number("byNumber", { ...args, label: main.phoneNumber });
	new telephony.Number("bySipDomain", { ...args, label: trunk.sipDomain });`;

test("previews a change of what depends on an output, and makes none", async () => {
	const stack = await createProject({ program: office("first"), service: emulator });
	await succeeds(stack.up());
	stack.write(office("second"));
	const updates = { trunk: "update", main: "update" };
	// docs/limits.md, "Previews": the preview of an update knows the resource's id, and no other output.
	expect(stepsIn(await stack.preview())).toEqual({ ...updates, byNumber: "update", bySipDomain: "update" });
	expect(stepsIn(await succeeds(stack.up()))).toEqual(updates);
	expect(emulator.kinds()).toEqual(Array(4).fill("purchase"));
	await expectQuiet(stack);
});

const number = (name: string, args: object = {}, options = "{}") =>
	`new telephony.Number("${name}", ${JSON.stringify({ country: "NL", type: "geographic", area: "20", ...args })}, ${options});\n`;
const retained = (name: string, args: object = {}, options = "{}") =>
	number(name, { onDelete: "retain", ...args }, options);
const officeOf = (options: string) => `
	class Office extends pulumi.ComponentResource {
		constructor() {
			super("example:index:Office", "office");
			${retained("a", {}, options)}
		}
	}
	new Office();
`;
const renamed = (from: string, to: string) => async (stack: Project) =>
	succeeds(stack.pulumi("state", "rename", await urnOf(stack, from), to, "--yes"));

test("keeps or retains a number under each refactoring", async () => {
	const stack = await createProject({ service: emulator, front: plugin });
	const [a, b, inOffice] = [retained("a"), number("b"), officeOf("{ parent: this }")];
	const formerly = (name: string) => `{ aliases: [{ name: "${name}" }] }`;
	const [d10, has, d] = [{ area: "10" }, { a: "first" }, { d: "last" }];
	const replaced = { buys: 1, releases: ["d"], notes: { last: "d" } };
	await tell(stack, emulator, [
		{ name: "first up", program: a + b, buys: 2, notes: { first: "a" } },
		{ name: "rename", program: retained("c") + b, buys: 1, says: "retained" },
		{ name: "rename back", program: a + b, has, says: "resumed" },
		{ name: "move into a component", program: inOffice + b, buys: 1, says: "retained" },
		{ name: "move back", program: a + b, has, says: "resumed" },
		{
			name: "move with an alias",
			program: officeOf("{ parent: this, aliases: [{ parent: pulumi.rootStackResource }] }") + b,
			...{ has, steps: { a: "update" } },
		},
		{ name: "without the alias", program: inOffice + b, steps: {} },
		{ name: "rename with an alias", program: inOffice + number("d", {}, formerly("b")), has: { d: "b" } },
		{ name: "rename in the state", first: renamed("d", "b"), program: inOffice + b, steps: { b: "update" } },
		// In one run, the engine may ask for the new resource before it reports the renamed one: docs/guarantees.md.
		{ name: "another name", first: renamed("b", "e"), program: inOffice + number("e"), steps: { e: "update" } },
		{ name: "the old name", program: inOffice + b + number("e"), buys: 1, steps: { b: "create" } },
		{ name: "remove and add", program: a + number("d"), buys: 2, releases: ["b", "e"], notes: { first: "a" } },
		{ name: "another area, retained", program: retained("a", d10) + number("d"), buys: 1, says: "retained" },
		{ name: "another area, released", program: a + number("d", d10), buys: 1, releases: ["d"], has },
		{ name: "generation", program: a + number("d", { ...d10, generation: 1 }), ...replaced },
		{ name: "taint", first: taint("d"), has: d },
		{ name: "--replace", args: replacing("a", "d"), has: { ...has, ...d } },
		{ name: "taint, another area", first: taint("d"), program: a + number("d"), ...replaced },
		{ name: "--target", program: a + number("f"), args: async () => ["--target", "**::f"], buys: 1, has: d },
		{ name: "removal", program: number("f"), releases: ["d"], says: "retained" },
	]);
	await expectQuiet(stack);
	await succeeds(stack.destroy());
	expect(await stack.ids()).toEqual({});
	const leases = emulator.live().map(({ reference }) => reference?.split("~")[0]?.split(".")[3]);
	expect(new Set(leases)).toEqual(new Set(["left"]));
});

const afterSite = (version: number, area: string) =>
	withSite(
		{ version, area, generation: 0 },
		`new telephony.Number("main", { country: "NL", type: "geographic", area: site.area, generation: site.generation });`,
	);

test("keeps a number though the engine deletes first", async () => {
	const stack = await createProject({ program: afterSite(1, "20"), service: emulator });
	await succeeds(stack.up());
	const { main } = await stack.ids();
	stack.write(afterSite(2, "20"));
	expect((await succeeds(stack.up())).output).toMatch(/dynamic:Resource site delet/);
	expect({ ids: await stack.ids(), kinds: emulator.kinds() }).toEqual({ ids: { main }, kinds: ["purchase"] });
	stack.write(afterSite(3, "10"));
	await succeeds(stack.up());
	expect(emulator.kinds()).toEqual(["purchase", "purchase", "release"]);
	expect(emulator.released()).toEqual([main]);
	await expectQuiet(stack);
});
