/** What `telephony service init` has found out, one by one. */

export interface Stated {
	/** Where it stands in the description. */
	readonly at: readonly string[];
	readonly value: unknown;
	/** Why it is thought to be so; none for what is certain. */
	readonly guess?: string | undefined;
}

/** What a person must say. */
export interface Open {
	readonly decide: string;
}

export type Finding = Stated | Open;

export const isOpen = (finding: Finding): finding is Open => "decide" in finding;

export const listed = (names: readonly string[]): string => names.join(", ");
