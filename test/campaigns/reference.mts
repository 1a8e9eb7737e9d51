/** A `reference` as this version writes it: `R.G.who.lease.account.beside~project/stack`. */

/** Which write it is of. */
export const leaseIn = (reference: unknown): string | undefined => String(reference).split("~")[0]?.split(".")[3];

/** The writes that an entry has sent, answered or not, by its outputs. */
export function leasesOf({ lease, open }: Readonly<Record<string, unknown>>): unknown[] {
	const { leases = [] } = (open ?? {}) as { readonly leases?: readonly string[] };
	return [lease, ...leases];
}

/** The same as another write leaves it; undefined for what is none of ours. */
export function withLease(reference: string | null | undefined, lease: string): string | undefined {
	const [coded = "", home] = (reference ?? "").split("~");
	const parts = coded.split(".");
	if (parts.length !== 6 || home === undefined) return undefined;
	return `${[...parts.slice(0, 3), lease, ...parts.slice(4)].join(".")}~${home}`;
}
