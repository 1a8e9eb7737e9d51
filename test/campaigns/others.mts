/** What others do to the account while the program isn't looking: people, other tools, the service's own staff. */
import { createRequire } from "node:module";
import type { Client } from "../../provider/api/client.ts";
import { dialect } from "../helpers/dialect.mts";
import { type Emulator, liveNumbers, withLease } from "./account.mts";
import type { Trial } from "./campaign.mts";
import type { State } from "./engine.mts";
import { rowsOf } from "./kinds.mts";
import type { Change, Promises } from "./promises.mts";
import type { Stack } from "./stack.mts";

const { createClient } = createRequire(import.meta.url)(
	"../../dist/provider/api/client.js",
) as typeof import("../../provider/api/client.ts");

export type Decision = "approve" | "reject" | "expire";
export type Edit = Exclude<Change, "status">;

type PortDecision = "advance" | "complete" | "reject" | "cancel";
const underWay: readonly unknown[] = ["submitted", "in_review", "scheduled"];
const mayBe: Readonly<Record<PortDecision, readonly unknown[]>> = {
	advance: underWay,
	complete: underWay,
	reject: underWay,
	cancel: [...underWay, "draft", "exception"],
};

/** What another tool writes into a number's `reference`. */
const foreign = "somebody else's";

export class Others {
	readonly #emulator: Emulator;
	readonly #stack: Stack;
	readonly #trial: Trial;
	readonly #promises: Promises;

	constructor(emulator: Emulator, stack: Stack, trial: Trial, promises: Promises) {
		[this.#emulator, this.#stack, this.#trial, this.#promises] = [emulator, stack, trial, promises];
	}

	get #control() {
		return this.#emulator.control;
	}

	async edit(which: number, what: Edit): Promise<void> {
		const row = this.#pick(liveNumbers(this.#control), which);
		if (row !== undefined) await this.#edit(row, what);
	}

	/** Of the entry with that name; else of the newest number on the account. */
	async editOf(name: string, what: Edit): Promise<void> {
		const entry = (await this.#stack.state()).entries.get(name);
		const live = liveNumbers(this.#control);
		const row = entry === undefined ? live.at(-1) : live.find(({ id }) => id === entry.id);
		if (row !== undefined) await this.#edit(row, what);
	}

	async #edit(row: ReturnType<typeof liveNumbers>[number], what: Edit): Promise<void> {
		// A run that the state knows nothing of has written it: the same declaration and state, another lease.
		const attempt = withLease(row.reference, `attempt${row.id}`) ?? null;
		if (!this.#control.settings().features.reference && /foreign|reference|attempt/.test(what)) return;
		const before = row.reference ?? null;
		if ((what === "attempt" && attempt === null) || (what === "reference" && before === null)) return;
		const patch = {
			label: { label: `edited ${row.id}`.slice(0, 20) },
			reference: { reference: null },
			foreign: { reference: foreign },
			attempt: { reference: attempt },
			routing: { routing: { type: "sip_uri" as const, uri: "sip:a@elsewhere.example" } },
		}[what];
		this.#trial.say(`  ${row.id}`);
		this.#trial.count(`edits of ${what}`);
		this.#control.patchNumber(row.id, patch);
		this.#promises.touched(row.id, await this.#stack.state(), what);
	}

	async release(which: number): Promise<void> {
		const row = this.#pick(liveNumbers(this.#control), which);
		if (row === undefined) return;
		this.#trial.say(`  ${row.id}`);
		this.#trial.count("releases by somebody else");
		this.releaseNow(row.id);
		this.#promises.touched(row.id, await this.#stack.state(), "status");
	}

	releaseNow(id: string): void {
		this.#control.deleteNumber(id);
		this.#promises.released(id);
	}

	/** Somebody buys a number like the program's, through another tool. */
	async buy(country: string): Promise<void> {
		const { data } = await this.#asked((client) => client.numbers.buy({ country, type: "mobile" }));
		const id = String(data.id);
		this.#trial.say(`  ${id}`);
		this.#trial.count("purchases by somebody else");
		this.#promises.bought(id);
	}

	/** What was released comes back, while its quarantine lasts. */
	async restore(which: number): Promise<void> {
		const released = this.#control.state().numbers.filter(({ status }) => status === "released");
		const row = this.#pick(released, which);
		if (row === undefined || dialect?.operations?.restoreNumber === false) return;
		await this.#asked((client) => client.numbers.restore(row.id));
		this.#trial.say(`  ${row.id}`);
		this.#trial.count("restored by somebody else");
		this.#promises.restored(row.id, await this.#stack.state());
	}

	async decide(which: number, decision: Decision): Promise<void> {
		const row = this.#pick(this.#pending(), which);
		if (row === undefined) return;
		this.#decideOn(row.id, decision);
		this.#promises.touched(row.id, await this.#stack.state(), "status");
	}

	async decideProfile(which: number, decision: Decision): Promise<void> {
		const row = this.#pick(this.#decidable(decision), which);
		if (row !== undefined) this.#decideOnProfile(row.id, decision);
	}

	/** On all profiles that it may be said of. */
	decideProfiles(decision: Decision): void {
		for (const { id } of this.#decidable(decision)) this.#decideOnProfile(id, decision);
	}

	/** What is said of the entry with that name, whichever it is: accepted, refused with reasons, or called off. */
	async settleOf(name: string, what: "accept" | "reject" | "drop"): Promise<void> {
		const entry = (await this.#stack.state()).entries.get(name);
		if (entry === undefined) return;
		const { kind, id } = entry;
		if (kind === "kycProfile" && what !== "drop") {
			const decision = what === "accept" ? "approve" : "reject";
			if (this.#decidable(decision).some((row) => row.id === id)) this.#decideOnProfile(id, decision);
		}
		if (kind === "portOrder")
			this.#decideOnPort(id, ({ accept: "complete", reject: "reject", drop: "cancel" } as const)[what]);
	}

	/** In place of the carriers. */
	async decidePort(which: number, decision: PortDecision): Promise<void> {
		const row = this.#pick(this.#decidablePorts(decision), which);
		if (row !== undefined) this.#decideOnPort(row.id, decision);
	}

	/** On all papers that are being looked at; may come in the midst of a run. */
	decideAll(decision: Decision): void {
		for (const { id } of this.#pending()) {
			this.#decideOn(id, decision);
			if (decision !== "approve") this.#promises.ended(id);
		}
	}

	/**
	 * What an error has named as a possible number of the program's, and no declaration holds: somebody else uses theirs,
	 * ours goes.
	 */
	giveAway(id: string, state: State, declared: ReadonlySet<string>): void {
		const row = liveNumbers(this.#control).find((each) => each.id === id);
		const held = [...state.entries.values()].find((entry) => entry.id === id);
		if (row === undefined || (held !== undefined && declared.has(held.name))) return;
		if (held !== undefined) this.#promises.ended(id);
		if (this.#promises.isOurs(id)) this.releaseNow(id);
		else this.#control.patchNumber(id, { label: "in use" });
	}

	/** The numbers of an error's text no longer need anything of the program's. */
	detach(text: string): void {
		for (const { id } of liveNumbers(this.#control))
			if (text.includes(id)) this.#control.patchNumber(id, { routing: null, kyc_profile_id: null });
	}

	completePorts(): void {
		for (const { id } of this.#decidablePorts("complete")) this.#decideOnPort(id, "complete");
	}

	policy(policy: string): void {
		this.#control.kyc(policy);
	}

	// ---- Helpers ------------------------------------------------------------------------------------------------------

	/** By a client of somebody's own, once. */
	async #asked<T>(ask: (client: Client) => Promise<T>): Promise<T> {
		const { url: baseUrl, apiKey } = this.#emulator;
		const client = createClient({ baseUrl, apiKey, service: dialect, retry: { tries: 1 }, states: new Map() });
		try {
			return await ask(client);
		} finally {
			await client.close();
		}
	}

	#pick<T>(from: readonly T[], which: number): T | undefined {
		return from[which % Math.max(1, from.length)];
	}

	#pending() {
		return liveNumbers(this.#control).filter(({ status, kyc }) => status === "pending" && kyc !== null);
	}

	#decidable(decision: Decision) {
		const status = decision === "expire" ? "approved" : "in_review";
		return rowsOf(this.#control.state(), "kycProfile").filter((row) => row.status === status);
	}

	#decideOnProfile(id: string, decision: Decision): void {
		this.#trial.say(`  KYC profile ${id}: ${decision}`);
		this.#trial.count(`KYC profile ${decision}`);
		this.#control.decideProfile(id, decision);
		// The numbers that name it follow.
		const isOf = ({ kyc }: { readonly kyc: { readonly profile_id?: string | null } | null }) => kyc?.profile_id === id;
		for (const number of liveNumbers(this.#control).filter(isOf))
			if (decision !== "approve") this.#promises.ended(number.id);
	}

	#decidablePorts(decision: PortDecision) {
		return rowsOf(this.#control.state(), "portOrder").filter(({ status }) => mayBe[decision].includes(status));
	}

	#decideOnPort(id: string, decision: PortDecision): void {
		if (!this.#decidablePorts(decision).some((row) => row.id === id)) return;
		this.#trial.say(`  port order ${id}: ${decision}`);
		this.#trial.count(`port ${decision}`);
		this.#control.decidePortOrder(id, decision);
		if (decision === "cancel") this.#promises.ended(id);
	}

	#decideOn(id: string, decision: Decision): void {
		this.#trial.say(`  KYC of ${id}: ${decision}`);
		this.#trial.count(`KYC ${decision}`);
		this.#control.decide(id, decision);
	}
}
