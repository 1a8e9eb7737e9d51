/** `npm run bench`: one benchmark after the other, so that none takes the machine from another. */
await import("./refresh.mts");
await import("./emulator.mts");
await import("./stacks.mts");
