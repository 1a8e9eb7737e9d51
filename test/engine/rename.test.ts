/** A resource gets another name or parent by an alias or in the state, on the real engine: its number stays. */
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, type Project, seenAt, stepsIn, succeeds } from "../helpers/engine";
import { variations } from "../short.mts";

const emulator = useEmulator({ kyc: "immediate" });
const { kinds } = seenAt(emulator);
const status = (id: string | undefined) => emulator.control.state().numbers.find((row) => row.id === id)?.status;
const reference = (id: string | undefined) =>
	emulator.control.state().numbers.find((row) => row.id === id)?.reference ?? "";

const number = (name: string, options = "{}") =>
	`new telephony.Number("${name}", { country: "NL", type: "mobile" }, ${options});`;
const inComponent = (options: string) => `
	class Office extends pulumi.ComponentResource {
		constructor(name) {
			super("example:index:Office", name);
			${number("support", options)}
		}
	}
	new Office("office");
`;

const stackWith = async (program: string) => {
	const stack = await createProject({ program, service: emulator });
	await succeeds(stack.up());
	return stack;
};

const aliased = variations([
	["another name", number("helpdesk", '{ aliases: [{ name: "support" }] }'), "helpdesk"],
	["a parent", inComponent("{ parent: this, aliases: [{ parent: pulumi.rootStackResource }] }"), "support"],
]);
test.for(aliased)("%s with aliases keeps the number, and claims it anew", async ([, program = "", name = ""]) => {
	const stack = await stackWith(number("support"));
	const { support } = await stack.ids();
	const before = reference(support);
	stack.write(program);
	const renamed = await succeeds(stack.up());
	expect(renamed.output).not.toContain("resourceUrn");
	expect(stepsIn(renamed)).toEqual({ [name]: "update" });
	expect(await stack.ids()).toEqual({ [name]: support });
	expect(kinds()).toEqual(["purchase"]);
	expect(reference(support).split(".")[0]).not.toBe(before.split(".")[0]);
	// The aliases have done their work.
	stack.write(program.replace(/,? ?aliases: \[.*?\]/, ""));
	await expectQuiet(stack);
});

test("`pulumi state rename` and the program renamed with it keep the number", async () => {
	const stack = await stackWith(number("support"));
	const [old] = await stack.resources();
	const before = reference(old?.id);
	await succeeds(stack.pulumi("state", "rename", old?.urn ?? "", "helpdesk", "--yes"));
	stack.write(number("helpdesk"));
	const renamed = await succeeds(stack.up());
	expect(stepsIn(renamed)).toEqual({ helpdesk: "update" });
	expect(await stack.ids()).toEqual({ helpdesk: old?.id });
	expect(kinds()).toEqual(["purchase"]);
	expect(reference(old?.id).split(".")[0]).not.toBe(before.split(".")[0]);
	await succeeds(stack.preview("--expect-no-changes"));
	await succeeds(stack.destroy());
	expect(kinds()).toEqual(["purchase", "release"]);
});

/** `a` and `b` are an entry each, with a number each: `b` the one that `a` had. */
async function expectOneEach(stack: Project, old: string | undefined): Promise<void> {
	const { a = "", b, ...more } = await stack.ids();
	expect({ b, more, kinds: kinds() }).toEqual({ b: old, more: {}, kinds: ["purchase", "purchase"] });
	expect(a).not.toBe(b);
	expect({ aStatus: status(a), bStatus: status(b) }).toEqual({ aStatus: "active", bStatus: "active" });
	expect(reference(a).split(".")[0]).not.toBe(reference(b).split(".")[0]);
	await expectQuiet(stack);
}

// In one run with an alias the engine itself refuses the old name.
test("the old name of a renamed number buys another one, declared last and run alone", async () => {
	const stack = await stackWith(number("a"));
	const { a } = await stack.ids();
	stack.write(number("b", '{ aliases: [{ name: "a" }] }'));
	await succeeds(stack.up());
	stack.write(`${number("b")}\n${number("a")}`);
	await succeeds(stack.up("--target", "**::a"));
	await expectOneEach(stack, a);
});

test("so it does in the very run after `pulumi state rename`, declared first", async () => {
	const stack = await stackWith(number("a"));
	const [old] = await stack.resources();
	await succeeds(stack.pulumi("state", "rename", old?.urn ?? "", "b", "--yes"));
	stack.write(`${number("a")}\n${number("b")}`);
	await succeeds(stack.up());
	await expectOneEach(stack, old?.id);
});
