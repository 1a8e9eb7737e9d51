/** `telephony service`: what the account's service names otherwise. */
import type { Command } from "commander";
import { addServiceCheck } from "./service-check";
import { addServiceInit } from "./service-init";

export const addService = (program: Command): void => {
	const service = program.command("service").description("Find out what a service names otherwise, and describe it.");
	addServiceInit(service);
	addServiceCheck(service);
};
