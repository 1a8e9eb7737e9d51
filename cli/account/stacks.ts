/** Reads an account together with the states of several stacks. */
import { resolve } from "node:path";
import { accountPinIn, assertPinned } from "../../provider/reads/account-pin";
import { accountConfig, environmentConfig, isOfFolder, type StackConfig } from "../engine/config";
import { selectedStack } from "../engine/state";
import type { Origin } from "../report/model";
import { assertOptions, type ReportOptions } from "../report/options";
import { warn } from "../report/publish";
import { UsageError } from "../report/usage";
import { type Account, type ObjectType, openClient, readAccount } from "./account";
import { type ExplicitProvider, type Holding, stackState, type Unfinished } from "./holdings";
import { assertOwnAccount } from "./identity";

export interface StacksOptions extends ReportOptions {
	readonly cwd: string;
	readonly stack?: readonly string[];
}

/** Fields of each report about several stacks. */
export interface StacksReport extends Pick<Origin, "account" | "at"> {
	readonly stacks: readonly string[];
	/** Providers with their own key or address, whose accounts are not read. */
	readonly otherAccounts: readonly ExplicitProvider[];
}

/** The contents of the states of several stacks. */
export interface Held {
	readonly stacks: readonly string[];
	readonly holdings: readonly Holding[];
	readonly unfinished: readonly Unfinished[];
}

/** @param wanted types of objects to read; default: all @throws UsageError */
export async function withStacksAndAccount<T extends object>(
	{ stack, output, ...options }: StacksOptions,
	work: (account: Account, held: Held) => Promise<T>,
	wanted?: readonly ObjectType[],
): Promise<StacksReport & T> {
	for (const named of stack ?? [undefined]) assertOptions({ cwd: options.cwd, stack: named, output });
	const cwd = resolve(options.cwd);
	const stacks = [...new Set(stack ?? [await selectedStack(cwd)])];
	const { settings, origin, otherPins } = await settingsOf(stacks, cwd);
	const readStates = () => Promise.all(stacks.map((name) => stackState(name, cwd)));
	try {
		return await openClient({ ...process.env, ...settings }, cwd, async (client, config) => {
			for (const { given, from } of otherPins) {
				const pin = accountPinIn(given, from);
				if (pin !== undefined) await assertPinned(client, pin, config.baseUrl);
			}
			// The account is read before the states: the state has an object that an `up` buys meanwhile, or its operation.
			const account = await readAccount(client, wanted);
			const states = await readStates();
			const otherAccounts = states.flatMap(({ providers }) => providers);
			const holdings = states.flatMap((state) => state.holdings);
			// Objects of a provider with its own key may all be on another account.
			if (otherAccounts.length === 0 && process.env.TELEPHONY_ACCEPT_EMPTY_ACCOUNT !== "yes")
				assertOwnAccount(account, holdings, config);
			const unfinished = states.flatMap((state) => state.unfinished);
			return { stacks, ...origin, ...(await work(account, { stacks, holdings, unfinished })), otherAccounts };
		});
	} catch (error) {
		// A stack that doesn't exist has no key either: then the error about the stack is the better one.
		if (error instanceof UsageError && settings.TELEPHONY_API_KEY === undefined) await readStates();
		throw error;
	}
}

interface GivenPin {
	readonly given: string | undefined;
	readonly from: string;
}

interface SharedConfig extends StackConfig {
	/** Pins of the other stacks that use the same key. */
	readonly otherPins: readonly GivenPin[];
}

/** Returns the settings of the first stack of this folder. @throws UsageError if the stacks use different services */
async function settingsOf(stacks: readonly string[], cwd: string): Promise<SharedConfig> {
	const names = stacks.filter((stack) => isOfFolder(stack, cwd));
	const [first, ...others] = await Promise.all(names.map((stack) => accountConfig(cwd, stack, process.env)));
	if (first === undefined) return { ...environmentConfig(process.env), otherPins: [] };
	const otherPins: GivenPin[] = [];
	for (const [index, otherConfig] of others.entries()) {
		const both = `the stacks ${names[0]} and ${names[index + 1]}`;
		if (otherConfig.origin.account !== first.origin.account)
			throw new UsageError("usage", `${both} use different services: run the command for each service alone.`);
		if (otherConfig.settings.TELEPHONY_API_KEY !== first.settings.TELEPHONY_API_KEY)
			warn(`${both} have different API keys: only the account of the first is read.`);
		else
			otherPins.push({
				given: otherConfig.settings.TELEPHONY_ACCOUNT,
				from: `telephony:account of stack ${names[index + 1]}`,
			});
	}
	return { ...first, otherPins };
}

/** Notes for a report about several stacks. */
export const otherAccountNotes = ({ otherAccounts }: StacksReport): string[] =>
	otherAccounts.map(
		({ stack, name, account }) =>
			`Stack ${stack} has a provider ${name} with its own ${account === undefined ? "key" : `address (${account})`}, perhaps of another account, which was not read. Run the command again with that account's TELEPHONY_API_KEY, TELEPHONY_BASE_URL and TELEPHONY_ACCOUNT.`,
	);

/** `stacks dev, prod`. */
export const stackList = (stacks: readonly string[]): string =>
	`${stacks.length === 1 ? "stack" : "stacks"} ${stacks.join(", ")}`;
