/** The bounded form of test/model/rules.mts, with the rules as they stand in the sources. */
import { beforeAll, expect, test } from "vitest";
import { isMild } from "./judge.mts";
import { type Rules, rulesFrom } from "./parts.mts";
import { leaving } from "./release.mts";
import { explore } from "./rules.mts";

let rules: Rules;

beforeAll(async () => {
	leaving.when = "decided";
	rules = await rulesFrom((path) => {
		const [folder, file] = path.split("/");
		return import(`../../provider/${folder}/${file}.ts`);
	});
});

test.each(["names", "changes", "owners", "accounts", "states"] as const)(
	"no sequence of three steps releases, loses or buys a number without a reason: %s",
	(theme) => {
		const { findings, states } = explore(rules, { kinds: ["number", "number"], theme, steps: 3 });
		expect(findings.filter((finding) => !isMild(finding))).toEqual([]);
		expect(states).toBeGreaterThan(500);
	},
);

test.each(["number", "pool"] as const)("nor beside a trunk: %s", (kind) => {
	const { findings } = explore(rules, { kinds: [kind, "trunk"], theme: "accounts", steps: 3 });
	expect(findings.filter((finding) => !isMild(finding))).toEqual([]);
});

test("a number that stays, and counts as leaving once its delete is asked for, is found", () => {
	leaving.when = "asked";
	const { findings } = explore(rules, { kinds: ["number", "number"], theme: "changes", steps: 2 });
	leaving.when = "decided";
	expect(findings.map(({ rule }) => rule)).toContain("released");
});

test("a rule that forgets its marks is found", () => {
	const forgetful = { ...rules, beside: { ...rules.beside, isMarked: () => false } };
	const { findings } = explore(forgetful, { kinds: ["number", "number"], theme: "names", steps: 2 });
	expect(findings.map(({ rule }) => rule)).toContain("released");
});

test("a rule that takes any object for proof is found", () => {
	const credulous = { ...rules, account: { ...rules.account, unproven: () => [] } };
	const { findings } = explore(credulous, { kinds: ["number", "number"], theme: "accounts", steps: 2 });
	expect(findings.map(({ rule }) => rule)).toContain("bought");
});
