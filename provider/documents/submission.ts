/** The submissions of what papers are handed in with: what has changed since the last one is to be submitted again, once. */
import { openIn } from "../properties/open";
import type { Values } from "../properties/table";

interface Submitted {
	readonly submitted_at?: string | null | undefined;
}

/** Names a submission, as the entry keeps it in `unsubmitted` while changes after it wait for the next one. */
export const submissionOf = ({ submitted_at }: Submitted): string => submitted_at ?? "";

/** Earlier states say only that something waits. */
const isWaiting = ({ unsubmitted }: Values, record: Submitted): boolean =>
	unsubmitted === true || unsubmitted === submissionOf(record);

/** What the entry keeps, unless it has been submitted since: the answer to that may have been lost. */
export const unsubmittedOutput = (entry: Values, record: Submitted): Values =>
	isWaiting(entry, record) ? { unsubmitted: entry.unsubmitted } : {};

/** Whether an earlier run has changed it, or may have, and not submitted it. */
export const isUnsubmitted = (olds: Values, record: Submitted): boolean =>
	isWaiting(olds, record) || openIn(olds).isDirty;
