import { ServiceError } from "../request/errors";
import type { NumberRow } from "../store/store";
import { numberOf } from "./limits";
import type { Service } from "./service";

type Capability = "voice" | "sms";

const checkUsable = ({ number, status, capabilities }: NumberRow, capability: Capability): void => {
	if (status !== "active") {
		throw new ServiceError("number_not_active", `Number ${number} is ${status}: it must be active.`);
	}
	if (capabilities.includes(capability)) return;
	throw new ServiceError("capability_missing", `Number ${number} has no ${capability}.`);
};

/** Returns the number that calls or sends. @throws ServiceError */
export const senderOf = (service: Service, from: string, capability: Capability): NumberRow => {
	const number = numberOf(service, from);
	if (number === undefined) {
		throw new ServiceError("invalid_sender", `${from} is not a number of this account: send from one that is.`, [
			{ field: "from", message: "not a number of this account" },
		]);
	}
	checkUsable(number, capability);
	return number;
};

/** Returns the number that is called or receives. @throws ServiceError */
export const receiverOf = (service: Service, to: string, capability: Capability): NumberRow => {
	const number = numberOf(service, to);
	if (number === undefined) throw new ServiceError("not_found", `${to} is not a number of this account.`);
	checkUsable(number, capability);
	return number;
};

/** @throws ServiceError if the destination is blocked */
export const checkDestination = ({ settings }: Service, to: string): void => {
	const blocked = settings.blockedDestinations.find((prefix) => to.startsWith(prefix));
	if (blocked === undefined) return;
	throw new ServiceError("destination_blocked", `Numbers that begin with ${blocked} are blocked for this account.`);
};
