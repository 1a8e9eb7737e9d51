/** All objects of an account that a resource can declare, whoever manages them. */

import { type Client, createClient } from "../../provider/api/client";
import { isNotFound, isTelephonyError, type TelephonyError } from "../../provider/api/errors";
import { coded } from "../../provider/api/message-codes";
import { isDeleted, isOpenPort, isReleasedOrFailed } from "../../provider/api/record";
import { unreadableIn } from "../../provider/api/response";
import type { Values } from "../../provider/properties/table";
import { assertPinned } from "../../provider/reads/account-pin";
import { type ObjectDefinition, resources } from "../../provider/resources";
import { type Config, type ConfigSource, readConfig } from "../../provider/session/config";
import { kinds } from "../../provider/session/kinds";
import { warn } from "../report/publish";
import { asUsageError } from "../report/usage";

type Registry = typeof resources;
export type ObjectType = { [T in keyof Registry]: "definition" extends keyof Registry[T] ? T : never }[keyof Registry];
type RecordOf<T extends ObjectType> = Parameters<Registry[T]["definition"]["nameOf"]>[0];

/** An object of the account, with the last part of its resource's type. */
export type Owned = { [T in ObjectType]: { readonly type: T; readonly record: RecordOf<T> } }[ObjectType];

/** The types of all objects, in the registry's order. */
export const types = Object.entries(resources).flatMap(([type, resource]) =>
	"definition" in resource ? [type as ObjectType] : [],
);

/** Returns the name of a type in messages. */
export const nounOf = (type: Owned["type"]) => resources[type].definition.noun;

/** Returns the object's own name; undefined if it has none. */
export function labelOf({ type, record }: Owned): string | undefined {
	const { labelOf: findLabel }: ObjectDefinition = resources[type].definition;
	return findLabel === undefined ? nameIn(record as Values) : findLabel(record);
}

const nameIn = ({ name }: Values): string | undefined => (typeof name === "string" ? name : undefined);

/** An object that exists but can't be read. */
export interface Unreadable {
	readonly type: Owned["type"];
	readonly id: string | undefined;
	readonly error: TelephonyError;
}

export interface Account {
	readonly client: Client;
	/** The types that were read. */
	readonly wanted: readonly ObjectType[];
	readonly objects: readonly Owned[];
	readonly unreadable: readonly Unreadable[];
	/** The time at the service, ms since 1970. */
	readonly serviceTime: number;
}

/** @param settings the environment and the stack's configuration @throws UsageError */
export async function openClient<T>(
	settings: NodeJS.ProcessEnv,
	cwd: string,
	work: (client: Client, config: Config) => Promise<T>,
	stack: ConfigSource = () => undefined,
): Promise<T> {
	let client: Client | undefined;
	try {
		const config = readConfig(stack, settings, cwd);
		client = createClient({ ...config, warn: (code, text) => warn(coded(text, code)) });
		if (config.account !== undefined) await assertPinned(client, config.account, config.baseUrl);
		return await work(client, config);
	} catch (error) {
		throw asUsageError(error);
	} finally {
		await client?.close();
	}
}

const sourceOf = (client: Client, type: Owned["type"]) => kinds[nounOf(type)](client);

/** Lists all objects of these types. */
export async function readAccount(client: Client, wanted: readonly ObjectType[] = types): Promise<Account> {
	const objects: Owned[] = [];
	const unreadable: Unreadable[] = [];
	for (const type of wanted) {
		// A service without trunks has none.
		for (const page of (await findPages<object>(sourceOf(client, type).pages())) ?? []) {
			objects.push(...page.map((record) => ({ type, record }) as Owned));
			unreadable.push(...unreadableIn(page).map(({ id, error }) => ({ type, id, error })));
		}
	}
	return { client, wanted, objects: objects.filter(isCurrent), unreadable, serviceTime: client.now() };
}

/** Returns the pages of a list; undefined if the service doesn't offer the list. */
export async function findPages<T>(pages: AsyncIterable<readonly T[]>): Promise<(readonly T[])[] | undefined> {
	const found: (readonly T[])[] = [];
	try {
		for await (const page of pages) found.push(page);
	} catch (error) {
		if (isTelephonyError(error, "NotOffered")) return undefined;
		throw error;
	}
	return found;
}

/** Reads objects one by one and leaves out deleted ones: a list may lag or show less. */
export async function reread({ client }: Account, objects: readonly Owned[]): Promise<readonly Owned[]> {
	const read = async (owned: Owned): Promise<Owned[]> => {
		try {
			return [{ type: owned.type, record: await sourceOf(client, owned.type).get(owned.record.id) } as Owned];
		} catch (error) {
			if (isNotFound(error)) return [];
			if (isTelephonyError(error, "NotOffered")) return [owned];
			throw error;
		}
	};
	return (await Promise.all(objects.map(read))).flat().filter(isCurrent);
}

/** False for an object that the account no longer has, and for a port order that has ended or is about to. */
function isCurrent({ type, record }: Owned): boolean {
	if (type === "Number") return !isReleasedOrFailed(record);
	return type === "PortOrder" ? isOpenPort(record) && record.status !== "cancel_pending" : !isDeleted(record);
}

/** Says if a released number can be restored. */
export const restoreNote = (client: Pick<Client, "offers">): string =>
	client.offers("restore")
		? "The service can restore a released number during its quarantine; after that, the number is lost."
		: "A released number may be lost: this service isn't known to restore numbers.";
