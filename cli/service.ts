import type { Command } from "commander";
import { addServiceInit } from "./service-init";

/** `telephony service`: what a service names otherwise. */
export const addService = (program: Command): void => {
	const service = program.command("service").description("Find out what a service names otherwise, and describe it.");
	addServiceInit(service);
};
