import fc from "fast-check";

/** For mutation testing: the same values each time, few of them, and the first counterexample as it is. */
fc.configureGlobal({ seed: 1, numRuns: 25, endOnFailure: true, interruptAfterTimeLimit: 2000 });
