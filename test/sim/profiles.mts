/** Profiles of the simulation: a plot for the stories, and the service that they run against. */
import type { ServiceName } from "./account.mts";
import { plainKinds } from "./kinds/index.mts";
import { playPlans } from "./plans.mts";
import { playPools } from "./pools.mts";
import { playStacks } from "./stacks.mts";
import type { Plot } from "./tell.mts";
import type { Setting } from "./world.mts";

export interface Profile {
	/** The story, in a sentence. */
	readonly about: string;
	/** Its stories; without, `play` performs a trial. */
	readonly plot?: Plot;
	readonly play?: (setting: Setting) => Promise<void>;
	/** The service of a story; by the seed, one after the other. Default: full. */
	readonly services?: readonly ServiceName[];
	/** Stories in the tests. */
	readonly trials: number;
}

export const profiles = {
	kill: {
		about: "The process is killed at any request of any run, and the next run continues.",
		trials: 25,
		plot: {
			kinds: ["number", "number", ...plainKinds],
			steps: {
				declare: 3,
				change: 4,
				revert: 2,
				remove: 2,
				generation: 1,
				criteria: 1,
				onDelete: 1,
				redeclare: 1,
				rename: 1,
				pause: 1,
			},
			runs: { up: 6, refresh: 2, destroy: 1 },
			length: [3, 8],
			troubles: { kill: 0.5 },
			replaced: 0.1,
		},
	},
	rename: {
		about: "Resources are renamed, with and without aliases, moved back, replaced and declared again.",
		trials: 20,
		plot: {
			kinds: ["number", "number", "number", ...plainKinds],
			steps: {
				declare: 2,
				change: 2,
				remove: 3,
				redeclare: 3,
				rename: 3,
				bare: 3,
				generation: 2,
				criteria: 2,
				onDelete: 3,
			},
			runs: { up: 8, refresh: 1, destroy: 1 },
			length: [4, 10],
			replaced: 0.2,
		},
	},
	drift: {
		about: "Other people edit, release and restore numbers; a refresh reports exactly those.",
		trials: 20,
		plot: {
			kinds: ["number", "number", ...plainKinds],
			steps: { declare: 2, change: 3, edit: 5, release: 1, restore: 1, remove: 1, purchase: 1, pause: 1 },
			runs: { up: 4, refresh: 3 },
			length: [3, 8],
		},
	},
	spelling: {
		about:
			"The service spells its responses in other ways, other people edit declared properties, and a refresh reports exactly those.",
		trials: 6,
		plot: {
			kinds: ["number", ...plainKinds],
			fleet: { sipTrunk: 4, webhook: 3, number: 12 },
			steps: { edit: 8, spelling: 2, pause: 1 },
			runs: { refresh: 3, up: 2 },
			length: [6, 12],
		},
	},
	claims: {
		about: "Other tools clear or overwrite references, restore numbers and buy the same kind.",
		trials: 20,
		plot: {
			kinds: ["number"],
			steps: {
				declare: 2,
				change: 3,
				claim: 4,
				edit: 3,
				remove: 2,
				redeclare: 1,
				restore: 1,
				purchase: 1,
				generation: 1,
				bare: 1,
				rename: 1,
				release: 1,
			},
			runs: { up: 5, refresh: 2, destroy: 1 },
			length: [3, 8],
			replaced: 0.1,
		},
	},
	account: {
		about: "Runs use the key of another account.",
		trials: 15,
		plot: {
			kinds: ["number", "number", ...plainKinds],
			steps: { declare: 3, change: 2, remove: 2, release: 1, generation: 1 },
			runs: { up: 4, refresh: 2, destroy: 2 },
			length: [3, 8],
			troubles: { "wrong key": 0.5 },
		},
	},
	kyc: {
		about: "KYC is approved, rejected or expires, before, during and after a wait.",
		trials: 15,
		plot: {
			kinds: ["number", "number", "kycProfile"],
			countries: ["DE", "DE", "NL"],
			steps: { declare: 2, change: 2, verdict: 5, policy: 2, pause: 2, remove: 1, criteria: 1 },
			runs: { up: 5, refresh: 2, destroy: 1 },
			length: [3, 8],
			troubles: { decision: 0.4 },
		},
	},
	filings: {
		about:
			"KYC profiles and port orders are filed, rejected, corrected, cancelled and adopted, with kills and failures.",
		trials: 20,
		plot: {
			kinds: ["kycProfile", "portOrder", "portOrder", "number"],
			countries: ["DE"],
			steps: { declare: 2, change: 4, verdict: 6, adopt: 3, pause: 2, remove: 1, rename: 1 },
			runs: { up: 6, refresh: 2, destroy: 1 },
			length: [3, 8],
			troubles: { kill: 0.2, failure: 0.2 },
		},
	},
	faults: {
		about:
			"Requests fail before or after the service carries them out, in every way that a service or a gateway can fail.",
		trials: 20,
		plot: {
			kinds: ["number", "number", ...plainKinds],
			steps: { declare: 3, change: 5, revert: 4, remove: 4, generation: 1, redeclare: 4, onDelete: 1 },
			runs: { up: 6, refresh: 1, destroy: 2 },
			length: [4, 9],
			troubles: { failure: 0.77, "sold out": 0.08 },
			replaced: 0.1,
		},
	},
	lag: {
		about: "Reads and lists show the account as it was up to a minute ago.",
		trials: 20,
		plot: {
			kinds: ["number", "number", ...plainKinds],
			steps: { declare: 3, change: 4, remove: 2, generation: 1, edit: 1, pause: 1, redeclare: 1 },
			runs: { up: 6, refresh: 3, destroy: 1 },
			length: [3, 8],
			troubles: { kill: 0.18, lag: 0.42 },
		},
	},
	slow: {
		about: "The service applies changes seconds later, and processes are killed meanwhile.",
		trials: 15,
		plot: {
			kinds: ["number", "number", ...plainKinds],
			steps: { declare: 3, change: 5, revert: 2, remove: 2, generation: 1, redeclare: 1, onDelete: 1, rename: 1 },
			runs: { up: 6, refresh: 2, destroy: 1 },
			length: [3, 8],
			troubles: { "slow changes": 0.5, kill: 0.2 },
		},
	},
	services: {
		about: "The service honors no keys, keeps no references, or neither, and processes are killed.",
		trials: 20,
		services: ["no-key", "no-reference", "neither"],
		plot: {
			kinds: ["number", "number", ...plainKinds],
			steps: { declare: 2, change: 3, remove: 2, generation: 1 },
			runs: { up: 5, refresh: 2 },
			length: [2, 5],
			replaced: 0.2,
			troubles: { kill: 0.2, failure: 0.2 },
		},
	},
	secrets: {
		about: "The service fails and repeats the API key and passwords, in each form, to a provider that logs everything.",
		trials: 15,
		plot: {
			kinds: ["sipTrunk", "webhook", "number"],
			steps: { declare: 2, change: 5, remove: 1 },
			runs: { up: 4, refresh: 2 },
			length: [3, 6],
			troubles: { repetition: 0.7 },
			hasPasswords: true,
		},
	},
	limits: {
		about: "Runs have limits of purchases and releases, and processes are killed.",
		trials: 15,
		plot: {
			kinds: ["number"],
			steps: { declare: 4, remove: 3, generation: 2, criteria: 1, redeclare: 1, bare: 1 },
			runs: { up: 6, refresh: 1, destroy: 1 },
			length: [3, 8],
			troubles: { kill: 0.2 },
			limited: 0.7,
		},
	},
	stacks: {
		about: "Two to four stacks of one account run at once, and the service has fewer numbers than they request.",
		trials: 5,
		play: playStacks,
	},
	pools: {
		about:
			"A pool grows, shrinks and is renamed, with kills and failures, and other people edit and release its numbers.",
		trials: 10,
		play: playPools,
	},
	plan: {
		about: "Each run buys, resumes, releases and retains what `telephony plan` forecast, also after a kill.",
		trials: 8,
		play: playPlans,
	},
	soak: {
		about: "A fleet runs for months against a service that fails every twentieth request.",
		trials: 1,
		plot: {
			kinds: ["number"],
			fleet: { sipTrunk: 2, webhook: 1, number: 110 },
			steps: { change: 4, remove: 2, generation: 1, edit: 2, declare: 2 },
			runs: { up: 4, refresh: 3 },
			length: [4, 6],
			troubles: { outage: 0.5 },
		},
	},
} as const satisfies Readonly<Record<string, Profile>>;

export type ProfileName = keyof typeof profiles;
export const profileNames = Object.keys(profiles) as readonly ProfileName[];
export const profileOf = (name: ProfileName): Profile => profiles[name];
