/** All of them. */
import { buying } from "./buying.mts";
import { comparing } from "./comparing.mts";
import { fronting } from "./fronting.mts";
import { keeping } from "./keeping.mts";
import type { Mutant } from "./mutant.mts";
import { owning } from "./owning.mts";
import { reading } from "./reading.mts";
import { reasoning } from "./reasoning.mts";
import { releasing } from "./releasing.mts";
import { timing } from "./timing.mts";
import { writing } from "./writing.mts";

export const mutants: readonly Mutant[] = [
	...buying,
	...owning,
	...releasing,
	...reasoning,
	...writing,
	...reading,
	...comparing,
	...keeping,
	...fronting,
	...timing,
];
