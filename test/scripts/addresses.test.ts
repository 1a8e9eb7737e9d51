/** The addresses that follow from the repository. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import {
	addressesOf,
	isExample,
	moveRepository,
	pluginDownloadUrl,
	strayAddresses,
} from "../../scripts/generate/addresses.mts";
import { createFolder } from "../helpers/folders";
import { must } from "../helpers/packed";
import { read } from "../helpers/repository";

test.each([
	["git+https://github.com/acme/phones.git", "https://acme.github.io/phones/", "github.com/acme/phones/sdk"],
	["https://gitlab.com/acme/iac/phones", "https://acme.gitlab.io/iac/phones/", "gitlab.com/acme/iac/phones/sdk"],
	["http://127.0.0.1:4873/phones/", "http://127.0.0.1:4873/", "127.0.0.1/phones/sdk"],
])("derives the addresses of %s", (repository, homepage, goPath) => {
	expect(addressesOf(repository)).toMatchObject({ homepage, goPath });
});

test("has the plugin downloaded from the page of its release", () => {
	const addresses = addressesOf("https://github.com/acme/phones");
	expect(pluginDownloadUrl(addresses, "1.2.3")).toBe("https://github.com/acme/phones/releases/download/v1.2.3");
});

test("writes no placeholder, which `pulumi import` takes for code", () => {
	const { pluginDownloadURL } = JSON.parse(read("sdk/schema.json")) as { pluginDownloadURL: string };
	expect(pluginDownloadURL).toMatch(/^https:\/\/[\w./-]+$/);
});

test.each(["git@github.com:acme/phones.git", "https://github.com/acme", "https://phones.example", "ssh://host/a/b"])(
	"refuses %s",
	(repository) => {
		expect(() => addressesOf(repository)).toThrow(/OWNER\/NAME|Invalid URL/);
	},
);

test.each([
	["https://pulumi-telephony.example/pulumi-telephony", true],
	["https://git.example.org/a/b", true],
	["https://localhost/a/b", true],
	["https://github.com/example/phones", false],
])("calls %s an example: %s", (repository, expected) => {
	expect(isExample(addressesOf(repository))).toBe(expected);
});

test("makes every file name another repository", async () => {
	const folder = createFolder();
	const copied = ["package.json", "policy/package.json", "sdk/schema.json", "sdk/go/go.mod", "sdk/go-testing/go.mod"];
	for (const file of [...copied, "docs/guides/languages.md"]) {
		mkdirSync(dirname(join(folder, file)), { recursive: true });
		writeFileSync(join(folder, file), read(file));
	}
	const manifest = read("package.json").replace(
		/"url": "git\+[^"]*"/,
		'"url": "git+https://github.com/acme/phones.git"',
	);
	writeFileSync(join(folder, "package.json"), manifest);
	await must("git", ["init", "--quiet"], folder);
	await must("git", ["add", "--all"], folder);
	expect(strayAddresses(folder)).toEqual([
		"package.json",
		"policy/package.json",
		"sdk/go/go.mod",
		"sdk/go-testing/go.mod",
	]);

	moveRepository(folder);
	expect(strayAddresses(folder)).toEqual([]);
	const pages = readFileSync(join(folder, "docs/guides/languages.md"), "utf8");
	expect(pages).toContain("go get github.com/acme/phones/sdk/go`");
	expect(pages).not.toContain("pulumi-telephony.example");
});
