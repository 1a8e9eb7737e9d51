/** `telephony release`: releases numbers of a stack that no resource of its state holds. */
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Client } from "../provider/api/client";
import type { NumberRecord } from "../provider/api/contract";
import { isGone } from "../provider/api/errors";
import { formatMoney, formatMoneys, Sum } from "../provider/api/money";
import { isReleasedOrFailed, nameOf, statusOf } from "../provider/api/record";
import { isLeft } from "../provider/ownership/reference";
import { matchesName } from "../provider/resources/number/adopt";
import { releaseAtService } from "../provider/resources/number/release";
import { openClient } from "./account";
import { columns } from "./columns";
import { confirm } from "./confirm";
import { type Holding, heldBy, isFile } from "./held";
import { assertOptions } from "./options";
import { present } from "./origin";
import { printable } from "./report";
import { type StackName, stackNameOf } from "./stack-name";
import { UsageError } from "./usage";

interface Options {
	readonly cwd: string;
	readonly stack: string;
	readonly left: boolean;
	readonly yes: boolean;
	readonly unprotect: boolean;
}

async function run(wanted: readonly string[], options: Options): Promise<void> {
	const { left, yes, unprotect } = options;
	const { stack, cwd: folder } = options;
	assertOptions({ cwd: folder, stack });
	if (left === wanted.length > 0)
		throw new UsageError("usage", "name the numbers to release, or give --left for all left numbers of the stack.");
	const cwd = resolve(folder);
	const { settings, config: configured } = await present(isFile(stack) ? { cwd } : { cwd, stack }, process.env);
	const held = await heldBy(stack, cwd);
	const work = async (client: Client, config: Parameters<typeof stackNameOf>[3]) => {
		const stackName = stackNameOf(stack, cwd, held, config);
		const live = await liveNumbers(client);
		const found = left
			? leftNumbers(live, held.holdings, stackName)
			: numbersOf(wanted, live, held.holdings, stackName);
		const chosen = unprotected(found, { left, unprotect });
		if (chosen.length === 0)
			return say(`stack ${stackName.home} has no left numbers to release on the account: nothing was changed.`);
		say(`${tableOf(chosen)}\n\n${totalOf(chosen)} ${comesBack(client)}`);
		const [only, ...more] = chosen;
		if (!yes && only !== undefined)
			await (more.length === 0
				? confirm("To release it", only.id, "nothing was released", (answer) => matchesName(only, answer))
				: confirm("To release them", stackName.stack, "nothing was released"));
		for (const record of chosen) await releaseOne(client, record);
	};
	await openClient({ ...process.env, ...settings }, cwd, work, configured);
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function liveNumbers(client: Client): Promise<NumberRecord[]> {
	const live: NumberRecord[] = [];
	for await (const record of client.numbers.list()) if (!isReleasedOrFailed(record)) live.push(record);
	return live;
}

// ---- The numbers --------------------------------------------------------------------------------------------------------

const holderOf = (record: NumberRecord, holdings: readonly Holding[]): Holding | undefined =>
	holdings.find(({ type, id }) => type === "Number" && matchesName(record, id));

const leftNumbers = (live: readonly NumberRecord[], holdings: readonly Holding[], stack: StackName): NumberRecord[] =>
	live.filter(
		(record) =>
			isLeft(record.reference) && stack.isNamedBy(record.reference) && holderOf(record, holdings) === undefined,
	);

/** @throws UsageError if one of them can't be released */
function numbersOf(
	wanted: readonly string[],
	live: readonly NumberRecord[],
	holdings: readonly Holding[],
	stack: StackName,
): NumberRecord[] {
	const found = wanted.map((name) => {
		const record = live.find((each) => matchesName(each, name));
		if (record === undefined)
			throw new UsageError(
				"not-found",
				`there is no number ${name} on the account: it is unknown or released already. Nothing was released.`,
			);
		assertReleasable(record, holderOf(record, holdings), stack);
		return record;
	});
	return [...new Set(found)];
}

function assertReleasable(
	record: NumberRecord,
	holder: Holding | undefined,
	{ home, isNamedBy, ownerOf }: StackName,
): void {
	const name = nameOf(record);
	if (holder !== undefined) {
		const pool = /^(.*)\[\d+\]$/.exec(holder.name)?.[1];
		const removal =
			pool === undefined ? "remove the resource" : `name it in \`releaseFirst\` of \`${pool}\`, lower \`count\``;
		throw new UsageError(
			"claimed",
			`\`${holder.name}\` of stack ${home} holds ${name}. Nothing was released. Set its \`onDelete: "release"\`, run \`pulumi up\`, then ${removal} and run \`pulumi up\` again.`,
		);
	}
	if (isNamedBy(record.reference)) return;
	const owner = record.reference ? `${ownerOf(record.reference)} claims it` : "nothing claims it";
	throw new UsageError(
		"claimed",
		`${name} isn't a number of stack ${home}: ${owner}. Nothing was released. ${record.reference ? "Release it from there." : "`telephony orphans` says what you can do with it."}`,
	);
}

/** @throws UsageError if a number that the user names is protected */
function unprotected(
	records: readonly NumberRecord[],
	{ left, unprotect }: Pick<Options, "left" | "unprotect">,
): readonly NumberRecord[] {
	const guarded = records.filter(({ release_protection: isProtected }) => isProtected === true);
	if (unprotect || guarded.length === 0) return records;
	const names = guarded.map(nameOf).join(", ");
	if (!left)
		throw new UsageError(
			"usage",
			`${names} is protected from release. Nothing was released. Add --unprotect to release it.`,
		);
	say(printable(`protected, so not released without --unprotect: ${names}`));
	return records.filter((record) => !guarded.includes(record));
}

// ---- What is shown ------------------------------------------------------------------------------------------------------

function tableOf(records: readonly NumberRecord[]): string {
	const rows = records.map((record) => {
		const { country, type, area, label, created_at: since, price, reference } = record;
		return [
			nameOf(record),
			[country, type, area].filter(Boolean).join(" "),
			label ?? "",
			statusOf(record),
			since ?? "",
			price?.monthly ? formatMoney(price.monthly) : "unknown",
			isLeft(reference) ? "left" : "not in the state",
		];
	});
	const head = ["number", "kind", "label", "status", "since", "a month", "claim"];
	return columns([head, ...rows].map((row) => row.map((cell) => [printable(cell)])));
}

function totalOf(records: readonly NumberRecord[]): string {
	const rent = new Sum();
	for (const { price } of records) if (price?.monthly) rent.add(price.monthly);
	const amounts = rent.amounts();
	const count = `${records.length} ${records.length === 1 ? "number" : "numbers"}`;
	return amounts.length === 0 ? `${count}.` : `${count}, ${formatMoneys(amounts)} a month.`;
}

/** Whether a released number can come back. */
export const comesBack = (client: Pick<Client, "offers">): string =>
	client.offers("restore")
		? "The service can restore them during their quarantine, and not after it."
		: "They may be lost for ever, because the service may not restore numbers.";

// ---- The release --------------------------------------------------------------------------------------------------------

/** @throws UsageError if the number has been claimed meanwhile */
async function releaseOne(client: Client, { id, reference }: NumberRecord): Promise<void> {
	try {
		const record = await client.numbers.get(id);
		if (record.reference !== reference)
			throw new UsageError("claimed", `${nameOf(record)} has been claimed meanwhile, so it was not released.`);
		if (record.release_protection === true) await client.numbers.patch(id, { release_protection: false });
		await releaseAtService(client, record);
		say(printable(`released ${nameOf(record)}`));
	} catch (error) {
		if (!isGone(error)) throw error;
		say(printable(`${id} was released already`));
	}
}

export const addRelease = (program: Command): void => {
	program
		.command("release")
		.description("Release numbers of a stack that its state doesn't hold: shows them, and asks.")
		.argument("[numbers...]", "their ids, or their E.164")
		.requiredOption("-s, --stack <name>", "the stack that they belong to")
		.option("--left", "all numbers that the stack has left on the account", false)
		.option("--unprotect", "release protected numbers too", false)
		.option("-C, --cwd <dir>", "the project's folder", ".")
		.option("--yes", "don't ask", false)
		.addHelpText(
			"after",
			"\nExit codes: 0 released, or none left; 2 usage; 3 key rejected; 6 no such stack; 1 anything else.",
		)
		.action(run);
};
