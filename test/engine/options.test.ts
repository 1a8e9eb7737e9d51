/** Each resource option of the SDK, as docs/limits.md has it: one program uses them all, is changed, and is taken down. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails, type ResourceState, type Run, succeeds } from "../helpers/engine";
import { read } from "../helpers/repository";

const emulator = useEmulator({ kyc: "immediate" });

/** A run of one version of the program, and the state and the account after it. */
interface Seen {
	readonly run: Run;
	readonly state: readonly (ResourceState & { readonly dependencies?: string[]; readonly protect?: boolean })[];
	readonly rows: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
	readonly ledger: readonly string[];
}
interface Row {
	/** Statements of the program; `v` is its version, 1 or 2. Resources have the option's name, and `args` buys one. */
	readonly program: string;
	readonly holds: (first: Seen, second: Seen) => void;
}

const resourceOf = ({ state }: Seen, name: string) => state.find(({ urn }) => urn.endsWith(`Number::${name}`));
const live = (seen: Seen, name: string) => seen.rows.get(resourceOf(seen, name)?.id ?? "");
const keeps = (name: string) => (first: Seen, second: Seen) => {
	expect(resourceOf(first, name)?.id).toMatch(/^num_/);
	expect(resourceOf(second, name)?.id).toBe(resourceOf(first, name)?.id);
};
const uses = (name: string, options: string, more = "") =>
	`new telephony.Number("${name}", { ...args${more} }, { ${options} })`;
const isRefused = (name: string) => new RegExp(`"${name}": the option \`${name}\` is refused: `);
/** The program stops with one sentence, and registers nothing. */
const refused = (name: string, options: string, sentence = isRefused(name)): Readonly<Record<string, Row>> => ({
	[name]: {
		program: `try { ${uses(name, options)} } catch (error) { console.log(error.message) }`,
		holds: ({ run, state }) => {
			expect(run.output).toMatch(sentence);
			expect(state.filter(({ urn }) => urn.includes(`::${name}`))).toEqual([]);
		},
	},
});
const transforming = (name: string): Row => ({
	program: uses(name, `${name}: [({ props, opts }) => ({ props: { ...props, label: "transformed" }, opts })]`),
	holds: (first) => expect(live(first, name)?.label).toBe("transformed"),
});

const branch =
	'new pulumi.ComponentResource("example:index:Office", "branch", {}, { providers: [new Provider("second")] })';
const rows: Readonly<Record<string, Row>> = {
	...refused("customTimeouts", 'customTimeouts: { create: "1s" }', /is refused: .*`activationTimeoutSeconds`/),
	...refused("deletedWith", "deletedWith: other"),
	...refused("import", 'import: "num_01"', /"import": the option `import` doesn't work .* set the property `adopt`/),
	...refused("pluginDownloadURL", 'pluginDownloadURL: "https://plugins.example.com"'),
	...refused("provider", 'provider: new Provider("first")'),
	...refused("providers", `parent: ${branch}`, /"providers": the option `provider` is refused: /),
	...refused("version", 'version: "1.2.3"'),
	additionalSecretOutputs: {
		program: uses("additionalSecretOutputs", 'additionalSecretOutputs: ["phoneNumber"]'),
		holds: (first) =>
			expect(resourceOf(first, "additionalSecretOutputs")?.outputs?.phoneNumber).toHaveProperty("ciphertext"),
	},
	aliases: {
		program: `v === 1 ? ${uses("before", "")} : ${uses("aliases", 'aliases: [{ name: "before" }]')}`,
		holds: (first, second) => expect(resourceOf(second, "aliases")?.id).toBe(resourceOf(first, "before")?.id),
	},
	deleteBeforeReplace: {
		program: uses("deleteBeforeReplace", "deleteBeforeReplace: true", ", generation: v"),
		holds: (first, second) => {
			const [old, next] = [first, second].map((seen) => resourceOf(seen, "deleteBeforeReplace")?.id);
			expect(next).not.toBe(old);
			expect(second.ledger.indexOf(`release ${old}`)).toBeGreaterThan(second.ledger.indexOf(`purchase ${next}`));
		},
	},
	dependsOn: {
		program: uses("dependsOn", "dependsOn: [other]"),
		holds: (first) => expect(resourceOf(first, "dependsOn")?.dependencies).toEqual([expect.stringMatching(/::other$/)]),
	},
	hideDiffs: {
		program: uses("hideDiffs", 'hideDiffs: ["label"]', ', label: "v" + v'),
		holds: (_, second) => expect(live(second, "hideDiffs")?.label).toBe("v2"),
	},
	id: {
		program: `telephony.Number.get("id", other.id).phoneNumber.apply((number) => console.log("got " + number))`,
		holds: (first) => expect(first.run.output).toContain(`got ${live(first, "other")?.number}`),
	},
	ignoreChanges: {
		program: uses("ignoreChanges", 'ignoreChanges: ["label"]', ', label: "v" + v'),
		holds: (_, second) => expect(live(second, "ignoreChanges")?.label).toBe("v1"),
	},
	parent: {
		program: uses("parent", 'parent: new pulumi.ComponentResource("example:index:Office", "office")'),
		holds: (first) => expect(resourceOf(first, "parent")?.urn).toContain("::example:index:Office$pulumi-nodejs:"),
	},
	protect: {
		program: uses("protect", "protect: v === 1"),
		holds: (first, second) =>
			expect([first, second].map((seen) => resourceOf(seen, "protect")?.protect)).toEqual([true, undefined]),
	},
	replaceOnChanges: {
		program: uses("replaceOnChanges", 'replaceOnChanges: ["label"]', ', label: "v" + v'),
		holds: (first, second) => {
			keeps("replaceOnChanges")(first, second);
			expect(second.run.output).toMatch(/Number replaceOnChanges updated/);
		},
	},
	replaceWith: {
		program: uses("replaceWith", `replaceWith: [${uses("replaced", "", ", generation: v")}]`),
		holds: keeps("replaceWith"),
	},
	replacementTrigger: {
		program: uses("replacementTrigger", "replacementTrigger: v"),
		holds: keeps("replacementTrigger"),
	},
	retainOnDelete: {
		program: `if (v === 1) ${uses("retainOnDelete", "retainOnDelete: true")}`,
		holds: (first, second) => {
			expect(resourceOf(second, "retainOnDelete")).toBeUndefined();
			expect(second.rows.get(resourceOf(first, "retainOnDelete")?.id ?? "")?.status).toBe("active");
		},
	},
	stateMigrations: { program: uses("stateMigrations", "stateMigrations: []"), holds: keeps("stateMigrations") },
	transformations: transforming("transformations"),
	transforms: transforming("transforms"),
	urn: {
		program: `other.urn.apply((urn) => new telephony.Number("urn", undefined, { urn }).phoneNumber.apply((number) => console.log("by urn " + number)))`,
		holds: (first) => expect(first.run.output).toContain(`by urn ${live(first, "other")?.number}`),
	},
};

const head = `const args = { country: "NL", type: "mobile" };`;
const program = (version: number) => `
	const v = ${version};
	${head}
	class Provider extends pulumi.ProviderResource { constructor(name) { super("pulumi-nodejs", name, {}) } }
	const other = new telephony.Number("other", args);
	${Object.values(rows)
		.map((row) => `{ ${row.program} }`)
		.join("\n")}
`;

test("works with each option as docs/limits.md says", async () => {
	const stack = await createProject({ program: program(1), service: emulator });
	const observe = async (): Promise<Seen> => ({
		run: await succeeds(stack.up()),
		state: await stack.resources(),
		rows: new Map(emulator.control.state().numbers.map((number) => [number.id, { ...number }])),
		ledger: emulator.control.ledger().map(({ kind, number_id }) => `${kind} ${number_id}`),
	});
	const first = await observe();
	expect(await fails(stack.destroy("--target", "**::protect"))).toMatch(
		/Number::protect" cannot be deleted because it is protected/,
	);
	stack.write(program(2));
	const second = await observe();
	for (const { holds } of Object.values(rows)) holds(first, second);
	await succeeds(stack.destroy());
	expect(emulator.live().map(({ id }) => id)).toEqual([resourceOf(first, "retainOnDelete")?.id]);

	stack.write(`${head} ${uses("a", 'envVarMappings: { OTHER_KEY: "TELEPHONY_API_KEY" }')}`);
	expect(await fails(stack.up())).toMatch(
		/resource a \[.*Number\].* envVarMappings can only be used with provider resources/,
	);
});

test("runs a hook", async ({ skip }) => {
	const hook = 'new pulumi.ResourceHook("seen", ({ id }) => console.log("the hook saw " + id))';
	const stack = await createProject({
		program: `${head} ${uses("a", `hooks: { afterCreate: [${hook}] }`)}`,
		service: emulator,
	});
	const { output } = await stack.up();
	skip(output.includes("unknown method RegisterResourceHook"), "the language host here is older than hooks");
	expect(output).toContain(`the hook saw ${(await stack.ids()).a}`);
});

test("has a row for each option", () => {
	const declared = readFileSync(require.resolve("@pulumi/pulumi/resource.d.ts"), "utf8");
	const options = ["ResourceOptions", "CustomResourceOptions", "ComponentResourceOptions"].flatMap((name) => {
		const pattern = new RegExp(`export interface ${name}(?: extends \\w+)? \\{(.*?)^\\}`, "ms");
		return [...(pattern.exec(declared)?.[1] ?? "").matchAll(/^ {4}(\w+)\?:/gm)].map(([, option]) => option);
	});
	const documented = [...read("docs/limits.md").matchAll(/^\| `(\w+)` \| (?:works|ignored|refused|careful)/gm)];
	expect(documented.map(([, option]) => option)).toEqual(options.sort());
	expect([...Object.keys(rows), "envVarMappings", "hooks"].sort()).toEqual(options);
});
