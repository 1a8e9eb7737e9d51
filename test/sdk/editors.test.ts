/** What an editor shows of the SDK: limits, defaults and an example of each argument, and the countries by name. */
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it, test } from "vitest";
import { resources } from "../../provider/resources";
import { Country, type NumberArgs } from "../../sdk";
import { repository as root } from "../helpers/repository";

const inputs = Object.entries(resources).flatMap(([type, { drift }]) =>
	Object.entries(drift.properties).map(([name, property]) => ({ name: `${type}.${name}`, property })),
);

it.each(inputs.filter(({ property }) => property.example !== undefined))(
	"the example of $name is a value that it takes",
	({ property }) => {
		expect(property.type.safeParse(property.example).error).toBeUndefined();
	},
);

test("each argument has an example, a default, or one in its description; `adopt` takes an id", () => {
	const bare = inputs.filter(
		({ name, property: { example, description, otherwise, default: value } }) =>
			!name.endsWith(".adopt") &&
			example === undefined &&
			otherwise === undefined &&
			value === undefined &&
			!description.includes("such as"),
	);
	expect(bare.map(({ name }) => name)).toEqual([]);
});

test("a country is any code, by its name, as it is, or worked out", () => {
	const later: string = ["N", "L"].join("");
	const countries: NumberArgs["country"][] = [Country.Netherlands, "NL", later];
	expect(countries).toEqual(["NL", "NL", "NL"]);
});

describe("the editor of a program", () => {
	const file = join(root, "test/sdk/program.ts");
	const program = `import * as telephony from "../../sdk";
new telephony.Number("a", { country: "NL", type: "mobile" });
new telephony.SipTrunk("b", { auth: { mode: "ip_acl", allowedCidrs: [] }, capacity: 30 });
telephony.Country.Netherlands;`;
	const after = (text: string) => program.indexOf(text) + text.length;
	const service = ts.createLanguageService({
		getCompilationSettings: () => ({
			module: ts.ModuleKind.NodeNext,
			moduleResolution: ts.ModuleResolutionKind.NodeNext,
			strict: true,
			types: [],
		}),
		getScriptFileNames: () => [file],
		getScriptVersion: () => "1",
		getScriptSnapshot: (name) => {
			const text = name === file ? program : ts.sys.readFile(name);
			return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
		},
		getCurrentDirectory: () => root,
		getDefaultLibFileName: ts.getDefaultLibFilePath,
		fileExists: (name) => name === file || ts.sys.fileExists(name),
		readFile: ts.sys.readFile,
		directoryExists: ts.sys.directoryExists,
		getDirectories: ts.sys.getDirectories,
	});
	const offered = (text: string) =>
		service.getCompletionsAtPosition(file, after(text), {})?.entries.map(({ name }) => name);

	it("completes countries, by code where one is expected, and by name", () => {
		expect(offered('country: "')).toEqual(expect.arrayContaining(["NL", "GB"]));
		expect(offered("telephony.Country.")).toEqual(expect.arrayContaining(["Netherlands", "UnitedKingdom"]));
	});

	it("shows limits and an example of the argument under the pointer", () => {
		const info = service.getQuickInfoAtPosition(file, program.indexOf("capacity"));
		expect(ts.displayPartsToString(info?.documentation)).toMatch(/1 to 10000.*Example: `30`/s);
	});
});
