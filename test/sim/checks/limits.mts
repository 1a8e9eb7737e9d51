/** A run buys and releases no more than its limits allow. */
import { type Checker, must, type Ran } from "./check.mts";

export class Limits implements Checker {
	end({ ledger, before: { program, options } }: Ran): void {
		const { maxPurchases = Infinity, maxReleases = Infinity } = options.limits ?? {};
		const count = (kind: string) => ledger.filter((row) => row.kind === kind).length;
		must(count("purchase") <= maxPurchases, () => `bought ${count("purchase")}, and the limit is ${maxPurchases}`);
		// By default a run that declares nothing may release everything.
		const most = program.length === 0 ? Infinity : maxReleases;
		must(count("release") <= most, () => `released ${count("release")}, and the limit is ${maxReleases}`);
	}
}
