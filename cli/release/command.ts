/** `telephony release`: releases numbers of a stack that no resource of its state holds. */
import { constants } from "node:os";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Client } from "../../provider/api/client";
import { systemClock } from "../../provider/api/clock";
import type { NumberRecord } from "../../provider/api/contract";
import { isNotFound, isTelephonyError, TelephonyError } from "../../provider/api/errors";
import { formatMoney, formatMoneys } from "../../provider/api/money";
import { isReleaseProtected, nameOf, statusOf } from "../../provider/api/record";
import { isReferenced } from "../../provider/lifecycle/acquire";
import { isRetained } from "../../provider/ownership/reference";
import { canonicalNumber } from "../../provider/properties/canonical";
import { listed } from "../../provider/properties/display";
import { isMisspelledE164 } from "../../provider/properties/phone";
import { matchesName } from "../../provider/resources/number/candidates";
import { releaseConfirmed } from "../../provider/resources/number/release";
import type { Config } from "../../provider/session/config";
import { openClient, readAccount, restoreNote } from "../account/account";
import { type Holding, stackState, type Unfinished, waitForRun } from "../account/holdings";
import { type StackName, stackNameOf } from "../account/stack-name";
import { accountConfig } from "../engine/config";
import { isFile } from "../engine/state";
import { confirm } from "../report/confirm";
import { counted, printable, sumOf } from "../report/model";
import { assertOptions, withFolder } from "../report/options";
import { tableText } from "../report/terminal";
import { UsageError } from "../report/usage";

interface Options {
	readonly cwd: string;
	readonly stack: string;
	readonly retained: boolean;
	readonly yes: boolean;
	readonly unprotect: boolean;
}

async function run(names: readonly string[], options: Options): Promise<void> {
	const { stack, retained: releasesRetained, cwd: folder } = options;
	assertNumberNames(names);
	assertOptions({ cwd: folder, stack });
	if (releasesRetained === names.length > 0)
		throw new UsageError(
			"usage",
			"name the numbers to release, or give --retained for all retained numbers of the stack.",
		);
	const cwd = resolve(folder);
	const { settings, config: configured } = await accountConfig(cwd, stack, process.env);
	const state = await stackState(stack, cwd);
	const work = async (client: Client, config: Config) => {
		const stackName = stackNameOf(stack, cwd, state, config);
		const { objects } = await readAccount(client, ["Number"]);
		const live = objects.flatMap((owned) => (owned.type === "Number" ? [owned.record] : []));
		assertReferenced(client, live);
		const found = releasesRetained
			? retainedNumbers(live, state.holdings, stackName)
			: namedNumbers(names, live, state.holdings, stackName);
		if (isFile(stack, cwd)) assertRetained(found, stackName);
		assertNoRun(found, stackName, state.unfinished);
		const chosen = withoutProtected(found, options);
		if (chosen.length === 0)
			return print(
				`stack ${stackName.stackName} has no retained numbers to release on the account: nothing was changed.${namesakes(live, stackName)}`,
			);
		print(`${numberTable(chosen)}\n\n${totalOf(chosen)} ${restoreNote(client)}`);
		if (!options.yes) await confirmRelease(chosen, stackName);
		await releaseAll(client, chosen);
	};
	await openClient({ ...process.env, ...settings }, cwd, work, configured);
}

/** @throws UsageError for text that may be another number than the user means */
function assertNumberNames(names: readonly string[]): void {
	const wrong = names.find(isMisspelledE164);
	if (wrong === undefined) return;
	throw new UsageError(
		"usage",
		`${JSON.stringify(wrong)} isn't a number. Nothing was released. Name a number by its id, or by its E.164 without other text, such as +31201234567.`,
	);
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

// ---- Choosing numbers ---------------------------------------------------------------------------------------------------

/** @throws UsageError if the service keeps no references, which show whose number it is */
function assertReferenced(client: Client, live: readonly NumberRecord[]): void {
	if (isReferenced({ client }, live) || (live.length === 0 && !client.knows("reference"))) return;
	throw new UsageError(
		"claimed",
		'this service keeps no references, so it is unknown which stack a number belongs to. Nothing was released. Release the number in the service\'s dashboard, or name its id in `adopt` of a program with `onDelete: "release"`, run `pulumi up`, remove the resource and run `pulumi up` again.',
	);
}

/** An empty state doesn't show the owner of its numbers. */
const toNameOwner = "If that is this stack, name it as ORGANIZATION/PROJECT/STACK, or set its `telephony:owner`.";

function namesakes(live: readonly NumberRecord[], stack: StackName): string {
	const others = live.filter(({ reference }) => isRetained(reference) && stack.isNamesake(reference));
	if (others.length === 0) return "";
	return ` A stack of this name with another owner has retained ${listed(others.map(nameOf), ", ")}. ${toNameOwner}`;
}

const findHolding = (record: NumberRecord, holdings: readonly Holding[]): Holding | undefined =>
	holdings.find(({ type, id }) => type === "Number" && matchesName(record, id));

const retainedNumbers = (
	live: readonly NumberRecord[],
	holdings: readonly Holding[],
	stack: StackName,
): NumberRecord[] =>
	live.filter(
		(record) =>
			isRetained(record.reference) && stack.isNamedBy(record.reference) && findHolding(record, holdings) === undefined,
	);

/** @throws UsageError if one of them can't be released */
function namedNumbers(
	names: readonly string[],
	live: readonly NumberRecord[],
	holdings: readonly Holding[],
	stack: StackName,
): NumberRecord[] {
	const found = names.map((name) => {
		const record = live.find((number) => matchesName(number, name));
		if (record === undefined)
			throw new UsageError(
				"not-found",
				`there is no number ${name} on the account: it is unknown or released already. Nothing was released. Name a number by its id, or by its E.164 with the \`+\`.`,
			);
		assertReleasable(record, findHolding(record, holdings), stack);
		return record;
	});
	return [...new Set(found)];
}

function assertReleasable(record: NumberRecord, holding: Holding | undefined, stack: StackName): void {
	const name = nameOf(record);
	if (holding !== undefined) {
		const pool = /^(.*)\[\d+\]$/.exec(holding.name)?.[1];
		const removal =
			pool === undefined ? "remove the resource" : `name it in \`releaseFirst\` of \`${pool}\`, lower \`count\``;
		throw new UsageError(
			"claimed",
			`\`${holding.name}\` of stack ${stack.stackName} holds ${name}. Nothing was released. Set its \`onDelete: "release"\`, run \`pulumi up\`, then ${removal} and run \`pulumi up\` again.`,
		);
	}
	const { reference } = record;
	if (stack.isNamedBy(reference)) return;
	const [owner, fix] = reference
		? [
				`${stack.ownerOf(reference)} claims it`,
				`Release it from there.${stack.isNamesake(reference) ? ` ${toNameOwner}` : ""}`,
			]
		: ["nothing claims it", "`telephony orphans` lists what you can do with it."];
	throw new UsageError(
		"claimed",
		`${name} isn't a number of stack ${stack.stackName}: ${owner}. Nothing was released. ${fix}`,
	);
}

/** @throws UsageError for a number that the stack may hold by now, because a state in a file may be old */
function assertRetained(records: readonly NumberRecord[], { stackName }: StackName): void {
	const claimed = records.filter(({ reference }) => !isRetained(reference));
	if (claimed.length === 0) return;
	const names = listed(claimed.map(nameOf), ", ");
	throw new UsageError(
		"claimed",
		`stack ${stackName} claims ${names}, and may hold it since the file was written. Nothing was released. Name the stack in --stack instead of the file.`,
	);
}

/** @throws UsageError for a number that a run may be buying: only its end adds the number to the state */
function assertNoRun(records: readonly NumberRecord[], { stackName }: StackName, [first]: readonly Unfinished[]): void {
	const claimed = records.filter(({ reference }) => !isRetained(reference));
	if (first === undefined || claimed.length === 0) return;
	throw new UsageError(
		"claimed",
		`a run of stack ${stackName}, which may still be active, hasn't finished \`${first.name}\` and may need ${listed(claimed.map(nameOf), ", ")}. Nothing was released. ${waitForRun(first)}`,
	);
}

/** @throws UsageError if the user names a protected number */
function withoutProtected(
	records: readonly NumberRecord[],
	{ retained: releasesRetained, unprotect }: Pick<Options, "retained" | "unprotect">,
): readonly NumberRecord[] {
	const names = records.filter(isReleaseProtected).map(nameOf).join(", ");
	if (unprotect || names === "") return records;
	if (!releasesRetained)
		throw new UsageError(
			"usage",
			`${names} is protected from release. Nothing was released. Add --unprotect to release it.`,
		);
	print(printable(`protected, so not released without --unprotect: ${names}`));
	return records.filter((record) => !isReleaseProtected(record));
}

// ---- Asking -------------------------------------------------------------------------------------------------------------

const columns = ["number", "kind", "label", "status", "since", "monthly", "claim"].map((title) => ({ title }));

const numberTable = (records: readonly NumberRecord[]): string =>
	tableText({
		columns,
		rows: records.map((record) => [
			nameOf(record),
			[record.country, record.type, record.area].filter(Boolean).join(" "),
			record.label ?? "",
			statusOf(record),
			record.created_at ?? "",
			record.price?.monthly ? formatMoney(record.price.monthly) : "unknown",
			isRetained(record.reference) ? "retained" : "not in the state",
		]),
	});

function totalOf(records: readonly NumberRecord[]): string {
	const amounts = sumOf(records.map(({ price }) => price?.monthly)).amounts();
	const count = counted(records.length, "number");
	return amounts.length === 0 ? `${count}.` : `${count}, ${formatMoneys(amounts)} a month.`;
}

/** @throws UsageError unless the user agrees */
async function confirmRelease([first, ...others]: readonly NumberRecord[], { stack }: StackName): Promise<void> {
	if (first === undefined) return;
	await (others.length === 0
		? confirm("To release it", first.id, "nothing was released", (answer) => matchesName(first, answer))
		: confirm("To release them", stack, "nothing was released"));
}

// ---- Releasing ----------------------------------------------------------------------------------------------------------

/**
 * Releases one number after the other. After a signal, it finishes the one under way: otherwise its routing and protection,
 * which a release may clear, would be lost.
 * @throws TelephonyError or UsageError that names the numbers which are still on the account
 */
async function releaseAll(client: Client, records: readonly NumberRecord[]): Promise<void> {
	let signal: NodeJS.Signals | undefined;
	const onSignal = (name: NodeJS.Signals) => {
		signal = name;
		process.stderr.write(`telephony: ${name}: the command finishes the number under way first, please wait\n`);
	};
	// A second one ends the command at once.
	for (const name of signals) process.once(name, onSignal);
	try {
		for (const [index, record] of records.entries()) {
			const names = listed(records.slice(index).map(nameOf), ", ");
			if (signal !== undefined) throw interrupted(signal, `${names} not released.`);
			const failure = await releaseNumber(client, record).catch((error: unknown) => error);
			if (failure === undefined) continue;
			if (!isTelephonyError(failure)) throw failure;
			if (isNotFound(failure)) print(printable(`${record.id} was released already`));
			else if (signal !== undefined) throw interrupted(signal, `${names} not released: ${failure.text}`);
			else throw new TelephonyError(failure.kind, `${names} not released: ${failure.text}`, { cause: failure });
		}
	} finally {
		for (const name of signals) process.off(name, onSignal);
	}
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const interrupted = (signal: NodeJS.Signals, text: string): UsageError =>
	new UsageError("interrupted", `${signal} ended the command. ${text}`, 128 + constants.signals[signal]);

/** @throws TelephonyError; the number is then as it was */
async function releaseNumber(client: Client, selected: NumberRecord): Promise<void> {
	const { id } = selected;
	const record = await client.numbers.get(id);
	assertSame(record, selected);
	const isProtected = isReleaseProtected(record);
	if (isProtected) await client.numbers.patch(id, { release_protection: false });
	try {
		await releaseConfirmed({ clock: systemClock }, record, {
			release: () => client.numbers.release(id),
			read: () => client.numbers.get(id),
			patch: (body) => client.numbers.patch(id, body),
		});
	} catch (error) {
		if (isProtected && !isNotFound(error)) await client.numbers.patch(id, { release_protection: true });
		throw error;
	}
	print(printable(`released ${nameOf(record)}`));
}

/** @throws TelephonyError if the id stands for another number, or for one that was claimed since it was listed */
function assertSame(record: NumberRecord, selected: NumberRecord): void {
	if (
		record.number != null &&
		selected.number != null &&
		canonicalNumber(record.number) !== canonicalNumber(selected.number)
	)
		throw new TelephonyError(
			"Claimed",
			`the list shows ${nameOf(selected)}, but a single read shows ${nameOf(record)}. Check the API key and the address of the service.`,
		);
	if ((record.reference ?? null) !== (selected.reference ?? null))
		throw new TelephonyError("Claimed", `another run has just claimed ${nameOf(record)}. Run the command again.`);
}

export const addRelease = (program: Command): void => {
	withFolder(program.command("release"))
		.description(
			"Release numbers that a stack retained or claimed, but no longer has in its state. Lists the numbers and asks first.",
		)
		.argument("[numbers...]", "ids, or numbers in E.164")
		.requiredOption("-s, --stack <name>", "the stack that retained or claimed the numbers; required")
		.option("--retained", "all numbers that the stack has retained", false)
		.option("--unprotect", "also release protected numbers", false)
		.option("--yes", "skip the question", false)
		.addHelpText(
			"after",
			"\nExit codes: 0 released, or none retained; 2 usage; 3 key rejected; 6 no such stack; 1 any other error.",
		)
		.action(run);
};
