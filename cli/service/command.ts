/** `telephony service`: a description of the account's service. */
import type { Command } from "commander";
import { addServiceCheck } from "./check";
import { addServiceInit } from "./init";

export const addService = (program: Command): void => {
	const service = program.command("service").description("Find out which names a service uses, and describe it.");
	addServiceInit(service);
	addServiceCheck(service);
};
