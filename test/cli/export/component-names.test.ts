/** `telephony export --group-by`: names of the components' own parameters. */
import ts from "typescript";
import { expect, test } from "vitest";
import type { Owned } from "../../../cli/account/account";
import { typescriptFiles } from "../../../cli/export/languages";
import { programOf } from "../../../cli/export/program";

test.each(["Name", "Options", "Self", "Opts"])("a number in a group refers to the trunk %s", (name) => {
	const routing = { type: "trunk", trunk_id: "trk_1" };
	const objects = [
		{
			type: "Number",
			record: { id: "num_1", country: "NL", type: "mobile", status: "active", label: "Desk", routing },
		},
		{ type: "SipTrunk", record: { id: "trk_1", name, capacity: 1, auth: { mode: "digest", username: "office" } } },
	] as unknown as Owned[];
	const program = programOf(objects, { provider: "dynamic", groupBy: "label" });
	const variable = program.resources.find(({ id }) => id === "trk_1")?.name;
	// Parameters of the constructors in TypeScript and in Python.
	expect(["name", "options", "opts", "self"]).not.toContain(variable);
	const { outputText } = ts.transpileModule(typescriptFiles("x", program)["index.ts"] ?? "", {
		compilerOptions: { module: ts.ModuleKind.CommonJS },
	});
	const declared: Record<string, { args: { routing?: { trunkId?: string } } }> = {};
	class Resource {
		readonly id: string;
		constructor(made: string, args: object) {
			this.id = `id of ${made}`;
			declared[made] = { args };
		}
	}
	class ComponentResource {
		registerOutputs() {}
	}
	const packages = { Number: Resource, SipTrunk: Resource, ComponentResource };
	new Function("require", "exports", outputText)(() => packages, {});
	expect(declared.desk?.args.routing?.trunkId).toBe(`id of ${variable}`);
});
