/** `telephony service`: what the account's service names otherwise. */
import type { Command } from "commander";
import { addServiceCheck } from "./service-check";

export const addService = (program: Command): void => {
	const service = program.command("service").description("Describe a service that names things otherwise.");
	addServiceCheck(service);
};
