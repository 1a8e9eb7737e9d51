/** The submissions of what papers are handed in with: what has changed since the last one is to be submitted again, once. */
import { openIn } from "../properties/open";
import type { Values } from "../properties/table";

interface Submitted {
	readonly submitted_at?: string | null | undefined;
}

/** Names a submission, as the entry keeps it in `unsubmitted` while changes after it wait for the next one. */
export const submissionOf = ({ submitted_at }: Submitted): string => submitted_at ?? "";

/** What the entry keeps, unless it has been submitted since: the answer to that may have been lost. */
export const unsubmittedOutput = ({ unsubmitted }: Values, record: Submitted): Values =>
	unsubmitted === submissionOf(record) ? { unsubmitted } : {};

/** Whether an earlier run has changed it, or may have, and not submitted it. */
export const isUnsubmitted = (olds: Values, record: Submitted): boolean =>
	olds.unsubmitted === submissionOf(record) || openIn(olds).unseen?.some((key) => key !== "status") === true;
