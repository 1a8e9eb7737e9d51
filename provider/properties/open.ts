/** The pending write in a resource state: the output `open`, absent once the service has confirmed the last write. */
import type { Values } from "./table";

export interface PendingWrite {
	/** Leases of writes without a response, the latest first. A late request may still bring one of them. */
	readonly leases: readonly string[];
	/** True if the service may have values that this state doesn't know: the next write sends all that is declared. */
	readonly isDirty: boolean;
	/** Paths of the values that the service accepted and doesn't show. */
	readonly unapplied: readonly string[];
	/** The reference of the object before the first write of this state. The object is this state's while it shows it. */
	readonly given: string | undefined;
}

export function openIn(outputs: Values): PendingWrite {
	const { leases, dirty, unapplied, given } = (outputs.open ?? {}) as Values;
	return {
		leases: textsIn(leases),
		isDirty: dirty === true,
		unapplied: textsIn(unapplied),
		given: typeof given === "string" ? given : undefined,
	};
}

const textsIn = (value: unknown): string[] =>
	Array.isArray(value) ? value.filter((item) => typeof item === "string" && item !== "") : [];

/** Returns no output if nothing is pending. */
export function openOutputs({ leases = [], isDirty = false, unapplied = [], given }: Partial<PendingWrite>): Values {
	const open = {
		...(leases.length > 0 && { leases }),
		...(isDirty && { dirty: true }),
		...(unapplied.length > 0 && { unapplied }),
		...(given !== undefined && { given }),
	};
	return Object.keys(open).length > 0 ? { open } : {};
}

export const withoutOpen = ({ open, ...outputs }: Values): Values => outputs;
