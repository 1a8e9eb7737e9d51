/** Permissions and actions of the workflows. */
import { basename } from "node:path";
import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import { files, read } from "../helpers/repository";

type Permissions = Readonly<Record<string, string>>;
interface Step {
	readonly run?: string;
}
interface Workflow {
	readonly permissions?: Permissions;
	readonly jobs: Readonly<Record<string, { readonly permissions?: Permissions; readonly steps?: readonly Step[] }>>;
}
const workflows = files.filter((file) => /^\.github\/workflows\/.*\.ya?ml$/.test(file));

/** Scopes that jobs may write. */
const writers: Readonly<Record<string, readonly string[]>> = {
	"release.yml npm": ["id-token"],
	"release.yml pypi": ["id-token"],
	"release.yml page": ["attestations", "contents", "id-token"],
	"codeql.yml analyze": ["security-events"],
	"scorecard.yml analyze": ["id-token", "security-events"],
};

describe.each(workflows)("%s", (file) => {
	it("pins each action to a commit, with its version in a comment", () => {
		const uses = read(file).match(/uses: .*/g) ?? [];
		expect(uses.filter((line) => !/^uses: (\.\/|[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$)/.test(line))).toEqual(
			[],
		);
	});

	it("passes input to shells only in variables", () => {
		const { jobs } = parse(read(file)) as Workflow;
		const lines = Object.values(jobs).flatMap(({ steps = [] }) => steps.flatMap(({ run }) => run ?? []));
		expect(lines.filter((line) => line.includes("${{"))).toEqual([]);
	});

	it("lets only the jobs that publish write", () => {
		const { permissions, jobs } = parse(read(file)) as Workflow;
		expect(Object.values(permissions ?? { all: "write" })).not.toContain("write");
		for (const [name, job] of Object.entries(jobs)) {
			const written = Object.entries(job.permissions ?? {}).flatMap(([scope, right]) =>
				right === "write" ? [scope] : [],
			);
			// The site's workflow publishes pages.
			const allowed =
				writers[`${basename(file)} ${name}`] ?? (basename(file) === "site.yml" ? ["id-token", "pages"] : []);
			expect(written.filter((scope) => !allowed.includes(scope))).toEqual([]);
		}
	});
});

test("pins each action once in all workflows", () => {
	const pins = workflows.flatMap((file) => [...read(file).matchAll(/uses: ([\w.-]+\/[\w.-]+)\S*(@\S+)/g)]);
	const different = new Set(pins.map(([, action, pin]) => `${action}${pin}`));
	expect(different.size).toBe(new Set(pins.map(([, action]) => action)).size);
});

test("all four workflows of the project are read", () => {
	const expected = ["ci", "codeql", "nightly", "release"].map((name) => `.github/workflows/${name}.yml`);
	expect(workflows).toEqual(expect.arrayContaining(expected));
});
