import { resolve } from "node:path";
import type { Command } from "commander";
import { openAccount } from "./account";
import { type Held, heldBy, isFile } from "./held";
import { publish, warn } from "./job";
import { refuseOptions } from "./options";
import { present } from "./origin";
import { type OrphansReport, orphansHeadline, orphansOf } from "./orphans-report";
import { orphansMarkdown, orphansTable, otherAccount } from "./orphans-text";
import { originOf, printable } from "./report";
import { UsageError } from "./usage";

interface Options {
	readonly cwd: string;
	readonly stack: readonly string[];
	readonly json?: string;
	readonly markdown?: string;
}

const run = (options: Options): Promise<void> =>
	publish(options, async () => {
		const report = await look(options);
		const isFound = report.orphaned > 0;
		const table = isFound ? `\n${orphansTable(report)}\n` : "";
		return {
			report,
			markdown: orphansMarkdown(report),
			text: `${printable(orphansHeadline(report))}\n${printable(originOf(report))}\n${table}`,
			outputs: { result: isFound ? "orphans" : "clean", orphaned: report.orphaned },
			isFound,
		};
	});

async function look({ stack: stacks, json, markdown, ...options }: Options): Promise<OrphansReport> {
	for (const stack of stacks) refuseOptions({ cwd: options.cwd, stack, json, markdown });
	const cwd = resolve(options.cwd);
	const named = stacks.filter((stack) => !isFile(stack));
	const [first, ...others] = await Promise.all(
		(named.length === 0 ? [undefined] : named).map((stack) => present({ cwd, stack }, process.env)),
	);
	const { settings = {}, origin } = first ?? { origin: { at: new Date().toISOString() } };
	for (const [index, other] of others.entries()) {
		const what = `the stacks ${named[0]} and ${named[index + 1]}`;
		if (other.origin.account !== origin.account)
			throw new UsageError("usage", `${what} use different services: ask for those of each service alone.`);
		if (other.settings.TELEPHONY_API_KEY !== settings.TELEPHONY_API_KEY)
			warn(`${what} have different API keys: only the account of the first is looked at.`);
	}
	const held = async (): Promise<Held> => {
		const states = await Promise.all(stacks.map((stack) => heldBy(stack, cwd)));
		return {
			holdings: states.flatMap(({ holdings }) => holdings),
			providers: states.flatMap(({ providers }) => providers),
		};
	};
	try {
		// The account is read before the states: what an `up` buys meanwhile is in none of them, or in both.
		return await openAccount({ ...process.env, ...settings }, cwd, async (account) => {
			const { holdings, providers } = await held();
			for (const provider of providers) warn(otherAccount(provider));
			return { stacks, ...origin, ...(await orphansOf(account, holdings)), otherAccounts: providers };
		});
	} catch (error) {
		// A stack that doesn't exist has no key either, and says so better.
		if (error instanceof UsageError && settings.TELEPHONY_API_KEY === undefined) await held();
		throw error;
	}
}

export const addOrphans = (program: Command): void => {
	program
		.command("orphans")
		.description("List what the account pays for and none of these stacks holds; nothing is changed.")
		.requiredOption(
			"--stack <names...>",
			"stacks, or files that `pulumi stack export` wrote; name all of the account's",
		)
		.option("--cwd <dir>", "the project's folder", ".")
		.option("--json <file>", "write the report as JSON")
		.option("--markdown <file>", "write the report as Markdown")
		.addHelpText("after", "\nExit codes: 0 none, 7 some, 3 key rejected, 1 anything else.")
		.action(run);
};
