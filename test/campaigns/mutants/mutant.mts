/** A fault to be planted, and the campaign that must find it. */

/** The campaigns in their short forms: what finds a fault within so many trials, and is green without one. */
export const hunts = {
	lives: { campaign: "lifecycle", args: [], trials: 200 },
	reasons: { campaign: "reasons", args: ["--short"], trials: 300 },
	"reasons with replacements": { campaign: "reasons", args: [], trials: 300 },
	drift: { campaign: "drift", args: ["--short"], trials: 24 },
	"killed emulator": { campaign: "kill-emulator", args: [], trials: 3 },
	"killed plugin": { campaign: "kill-provider", args: ["--front", "plugin"], trials: 3 },
	/** Of a service that honours no key. */
	"lives without keys": { campaign: "lifecycle", args: ["--service", "no-key"], trials: 200 },
	schedules: { campaign: "schedules", args: [], trials: 2_000 },
	stacks: { campaign: "stacks", args: [], trials: 20 },
	kyc: { campaign: "kyc", args: [], trials: 21 },
	faults: { campaign: "faults", args: [], trials: 60 },
	canaries: { campaign: "canaries", args: [], trials: 30 },
	upgrade: { campaign: "upgrade", args: [], trials: 5 },
	soak: { campaign: "soak", args: ["--numbers", "60"], trials: 1 },
	signals: { campaign: "signals", args: [], trials: 3 },
} as const;

export type HuntName = keyof typeof hunts;

export interface Mutant {
	/** The fault, in a few words. */
	readonly name: string;
	/** Of the product. Default: provider. */
	readonly part?: "provider" | "emulator";
	/** Stands there exactly once, in whichever file. */
	readonly search: string;
	readonly replace: string;
	readonly hunt: HuntName;
}
