/** The numbers in a pool's outputs. */
import type { Entry } from "./runs";

export interface Pooled {
	readonly name: string;
	readonly id: string;
	readonly phoneNumber?: string;
	readonly status: string;
}

export const numbersIn = ({ outs }: Pick<Entry, "outs">): Pooled[] => outs.numbers as Pooled[];
export const namesIn = (entry: Pick<Entry, "outs">): string[] => numbersIn(entry).map(({ name }) => name);
