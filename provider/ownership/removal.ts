/** The decision of a delete, by the saved state and the object's reference. */
import type { Ownership } from "./ownership";

export interface RemovalFacts {
	readonly ownership: Ownership;
	/** This run declares a resource with the same token. */
	readonly isDeclared: boolean;
	/** The saved `onDelete` is `retain`, or `releaseProtection` is set. */
	readonly isRetained: boolean;
}

export type Removal =
	/** Another declaration, another owner or a newer write has claimed it. Only the state forgets it. */
	| "claimed"
	/** A resource of this run still declares it. Only the state forgets it. */
	| "declared"
	/** It stays on the account, for any stack to adopt. */
	| "left"
	/** It is released or deleted. */
	| "removed";

export function decideRemoval({ ownership, isDeclared, isRetained }: RemovalFacts): Removal {
	if (isDeclared) return "declared";
	if (ownership === "foreign" || ownership === "superseded") return "claimed";
	return isRetained ? "left" : "removed";
}
