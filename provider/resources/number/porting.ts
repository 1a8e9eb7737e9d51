/** A number that `adopt` names while a port order is to bring it: an entry without an object, named by its E.164. */
import type { MessageCode } from "../../api/message-codes";
import type { Condition } from "../../drift/states";
import { objectOf } from "../../lifecycle/resource";
import type { Values } from "../../properties/table";

/** How such an entry stands, as its output `status`. */
export type Porting =
	| "porting" // a port order names it
	| "ported" // it is on the account, and the next update takes it over
	| "not_porting"; // neither

/** The outputs of such an entry: what is declared, which the service doesn't have yet. */
export const portingOutputs = (declared: Values, e164: string, status: Porting): Values => ({
	...declared,
	phoneNumber: e164,
	status,
	kycRequired: false,
	foundId: "",
});

/** Whether an entry still stands for no object. */
export const isPorting = (id: string, outs: Values): boolean => objectOf(id, outs) === "";

/** Undefined for a number that is there. */
export function portingCondition(outs: Values): (Condition & { readonly code: MessageCode }) | undefined {
	if (!isPorting("any", outs)) return undefined;
	const { phoneNumber, status } = outs;
	const change = { path: "status", declared: "active", live: status };
	if (status === "not_porting")
		return {
			kind: "problem",
			code: "not-found",
			isDue: true,
			change,
			consequence: `cannot be repaired by Pulumi: ${phoneNumber} is neither on the account nor in an open port order`,
			ways: [
				"restore it: submit a port order for it, then run `pulumi up`",
				"accept it: remove it from the program; nothing is released",
			],
		};
	return {
		kind: "waiting",
		code: "port-pending",
		...(status === "ported" && { isDue: true }),
		change,
		consequence: `nothing to repair: ${status === "ported" ? "the port is complete, and the next `pulumi up` adopts it" : "the port is in progress"}`,
		ways: [status === "ported" ? "finish it: `pulumi up` adopts it" : "wait: `pulumi up` continues and buys nothing"],
	};
}
