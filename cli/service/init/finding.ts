/** The findings of `telephony service init`. */

export interface Stated {
	/** Its path in the description. */
	readonly at: readonly string[];
	readonly value: unknown;
	/** The reason of a guess; absent if it is certain. */
	readonly guess?: string | undefined;
}

/** A question to a person. */
export interface Open {
	readonly decide: string;
}

export type Finding = Stated | Open;

export const isOpen = (finding: Finding): finding is Open => "decide" in finding;

export const listed = (names: readonly string[]): string => names.join(", ");
