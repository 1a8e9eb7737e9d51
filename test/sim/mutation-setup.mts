import fc from "fast-check";

/** Mutation testing needs the same few values each time, and no shrinking. */
fc.configureGlobal({ seed: 1, numRuns: 25, endOnFailure: true, interruptAfterTimeLimit: 2000 });
