/** Functions called in the process of a program that uses the dynamic provider. */
import { TelephonyError } from "../api/errors";
import type { Values } from "../properties/table";
import { settingVariables } from "../session/config";
import { Session } from "../session/session";
import { callFunction } from "./index";

/** By configuration: several stacks may run in one process. */
const sessions = new Map<string, Session>();

function sessionFor(config: Values): Session {
	const key = JSON.stringify([config, Object.values(settingVariables).map((name) => name && process.env[name])]);
	const existing = sessions.get(key);
	if (existing !== undefined) return existing;
	const session = new Session();
	session.configure((name) => config[name] as string | undefined);
	sessions.set(key, session);
	return session;
}

/**
 * @param config the stack's settings by their full keys, such as `telephony:apiKey`; the environment wins
 * @throws TelephonyError
 */
export async function callFromProgram(name: string, args: Values, config: Values): Promise<Values> {
	const called = await callFunction(sessionFor(config), name, args);
	if ("result" in called) return called.result;
	const error = new TelephonyError("Invalid", `${name}: ${called.failures.map(({ reason }) => reason).join("; ")}`);
	error.stack = error.message;
	throw error;
}
