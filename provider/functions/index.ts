/** The functions by the last part of their tokens, and the call of one. */
import { plain, redactError } from "../lifecycle/resource";
import { type CheckFailure, checkProperties, unknownValue, type Values } from "../properties/table";
import type { Session } from "../session/session";
import { getNumber, getNumbers, getTrunk, getWebhook } from "./account";
import type { FunctionDefinition, Warn } from "./definition";
import { getAvailableNumbers, getKycRequirements } from "./market";

export const functions = {
	getNumber,
	getNumbers,
	getTrunk,
	getWebhook,
	getAvailableNumbers,
	getKycRequirements,
} as const satisfies Record<string, FunctionDefinition>;

export type FunctionName = keyof typeof functions;

export type Called = { readonly failures: readonly CheckFailure[] } | { readonly result: Values };

/** If an argument isn't known yet, at any depth, the result is empty. @throws TelephonyError */
export async function callFunction(session: Session, name: string, args: Values): Promise<Called> {
	if (!Object.hasOwn(functions, name))
		throw new Error(`Unknown function ${name}. The functions are ${Object.keys(functions).join(", ")}.`);
	const { inputs: properties, run } = functions[name as FunctionName];
	const { inputs, failures } = checkProperties(properties, args);
	if (failures.length > 0) return { failures };
	if (hasUnknown(inputs)) return { result: {} };
	session.secrets.note([inputs]);
	try {
		const warn: Warn = (code, text) => session.progress.warn("", code, text);
		return { result: plain(await run(await session.service(), inputs, warn)) as Values };
	} catch (error) {
		if (error instanceof Error) redactError(error, (text) => session.secrets.mask(text));
		throw error;
	}
}

const hasUnknown = (value: unknown): boolean =>
	value === unknownValue || (typeof value === "object" && value !== null && Object.values(value).some(hasUnknown));
