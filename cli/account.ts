/** Every number, trunk and webhook of an account, whoever manages it. */
import { unreadableIn } from "../provider/api/answer";
import {
	type Client,
	createClient,
	type NumberRecord,
	type TrunkRecord,
	type WebhookRecord,
} from "../provider/api/client";
import { isGone, isTelephonyError, type TelephonyError } from "../provider/api/errors";
import { isReleasedOrFailed } from "../provider/api/record";
import { resources } from "../provider/resources";
import { readConfig } from "../provider/session/config";
import { kinds } from "../provider/session/kinds";
import { asUsageError } from "./usage";

/** An object of the account, with the last part of its resource's type. */
export type Owned =
	| { readonly type: "Number"; readonly record: NumberRecord }
	| { readonly type: "SipTrunk"; readonly record: TrunkRecord }
	| { readonly type: "Webhook"; readonly record: WebhookRecord };

const types = Object.entries(resources).flatMap(([type, resource]) =>
	"definition" in resource ? [type as Owned["type"]] : [],
);

/** The name for people. */
export const nounOf = (type: Owned["type"]) => resources[type].definition.noun;

/** An object that exists but can't be read. */
export interface Unreadable {
	readonly type: Owned["type"];
	readonly id: string | undefined;
	readonly error: TelephonyError;
}

export interface Account {
	readonly objects: readonly Owned[];
	readonly unreadable: readonly Unreadable[];
	/** The time at the service, ms since 1970. */
	readonly now: number;
	/** The same objects by single reads, without the ones that are gone: a list may lag or show less. */
	again(objects: readonly Owned[]): Promise<readonly Owned[]>;
}

/** @param settings the environment and the stack's configuration @throws UsageError */
export const openAccount = <T>(
	settings: NodeJS.ProcessEnv,
	cwd: string,
	work: (account: Account) => Promise<T>,
): Promise<T> => openClient(settings, cwd, async (client) => work(await look(client)));

/** The same without reading the account first. @throws UsageError */
export async function openClient<T>(
	settings: NodeJS.ProcessEnv,
	cwd: string,
	work: (client: Client) => Promise<T>,
): Promise<T> {
	let client: Client | undefined;
	try {
		client = createClient(readConfig(() => undefined, settings, cwd));
		return await work(client);
	} catch (error) {
		throw asUsageError(error);
	} finally {
		await client?.close();
	}
}

async function look(client: Client): Promise<Account> {
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
	for (const type of types) objects.push(...(await all(type, sourceOf(type).pages())));
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
		objects: objects.filter(isThere),
		unreadable,
		now: client.now(),
		again: async (objects) => {
			const read = await Promise.all(objects.map(single));
			return read.filter((each) => each !== undefined).filter(isThere);
		},
	};
}

const isThere = ({ type, record }: Owned): boolean => type !== "Number" || !isReleasedOrFailed(record);
