/** An account of its own for one test, and what other people do to it. */
import {
	type Control,
	createEmulator,
	type Decision,
	type Edit,
	type EmulatorOptions,
	type KycReason,
	type LedgerRow,
} from "../../emulator";
import { functionOf } from "../../emulator/control/edits";
import { type KindName, kinds } from "../../provider/api/contract";
import { environmentOf, pretend } from "./environment";
import { openStack, type StackOptions, type TestStack } from "./stack";

/** Those of `createEmulator` that a test may want. By default the clock is real, and KYC waits for a decision. */
export type AccountOptions = Pick<
	EmulatorOptions,
	"kyc" | "clock" | "startAt" | "profile" | "seed" | "deliverTo" | "log"
>;

/** The changes that a dashboard user can make to an object, in the service's names: `{ capacity: 7 }`, `{ routing: null }`. */
export type { Edit };

/** An account for one test. An object is named by its id, by its resource's name, or by type and name. */
export interface Account extends AsyncDisposable {
	/** Base URL of its service, with `/v1`. */
	readonly url: string;
	readonly apiKey: string;
	/** All else that can be done to it: faults, settings, calls, messages, the whole state. */
	readonly control: Control;
	/**
	 * A stack of a program, on this account and in a state of its own.
	 *
	 * @throws Error if there is no Pulumi CLI, or the project can't be read
	 */
	stack(options: StackOptions): Promise<TestStack>;
	/**
	 * Changes an object as a dashboard user would, without Pulumi.
	 *
	 * @param object its id, the name of its resource, or `SipTrunk office` if resources of several types have that name
	 * @throws Error if nothing, or more than one thing, is called so; ServiceError if the service could not be like that
	 * @example await account.edit("office", { capacity: 7 });
	 */
	edit(object: string, changes: Edit): Promise<void>;
	/** Releases a number, or deletes an object, as a dashboard user would. @throws as {@link edit} */
	remove(object: string): Promise<void>;
	/**
	 * Decides on the identity checks of a number or of a KYC profile.
	 *
	 * @param reasons why it is rejected; default: the service's own
	 * @throws as {@link edit}
	 */
	decide(object: string, decision: Decision, reasons?: readonly KycReason[]): Promise<void>;
	/** Moves the time on by a duration such as `30s`, `10m`, `2h` or `10d`, and waits until what is due then is done. */
	advance(duration: string): Promise<void>;
	/** The purchases, releases and refusals so far, oldest first. */
	ledger(): readonly LedgerRow[];
	/** Ends the service, and removes its stacks' folders and states. A second call does nothing. */
	close(): Promise<void>;
}

/** The decisions of the control API on identity checks, by kind. */
const decisions: { readonly [Name in KindName]?: "decide" | "decideProfile" } = {
	numbers: "decide",
	kycProfiles: "decideProfile",
};

type Change = (id: string, changes?: Edit) => unknown;

/** The functions that edit and remove an object of a kind, as far as the service has them. */
function changesOf(control: Control, kind: KindName): Readonly<Record<"edit" | "remove", Change | undefined>> {
	const functions: { readonly [name: string]: unknown } = { ...control };
	return {
		edit: functions[functionOf("patch", kind)] as Change | undefined,
		remove: functions[functionOf("remove", kind)] as Change | undefined,
	};
}

/**
 * Starts an account on this machine: no cost, nothing shared, in memory.
 *
 * @example
 * const account = await startAccount();
 * const stack = await account.stack({ workDir: "." });
 * await stack.up();
 * await account.edit("office", { capacity: 7 });
 * console.log((await stack.drift()).drifted);
 * await stack.destroy();
 * await account.close();
 */
export async function startAccount(options: AccountOptions = {}): Promise<Account> {
	const emulator = await createEmulator({ ...options, unref: true });
	const { url, apiKey, control } = emulator;
	const stacks: TestStack[] = [];
	// A program, or a part of it, may run in this process.
	const restore = pretend(environmentOf({ url, apiKey }));

	const find = async (object: string) => {
		const ids = await idsOf(object, stacks);
		if (ids.length > 1)
			throw new Error(`Several resources are called ${object}. Name the type too, such as "SipTrunk ${object}".`);
		const state = control.state();
		const [id = object] = ids;
		const kind = (Object.keys(kinds) as KindName[]).find(
			(name) => changesOf(control, name).edit !== undefined && state[name].some((row) => row.id === id),
		);
		if (kind !== undefined) return { id, kind };
		const resources = (await Promise.all(stacks.map((stack) => stack.resources()))).flat();
		const names = resources.map(({ type, name }) => `"${type} ${name}"`).join(", ");
		throw new Error(
			`Nothing on the account is called ${JSON.stringify(object)}. Use an id or the name of a resource; the stacks have ${names || "none"}.`,
		);
	};

	let closed: Promise<void> | undefined;
	const end = async () => {
		restore();
		await Promise.all(stacks.map((stack) => stack.close()));
		await emulator.close();
	};
	const close = () => (closed ??= end());
	return {
		...{ url, apiKey, control, close },
		async stack(given) {
			const stack = await openStack({ url, apiKey }, given);
			stacks.push(stack);
			return stack;
		},
		async edit(object, changes) {
			const { id, kind } = await find(object);
			changesOf(control, kind).edit?.(id, changes);
		},
		async remove(object) {
			const { id, kind } = await find(object);
			const { remove } = changesOf(control, kind);
			if (remove === undefined) throw new Error(`${id} can't be removed: the service keeps each ${kinds[kind].noun}.`);
			remove(id);
		},
		async decide(object, decision, reasons) {
			const { id, kind } = await find(object);
			const decide = decisions[kind];
			if (decide === undefined) throw new Error(`${id} has no identity checks: only numbers and KYC profiles do.`);
			control[decide](id, decision, reasons);
		},
		async advance(duration) {
			control.clock({ advance: duration });
			await control.settled();
		},
		ledger: () => control.ledger(),
		[Symbol.asyncDispose]: close,
	};
}

/** The ids of the resources that are called so. */
async function idsOf(called: string, stacks: readonly TestStack[]): Promise<string[]> {
	const resources = await Promise.all(stacks.map((stack) => stack.resources()));
	return resources
		.flat()
		.flatMap(({ type, name, id }) => (called === name || called === `${type} ${name}` ? [id] : []));
}
