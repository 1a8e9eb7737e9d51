/** The report of `telephony service check`: the names that a service uses, what you must declare, and what isn't tested. */
import type { Clock } from "../../provider/api/clock";
import type { Description } from "../../provider/api/description/description";
import type { Config } from "../../provider/session/config";
import { addressIn } from "../engine/config";
import type { Origin } from "../report/model";
import { asUsageError } from "../report/usage";
import { Checkup } from "./checkup";
import { descriptionOf, type Finding } from "./finding";
import { readAll } from "./reading";

/** The JSON of `--json`. */
export interface ServiceReport extends Pick<Origin, "account" | "at"> {
	readonly rows: readonly Finding[];
	/** With it, every finding holds, except for those that a person has to decide. */
	readonly description: Description;
}

/** @param trial changes the account after the reads; absent: the check only reads @throws UsageError */
export async function checkService(
	config: Config,
	trial?: (checkup: Checkup) => Promise<void>,
	clock?: Clock,
): Promise<ServiceReport> {
	const checkup = await Checkup.open(config, clock);
	try {
		await readAll(checkup);
		await trial?.(checkup);
		const rows = checkup.rows().map((finding) => withoutSecrets(finding, checkup));
		const description = descriptionOf(rows, checkup.given);
		return { account: addressIn(config.baseUrl), at: new Date().toISOString(), rows, description };
	} catch (error) {
		const failure = asUsageError(error);
		if (failure instanceof Error) failure.message = checkup.mask(failure.message);
		throw failure;
	} finally {
		await checkup.close();
	}
}

/** A service may repeat a secret anywhere. */
const withoutSecrets = (finding: Finding, checkup: Checkup): Finding => ({
	...finding,
	what: checkup.mask(finding.what),
	seen: checkup.mask(finding.seen),
	hint: finding.hint && checkup.mask(finding.hint),
});

/** True if every assumption holds. */
export const isSettled = ({ rows }: Pick<ServiceReport, "rows">): boolean =>
	rows.every(({ verdict }) => verdict === "holds");
