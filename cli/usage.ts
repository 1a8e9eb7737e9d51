/** What the user can put right: printed as one sentence, without a stack. */
export class UsageError extends Error {}
