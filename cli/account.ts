/** Every object of an account that a resource can stand for, whoever manages it. */

import { type Client, createClient } from "../provider/api/client";
import { isGone, isTelephonyError, type TelephonyError } from "../provider/api/errors";
import { isOpenPort, isReleasedOrFailed } from "../provider/api/record";
import { unreadableIn } from "../provider/api/response";
import { listed } from "../provider/properties/display";
import { resources } from "../provider/resources";
import { type Config, type ConfigSource, readConfig } from "../provider/session/config";
import { kinds } from "../provider/session/kinds";
import { asUsageError } from "./usage";

type Registry = typeof resources;
export type ObjectType = { [T in keyof Registry]: "definition" extends keyof Registry[T] ? T : never }[keyof Registry];
type RecordOf<T extends ObjectType> = Parameters<Registry[T]["definition"]["nameOf"]>[0];

/** An object of the account, with the last part of its resource's type. */
export type Owned = { [T in ObjectType]: { readonly type: T; readonly record: RecordOf<T> } }[ObjectType];

/** The types of all objects, in the registry's order. */
export const types = Object.entries(resources).flatMap(([type, resource]) =>
	"definition" in resource ? [type as ObjectType] : [],
);

/** The name for people. */
export const nounOf = (type: Owned["type"]) => resources[type].definition.noun;

/** What people call an object; undefined if it has no name of its own. */
export function labelOf({ type, record }: Owned): string | undefined {
	switch (type) {
		case "Number":
			return record.label ?? undefined;
		case "SipTrunk":
		case "KycProfile":
			return record.name ?? undefined;
		case "Webhook":
			// The rest of a URL may hold a secret.
			return URL.canParse(record.url ?? "") ? new URL(record.url ?? "").host : undefined;
		case "PortOrder":
			return listed(record.numbers ?? [], ", ");
	}
}

/** An object that exists but can't be read. */
export interface Unreadable {
	readonly type: Owned["type"];
	readonly id: string | undefined;
	readonly error: TelephonyError;
}

export interface Account {
	readonly client: Client;
	readonly objects: readonly Owned[];
	readonly unreadable: readonly Unreadable[];
	/** The time at the service, ms since 1970. */
	readonly now: number;
	/** The same objects by single reads, without the ones that are gone: a list may lag or show less. */
	again(objects: readonly Owned[]): Promise<readonly Owned[]>;
}

/** @param settings the environment and the stack's configuration @param wanted default: all @throws UsageError */
export const openAccount = <T>(
	settings: NodeJS.ProcessEnv,
	cwd: string,
	work: (account: Account) => Promise<T>,
	wanted: readonly ObjectType[] = types,
): Promise<T> => openClient(settings, cwd, async (client) => work(await look(client, wanted)));

/** The same without reading the account first. @throws UsageError */
export async function openClient<T>(
	settings: NodeJS.ProcessEnv,
	cwd: string,
	work: (client: Client, config: Config) => Promise<T>,
	stack: ConfigSource = () => undefined,
): Promise<T> {
	let client: Client | undefined;
	try {
		const config = readConfig(stack, settings, cwd);
		client = createClient(config);
		return await work(client, config);
	} catch (error) {
		throw asUsageError(error);
	} finally {
		await client?.close();
	}
}

async function look(client: Client, wanted: readonly ObjectType[]): Promise<Account> {
	const unreadable: Unreadable[] = [];
	const all = async (type: Owned["type"], list: AsyncIterable<readonly object[]>): Promise<Owned[]> => {
		const found: object[] = [];
		try {
			for await (const page of list) {
				found.push(...page);
				unreadable.push(...unreadableIn(page).map(({ id, error }) => ({ type, id, error })));
			}
		} catch (error) {
			// A service without trunks has none.
			if (!isTelephonyError(error, "NotOffered")) throw error;
		}
		return found.map((record) => ({ type, record }) as Owned);
	};
	const sourceOf = (type: Owned["type"]) => kinds[nounOf(type)](client);
	const objects: Owned[] = [];
	for (const type of wanted) objects.push(...(await all(type, sourceOf(type).pages())));
	const single = async (each: Owned): Promise<Owned | undefined> => {
		try {
			return { type: each.type, record: await sourceOf(each.type).get(each.record.id) } as Owned;
		} catch (error) {
			if (isGone(error)) return undefined;
			if (isTelephonyError(error, "NotOffered")) return each;
			throw error;
		}
	};
	return {
		client,
		objects: objects.filter(isThere),
		unreadable,
		now: client.now(),
		again: async (objects) => {
			const read = await Promise.all(objects.map(single));
			return read.filter((each) => each !== undefined).filter(isThere);
		},
	};
}

/** Whether it still stands for something: a port order that has ended, or is about to, needs nobody any more. */
function isThere({ type, record }: Owned): boolean {
	if (type === "Number") return !isReleasedOrFailed(record);
	return type !== "PortOrder" || (isOpenPort(record) && record.status !== "cancel_pending");
}
