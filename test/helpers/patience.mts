/** Longer than any wait takes on a busy machine, ms. */
export const patienceMs = 120_000;
