/** The bounded form of test/model/rules.mts, with the rules as they stand in the sources. */
import { beforeAll, expect, test } from "vitest";
import { isMild } from "./judge.mts";
import { type Rules, rulesFrom } from "./parts.mts";
import { explore } from "./rules.mts";

let rules: Rules;

beforeAll(async () => {
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

test("a rule by which whatever remembers a number is leaving is found", () => {
	const { decideRelease } = rules.beside;
	const hasty = ((facts) =>
		decideRelease({
			...facts,
			remembered: facts.remembered?.map((each) => ({ ...each, isLeaving: true })),
		})) as typeof decideRelease;
	const changed = { ...rules, beside: { ...rules.beside, decideRelease: hasty } };
	const { findings } = explore(changed, { kinds: ["number", "number"], theme: "changes", steps: 2 });
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
