/** What a difference in a pool means to people. */
import type { DriftDefinition } from "../../drift/definition";
import { poolOutputs, poolProperties } from "./properties";

export const poolDrift: DriftDefinition = {
	properties: poolProperties,
	outputs: poolOutputs,
	kept: ["members"],
	isBought: true,
	lost: () => ({
		consequence: "buys new numbers",
		way: "ask the service to restore the lost ones; otherwise `pulumi up --refresh` buys new numbers",
	}),
};
