/** What an account has: every number, trunk and webhook that is there, whoever manages it. */
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
import { readConfig } from "../provider/session/config";
import { asUsageError } from "./usage";

/** An object, by the last part of its resource's type. */
export type Owned =
	| { readonly type: "Number"; readonly record: NumberRecord }
	| { readonly type: "SipTrunk"; readonly record: TrunkRecord }
	| { readonly type: "Webhook"; readonly record: WebhookRecord };

/** What people call each. */
export const nouns = { Number: "number", SipTrunk: "trunk", Webhook: "webhook" } as const;

/** An object that exists but can't be read. */
export interface Odd {
	readonly type: Owned["type"];
	readonly id: string | undefined;
	readonly error: TelephonyError;
}

export interface Account {
	readonly objects: readonly Owned[];
	readonly odd: readonly Odd[];
	/** The time at the service, ms since 1970. */
	readonly now: number;
	/** As single reads show them now; those that are gone by now are left out. A list may lag or show less. */
	again(objects: readonly Owned[]): Promise<readonly Owned[]>;
}

/** @param settings the environment, with what the stack's configuration adds to it @throws UsageError */
export const openAccount = <T>(
	settings: NodeJS.ProcessEnv,
	cwd: string,
	work: (account: Account) => Promise<T>,
): Promise<T> => openClient(settings, cwd, async (client) => work(await look(client)));

/** The same without a look at what the account has. @throws UsageError */
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
	const odd: Odd[] = [];
	const all = async <R>(type: Owned["type"], list: AsyncIterable<readonly R[]>): Promise<Owned[]> => {
		const found: R[] = [];
		try {
			for await (const page of list) {
				found.push(...page);
				odd.push(...unreadableIn(page).map(({ id, error }) => ({ type, id, error })));
			}
		} catch (error) {
			// A service without trunks has none.
			if (!isTelephonyError(error, "NotOffered")) throw error;
		}
		return found.map((record) => ({ type, record }) as Owned);
	};
	const { numbers, trunks, webhooks } = client;
	const lists = [
		await all("Number", numbers.pages()),
		await all("SipTrunk", trunks.pages()),
		await all("Webhook", webhooks.pages()),
	];
	const single = async (each: Owned): Promise<Owned | undefined> => {
		const { id } = each.record;
		const read = { Number: () => numbers.getById(id), SipTrunk: () => trunks.get(id), Webhook: () => webhooks.get(id) };
		try {
			return { type: each.type, record: await read[each.type]() } as Owned;
		} catch (error) {
			if (isGone(error)) return undefined;
			if (isTelephonyError(error, "NotOffered")) return each;
			throw error;
		}
	};
	return {
		objects: lists.flat().filter(isThere),
		odd,
		now: client.now(),
		again: async (objects) => {
			const read = await Promise.all(objects.map(single));
			return read.filter((each) => each !== undefined).filter(isThere);
		},
	};
}

const isThere = ({ type, record }: Owned): boolean => type !== "Number" || !isReleasedOrFailed(record);
