/** A report on the account of several stacks, and on their states. */
import { resolve } from "node:path";
import { type Account, type ObjectType, openAccount } from "./account";
import { outputOf } from "./engine";
import { type Holding, heldBy, isFile, type OwnProvider } from "./held";
import { warn } from "./job";
import { escaped } from "./markdown";
import { assertOptions, type ReportOptions } from "./options";
import { type Origin, present } from "./origin";
import { assertStarted } from "./refusals";
import { originOf, printable } from "./report";
import { UsageError } from "./usage";

export interface StacksOptions extends ReportOptions {
	readonly cwd: string;
	readonly stack?: readonly string[];
}

/** What the JSON of each such report has. */
export interface StacksReport extends Pick<Origin, "account" | "at"> {
	readonly stacks: readonly string[];
	/** Providers of the stacks with a key or an address of their own: their accounts are not read. */
	readonly otherAccounts: readonly OwnProvider[];
}

/** @param wanted the types of objects that are read; default: all @throws UsageError */
export async function lookAt<T extends object>(
	{ stack, output, ...options }: StacksOptions,
	work: (account: Account, held: readonly Holding[], stacks: readonly string[]) => Promise<T>,
	wanted?: readonly ObjectType[],
): Promise<StacksReport & T> {
	for (const each of stack ?? [undefined]) assertOptions({ cwd: options.cwd, stack: each, output });
	const cwd = resolve(options.cwd);
	const stacks = [...new Set(stack ?? [await selected(cwd)])];
	const { settings, origin } = await settingsOf(stacks, cwd);
	const held = () => Promise.all(stacks.map((stack) => heldBy(stack, cwd)));
	const look = async (account: Account) => {
		const states = await held();
		const otherAccounts = states.flatMap(({ providers }) => providers);
		for (const provider of otherAccounts) warn(otherAccount(provider));
		const holdings = states.flatMap(({ holdings }) => holdings);
		return { stacks, ...origin, ...(await work(account, holdings, stacks)), otherAccounts };
	};
	try {
		// The account is read before the states: an object that an `up` buys meanwhile is in neither, or in both.
		return await openAccount({ ...process.env, ...settings }, cwd, look, wanted);
	} catch (error) {
		// A stack that doesn't exist has no key either: then the error about the stack is the better one.
		if (error instanceof UsageError && settings.TELEPHONY_API_KEY === undefined) await held();
		throw error;
	}
}

/** Returns the name of the selected stack. @throws UsageError if there is none */
async function selected(cwd: string): Promise<string> {
	const { text, code, stderr } = await outputOf(["stack", "--show-name"], { cwd });
	const [name] = text.split("\n");
	if (code === 0 && name) return name;
	assertStarted(stderr);
	throw new UsageError("engine", `the selected stack is unknown: ${printable(stderr)}`);
}

/** Of the first stack; a file has none. @throws UsageError if the stacks use different services */
async function settingsOf(stacks: readonly string[], cwd: string): ReturnType<typeof present> {
	const names = stacks.filter((stack) => !isFile(stack));
	const [first, ...others] = await Promise.all(names.map((stack) => present({ cwd, stack }, process.env)));
	if (first === undefined) return present({ cwd }, process.env);
	for (const [index, other] of others.entries()) {
		const what = `the stacks ${names[0]} and ${names[index + 1]}`;
		if (other.origin.account !== first.origin.account)
			throw new UsageError("usage", `${what} use different services: run the command for each service alone.`);
		if (other.settings.TELEPHONY_API_KEY !== first.settings.TELEPHONY_API_KEY)
			warn(`${what} have different API keys: only the account of the first is looked at.`);
	}
	return first;
}

/** The hint about an account that is not read. */
const otherAccount = ({ stack, name, account }: OwnProvider): string =>
	`stack ${stack} has a provider ${name} with ${account === undefined ? "a key" : `an address (${account})`} of its own, perhaps of another account, which was not read: run this again with that account's TELEPHONY_API_KEY and TELEPHONY_BASE_URL.`;

/** `stacks dev, prod`. */
export const named = (stacks: readonly string[]): string =>
	`${stacks.length === 1 ? "stack" : "stacks"} ${stacks.join(", ")}`;

/** The top of such a report in Markdown. */
export function headOf(headline: string, report: StacksReport): string {
	const others = report.otherAccounts.map((provider) => `\n${escaped(printable(otherAccount(provider)))}\n`).join("");
	return `${escaped(headline)}\n\n${escaped(originOf(report))}\n${others}`;
}
