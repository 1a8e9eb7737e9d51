/** The numbers in a pool's outputs. */
import type { ResourceState } from "./runs";

export interface Pooled {
	readonly name: string;
	readonly id: string;
	readonly phoneNumber?: string;
	readonly status: string;
}

export const numbersIn = ({ outs }: Pick<ResourceState, "outs">): Pooled[] => outs.numbers as Pooled[];
export const namesIn = (resource: Pick<ResourceState, "outs">): string[] => numbersIn(resource).map(({ name }) => name);
