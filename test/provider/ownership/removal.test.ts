import { expect, test } from "vitest";
import type { Ownership } from "../../../provider/ownership/ownership";
import { decideRemoval, type Removal } from "../../../provider/ownership/removal";

test.each<[Ownership, retained: Removal, otherwise: Removal]>([
	["ours", "left", "removed"],
	["vacant", "left", "removed"],
	["unknown", "left", "removed"],
	["superseded", "claimed", "claimed"],
	["foreign", "claimed", "claimed"],
])("an object that is %s is %s if it is retained, and %s otherwise", (ownership, retained, otherwise) => {
	const decide = (isRetained: boolean, isDeclared = false) => decideRemoval({ ownership, isDeclared, isRetained });
	expect([decide(true), decide(false)]).toEqual([retained, otherwise]);
	expect([decide(true, true), decide(false, true)]).toEqual(["declared", "declared"]);
});
