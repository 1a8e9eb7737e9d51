/**
 * Rule 2b: taking an entry out of the state, and buying beside entries, needs proof that this is their account. Proof is
 * an object of the same state that existed before this process began, and that this process has found. What was just
 * bought proves nothing, and neither do time or silence.
 */
import { parseReference } from "./reference";

/** An object as the account shows it. */
export interface ShownObject {
	readonly id: string;
	readonly reference?: string | null | undefined;
}

/** What this process knows of its state's objects of one kind. Objects that it has made aren't among the older ones. */
export interface Entries {
	/** By id, the word for the account that each was made on. */
	readonly older: ReadonlyMap<string, string>;
	/** The same the other way round. */
	readonly accounts: ReadonlyMap<string, ReadonlySet<string>>;
	readonly made: ReadonlySet<string>;
}

/** For which accounts an object is proof. */
export function provenBy(
	{ id, reference }: ShownObject,
	{ older, made }: { readonly older: Entries["older"]; readonly made: Pick<Entries["made"], "has"> },
): readonly string[] {
	if (made.has(id)) return [];
	const said = parseReference(reference)?.account;
	const known = older.get(id);
	if (known === undefined) return said ? [said] : [];
	// Ids may be small numbers, which every account has: what another word or another tool claims is no proof.
	const isOurs = !reference || (said !== undefined && (said === known || said === "" || known === ""));
	return isOurs ? [known] : [];
}

/** The accounts of entries that nothing has proven yet, each with the ids that would prove it. */
export const unproven = (
	{ accounts }: Pick<Entries, "accounts">,
	proven: ReadonlySet<string>,
): (readonly [string, ReadonlySet<string>])[] =>
	[...accounts].filter(([account, ids]) => ids.size > 0 && !proven.has(account));
