/** The oldest versions that we support. package.json states each. */
import { expect, test } from "vitest";
import { read } from "../helpers/repository";

const { engines, peerDependencies } = JSON.parse(read("package.json")) as {
	readonly engines: { readonly go: string; readonly node: string; readonly python: string };
	readonly peerDependencies: Readonly<Record<string, string>>;
};

test("refuses a Node.js that is older than package.json says", () => {
	const [, major, minor] = /floor = \[(\d+), (\d+)\]/.exec(read("provider/node-version.ts")) ?? [];
	expect(`>=${major}.${minor}`).toBe(engines.node);
});

test("gives the policies the versions of the package", () => {
	const policy = JSON.parse(read("policy/package.json"));
	expect(policy.engines.node).toBe(engines.node);
	expect(policy.peerDependencies).toEqual(peerDependencies);
});

test.each(["sdk/python", "sdk/python-testing"])("states the Python and the Pulumi SDK of %s", (folder) => {
	const text = read(`${folder}/pyproject.toml`);
	expect(text).toContain(`requires-python = "${engines.python}"`);
	expect(text).toContain(`pulumi${peerDependencies["@pulumi/pulumi"]?.replace("^", ">=")},<4.0.0"`);
});

test("tries the oldest Python, Go and Pulumi SDK every night", () => {
	const oldest = [engines.python, engines.go, peerDependencies["@pulumi/pulumi"]];
	const [python, go, pulumi] = oldest.map((range) => range?.replace(/^(>=|\^)/, ""));
	expect(read(".github/workflows/nightly.yml")).toContain(
		`{ python: "${python}", go: "${go}", pulumi: "==${pulumi}" }`,
	);
});

test.each(["sdk/go", "sdk/go-testing", "templates/go"])("states the Go of %s", (folder) => {
	expect(read(`${folder}/go.mod`)).toContain(`\ngo ${engines.go.replace(">=", "")}.0\n`);
});
