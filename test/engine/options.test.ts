/** Each resource option of the SDK, as docs/limits.md has it: one program uses them all, is changed, and is taken down. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, type ResourceState, type Run, succeeds } from "../helpers/engine";
import { read } from "../helpers/repository";

const emulator = useEmulator({ kyc: "immediate" });

/** What is left of one version of the program. */
interface Seen {
	readonly run: Run;
	readonly state: readonly (ResourceState & { readonly dependencies?: string[]; readonly protect?: boolean })[];
	readonly live: Readonly<Record<string, Record<string, unknown>>>;
	readonly ledger: readonly string[];
}

interface Row {
	/** Statements of the program; `v` is its version, 1 or 2. Resources are named as the option, and `args` buys one. */
	readonly program: string;
	readonly holds: (one: Seen, two: Seen) => void;
}

/** The number of that name in the state. */
const entry = ({ state }: Seen, name: string) => state.find(({ urn }) => urn.endsWith(`Number::${name}`));
/** The same at the service. */
const live = (seen: Seen, name: string) => seen.live[entry(seen, name)?.id ?? ""];
const keeps = (name: string) => (one: Seen, two: Seen) => {
	expect(entry(one, name)?.id).toMatch(/^num_/);
	expect(entry(two, name)?.id).toBe(entry(one, name)?.id);
};
/** Is refused with a sentence; nothing comes of it. */
const refused = (name: string, options: string, sentence: RegExp): Row => ({
	program: `try { new telephony.Number("${name}", args, ${options}) } catch (error) { console.log(error.message) }`,
	holds: ({ run, state }) => {
		expect(run.output).toMatch(sentence);
		expect(state.filter(({ urn }) => urn.includes(`::${name}`))).toEqual([]);
	},
});

const rows: Record<string, Row> = {
	additionalSecretOutputs: {
		program: `new telephony.Number("additionalSecretOutputs", args, { additionalSecretOutputs: ["phoneNumber"] })`,
		holds: (one) => expect(entry(one, "additionalSecretOutputs")?.outputs?.phoneNumber).toHaveProperty("ciphertext"),
	},
	aliases: {
		program: `v === 1
			? new telephony.Number("before", args)
			: new telephony.Number("aliases", args, { aliases: [{ name: "before" }] })`,
		holds: (one, two) => expect(entry(two, "aliases")?.id).toBe(entry(one, "before")?.id),
	},
	customTimeouts: refused(
		"customTimeouts",
		'{ customTimeouts: { create: "1s" } }',
		/"customTimeouts": the option `customTimeouts` is refused: .*`activationTimeoutSeconds`/,
	),
	deleteBeforeReplace: {
		program: `new telephony.Number("deleteBeforeReplace", { ...args, generation: v }, { deleteBeforeReplace: true })`,
		holds: (one, two) => {
			const old = entry(one, "deleteBeforeReplace")?.id;
			const next = entry(two, "deleteBeforeReplace")?.id;
			expect(next).not.toBe(old);
			expect(two.ledger.indexOf(`release ${old}`)).toBeGreaterThan(two.ledger.indexOf(`purchase ${next}`));
		},
	},
	deletedWith: refused("deletedWith", "{ deletedWith: other }", /"deletedWith": the option `deletedWith` is refused: /),
	dependsOn: {
		program: `new telephony.Number("dependsOn", args, { dependsOn: [other] })`,
		holds: (one) => expect(entry(one, "dependsOn")?.dependencies).toEqual([expect.stringMatching(/::other$/)]),
	},
	hideDiffs: {
		program: `new telephony.Number("hideDiffs", { ...args, label: "v" + v }, { hideDiffs: ["label"] })`,
		holds: (_, two) => expect(live(two, "hideDiffs")?.label).toBe("v2"),
	},
	id: {
		program: `telephony.Number.get("id", other.id).phoneNumber.apply((number) => console.log("got " + number))`,
		holds: (one) => expect(one.run.output).toContain(`got ${live(one, "other")?.number}`),
	},
	ignoreChanges: {
		program: `new telephony.Number("ignoreChanges", { ...args, label: "v" + v }, { ignoreChanges: ["label"] })`,
		holds: (_, two) => expect(live(two, "ignoreChanges")?.label).toBe("v1"),
	},
	import: refused(
		"import",
		'{ import: "num_01" }',
		/"import": the option `import` doesn't work .* set the property `adopt`/,
	),
	parent: {
		program: `new telephony.Number("parent", args, { parent: new pulumi.ComponentResource("example:index:Office", "office") })`,
		holds: (one) => expect(entry(one, "parent")?.urn).toContain("::example:index:Office$pulumi-nodejs:"),
	},
	pluginDownloadURL: refused(
		"pluginDownloadURL",
		'{ pluginDownloadURL: "https://plugins.example.com" }',
		/"pluginDownloadURL": the option `pluginDownloadURL` is refused: /,
	),
	protect: {
		program: `new telephony.Number("protect", args, { protect: v === 1 })`,
		holds: (one, two) =>
			expect([entry(one, "protect")?.protect, entry(two, "protect")?.protect]).toEqual([true, undefined]),
	},
	provider: refused(
		"provider",
		'{ provider: new Provider("first") }',
		/"provider": the option `provider` is refused: /,
	),
	providers: refused(
		"providers",
		`{ parent: new pulumi.ComponentResource("example:index:Office", "branch", {}, { providers: [new Provider("second")] }) }`,
		/"providers": the option `provider` is refused: /,
	),
	replaceOnChanges: {
		program: `new telephony.Number("replaceOnChanges", { ...args, label: "v" + v }, { replaceOnChanges: ["label"] })`,
		holds: (one, two) => {
			keeps("replaceOnChanges")(one, two);
			expect(two.run.output).toMatch(/Number replaceOnChanges updated/);
		},
	},
	replaceWith: {
		program: `new telephony.Number("replaceWith", args, {
			replaceWith: [new telephony.Number("replaced", { ...args, generation: v })],
		})`,
		holds: keeps("replaceWith"),
	},
	replacementTrigger: {
		program: `new telephony.Number("replacementTrigger", args, { replacementTrigger: v })`,
		holds: keeps("replacementTrigger"),
	},
	retainOnDelete: {
		program: `if (v === 1) new telephony.Number("retainOnDelete", args, { retainOnDelete: true })`,
		holds: (one, two) => {
			const id = entry(one, "retainOnDelete")?.id ?? "";
			expect(entry(two, "retainOnDelete")).toBeUndefined();
			expect(two.live[id]?.status).toBe("active");
		},
	},
	stateMigrations: {
		program: `new telephony.Number("stateMigrations", args, { stateMigrations: [] })`,
		holds: keeps("stateMigrations"),
	},
	transformations: {
		program: `new telephony.Number("transformations", args, {
			transformations: [({ props, opts }) => ({ props: { ...props, label: "transformed" }, opts })],
		})`,
		holds: (one) => expect(live(one, "transformations")?.label).toBe("transformed"),
	},
	transforms: {
		program: `new telephony.Number("transforms", args, {
			transforms: [({ props, opts }) => ({ props: { ...props, label: "transformed" }, opts })],
		})`,
		holds: (one) => expect(live(one, "transforms")?.label).toBe("transformed"),
	},
	urn: {
		program: `other.urn.apply((urn) => new telephony.Number("urn", undefined, { urn }).phoneNumber.apply((number) => console.log("by urn " + number)))`,
		holds: (one) => expect(one.run.output).toContain(`by urn ${live(one, "other")?.number}`),
	},
	version: refused("version", '{ version: "1.2.3" }', /"version": the option `version` is refused: /),
};

const args = '{ country: "NL", type: "mobile" }';
const program = (version: number) => `
	const v = ${version};
	const args = ${args};
	class Provider extends pulumi.ProviderResource { constructor(name) { super("pulumi-nodejs", name, {}) } }
	const other = new telephony.Number("other", args);
	${Object.values(rows)
		.map((row) => `{ ${row.program} }`)
		.join("\n")}
`;

describe("each resource option", () => {
	const seen: Seen[] = [];
	const look = async (run: Run, state: () => Promise<Seen["state"]>) => {
		expect(run.code, run.output).toBe(0);
		const { numbers } = emulator.control.state();
		seen.push({
			run,
			state: await state(),
			live: Object.fromEntries(numbers.map((number) => [number.id, { ...number }])),
			ledger: emulator.control.ledger().map(({ kind, number_id }) => `${kind} ${number_id}`),
		});
	};

	test("is used in one program, which is changed and taken down", async () => {
		const stack = await createProject({ program: program(1), service: emulator });
		await look(await stack.up(), stack.resources);
		const { code, output } = await stack.destroy("--target", "**::protect");
		expect(code).not.toBe(0);
		expect(output).toMatch(/Number::protect" cannot be deleted\n *because it is protected/);
		stack.write(program(2));
		await look(await stack.up(), stack.resources);
		await succeeds(stack.destroy());
		const left = emulator.control.state().numbers.filter(({ status }) => status !== "released");
		expect(left.map(({ id }) => id)).toEqual([entry(seen[0] as Seen, "retainOnDelete")?.id]);
	});

	test.each(Object.keys(rows))("%s does what the page says", (option) => {
		rows[option]?.holds(seen[0] as Seen, seen[1] as Seen);
	});

	test("envVarMappings does what the page says", async () => {
		const options = '{ envVarMappings: { OTHER_KEY: "TELEPHONY_API_KEY" } }';
		const stack = await createProject({ program: `new telephony.Number("a", ${args}, ${options})`, service: emulator });
		const { code, output } = await stack.up();
		expect(code).not.toBe(0);
		expect(output).toMatch(
			/resource a \[.*telephony:Number\].* envVarMappings can only be used with provider resources/,
		);
	});

	test("hooks does what the page says", async ({ skip }) => {
		const hook = 'new pulumi.ResourceHook("seen", ({ id }) => console.log("the hook saw " + id))';
		const options = `{ hooks: { afterCreate: [${hook}] } }`;
		const stack = await createProject({ program: `new telephony.Number("a", ${args}, ${options})`, service: emulator });
		const { output } = await stack.up();
		skip(output.includes("unknown method RegisterResourceHook"), "the language host here is older than hooks");
		expect(output).toContain(`the hook saw ${(await stack.ids()).a}`);
	});

	test("has a row there, and none is missing", () => {
		const declared = readFileSync(require.resolve("@pulumi/pulumi/resource.d.ts"), "utf8");
		const options = ["ResourceOptions", "CustomResourceOptions", "ComponentResourceOptions"].flatMap((name) => {
			const [, members = ""] =
				new RegExp(`export interface ${name}(?: extends \\w+)? \\{(.*?)^\\}`, "ms").exec(declared) ?? [];
			return [...members.matchAll(/^ {4}(\w+)\?:/gm)].map(([, option]) => option);
		});
		const documented = [...read("docs/limits.md").matchAll(/^\| `(\w+)` \| (?:works|ignored|refused|careful)/gm)];
		expect(documented.map(([, option]) => option)).toEqual(options.sort());
		expect([...Object.keys(rows), "envVarMappings", "hooks"].sort()).toEqual(options);
	});
});
