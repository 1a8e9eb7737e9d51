/** The pending write in a resource state: the output `open`, absent once the service has confirmed the last write. */
import type { Values } from "./table";

export interface PendingWrite {
	/** Leases of writes without a response, the latest first. A late request may still bring one of them. */
	readonly leases: readonly string[];
	/** True if the service may have values that this state doesn't know: the next write sends all that is declared. */
	readonly isDirty: boolean;
}

export function openIn(outputs: Values): PendingWrite {
	const { leases, dirty } = (outputs.open ?? {}) as { leases?: unknown; dirty?: unknown };
	return {
		leases: Array.isArray(leases) ? leases.filter((lease) => typeof lease === "string" && lease !== "") : [],
		isDirty: dirty === true,
	};
}

/** Returns no output if nothing is pending. */
export function openOutputs({ leases = [], isDirty = false }: Partial<PendingWrite>): Values {
	const open = { ...(leases.length > 0 && { leases }), ...(isDirty && { dirty: true }) };
	return Object.keys(open).length > 0 ? { open } : {};
}

export const withoutOpen = ({ open, ...outputs }: Values): Values => outputs;
