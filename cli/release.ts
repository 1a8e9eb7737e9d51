/**
 * `telephony release`: releases one number that a run has refused to release. It describes the number, asks, releases it
 * at the service, and leaves the state to the next run, which finds the number gone.
 */
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Client, NumberRecord } from "../provider/api/client";
import { isReleasedOrFailed, nameOf, statusOf } from "../provider/api/record";
import { ownerName } from "../provider/ownership/claim";
import { parseReference } from "../provider/ownership/reference";
import { matchesName } from "../provider/resources/number/beside";
import { releaseAtService } from "../provider/resources/number/release";
import { openClient } from "./account";
import { confirm } from "./confirm";
import { type Holding, heldBy } from "./held";
import { assertOptions } from "./options";
import { present } from "./origin";
import { printable } from "./report";
import { UsageError } from "./usage";

interface Options {
	readonly cwd: string;
	readonly stack: string;
	readonly yes: boolean;
}

async function run(wanted: string, { cwd: folder, stack, yes }: Options): Promise<void> {
	assertOptions({ cwd: folder, stack });
	const cwd = resolve(folder);
	const { settings } = await present({ cwd, stack }, process.env);
	const { holdings } = await heldBy(stack, cwd);
	await openClient({ ...process.env, ...settings }, cwd, async (client) => {
		let record: NumberRecord | undefined;
		for await (const each of client.numbers.list()) if (matchesName(each, wanted)) record = each;
		if (record === undefined || isReleasedOrFailed(record))
			throw new UsageError(
				"not-found",
				`there is no number ${wanted} on the account: it is unknown or released already.`,
			);
		const holding = holdings.find(({ type, id }) => type === "Number" && id === record.id);
		assertOfStack(record, holding, stack);
		process.stdout.write(`${factsOf(record, holding)}\n${comesBack(client)}\n`);
		const names = (answer: string) => matchesName(record, answer);
		if (!yes) await confirm("To release it", record.id, "nothing was released", names);
		await releaseAtService(client, record, true);
		process.stdout.write(
			`released ${nameOf(record)}. The next \`pulumi up\` or \`pulumi refresh\` takes it out of the state.\n`,
		);
	});
}

/** Whether a released number can come back. */
export const comesBack = (client: Pick<Client, "offers">): string =>
	client.offers("restore")
		? "The service can restore it for a while (its quarantine); after that it is gone for ever."
		: "It may be gone for ever: the service doesn't say that it can restore a number.";

/** A number of this stack is in its state, or its reference names the stack. @throws UsageError for any other */
function assertOfStack({ id, reference }: NumberRecord, holding: Holding | undefined, stack: string): void {
	if (holding !== undefined) return;
	const name = stack.split("/").at(-1);
	if (parseReference(reference)?.home.split("/").at(-1) === name) return;
	const owner = reference ? ownerName(reference) : "nobody";
	throw new UsageError(
		"claimed",
		`${id} isn't a number of stack ${stack}: its state doesn't hold it, and it is claimed by ${owner}. Release it where it belongs, or in the service's dashboard.`,
	);
}

function factsOf(record: NumberRecord, holding: Holding | undefined): string {
	const { country, type, area, label, created_at: since, price, reference } = record;
	const monthly = price?.monthly;
	const facts = [
		["number", nameOf(record)],
		["kind", [country, type, area].filter(Boolean).join(" ")],
		["label", label],
		["status", statusOf(record)],
		["since", since],
		["costs", monthly ? `${monthly.amount} ${monthly.currency} a month` : undefined],
		[
			"held by",
			holding === undefined ? "no resource of this stack's state" : `\`${holding.name}\` in stack ${holding.stack}`,
		],
		["claimed by", reference ? ownerName(reference) : "nobody"],
	];
	return facts.flatMap(([name, value]) => (value ? [`${`${name}:`.padEnd(12)}${printable(value)}`] : [])).join("\n");
}

export const addRelease = (program: Command): void => {
	program
		.command("release")
		.description("Release one number that a run has refused to release: describes it, and asks.")
		.argument("<number>", "its id, or its E.164")
		.requiredOption("--stack <name>", "the stack that it belongs to")
		.option("--cwd <dir>", "the project's folder", ".")
		.option("--yes", "don't ask", false)
		.addHelpText("after", "\nExit codes: 0 released, 3 key rejected, 1 anything else: nothing was released.")
		.action(run);
};
