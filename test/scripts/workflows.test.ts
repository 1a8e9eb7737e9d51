/** Permissions and actions of the workflows. */
import { basename } from "node:path";
import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import { files, read } from "../helpers/repository";

type Permissions = Readonly<Record<string, string>>;
interface Workflow {
	readonly permissions?: Permissions;
	readonly jobs: Readonly<Record<string, { readonly permissions?: Permissions }>>;
}
const workflows = files.filter((file) => /^\.github\/workflows\/.*\.ya?ml$/.test(file));

/** Scopes that jobs may write. */
const writers: Readonly<Record<string, readonly string[]>> = {
	"release.yml npm": ["id-token"],
	"release.yml pypi": ["id-token"],
	"release.yml page": ["attestations", "contents", "id-token"],
	"codeql.yml analyze": ["security-events"],
};

describe.each(workflows)("%s", (file) => {
	it("pins each action to a commit, with its version in a comment", () => {
		const uses = read(file).match(/uses: .*/g) ?? [];
		expect(uses.filter((line) => !/^uses: (\.\/|[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$)/.test(line))).toEqual(
			[],
		);
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

test("all four workflows of the project are read", () => {
	const expected = ["ci", "codeql", "nightly", "release"].map((name) => `.github/workflows/${name}.yml`);
	expect(workflows).toEqual(expect.arrayContaining(expected));
});
