/** What must hold of papers, of the profiles and orders that they go into, and of what is secret in them. */
import { allIn, type Control, isOurs } from "./account.mts";
import { must } from "./campaign.mts";
import type { Entry, State } from "./engine.mts";
import { type Row, rowsOf } from "./kinds.mts";
import { secretMark } from "./papers.mts";

/** What the service alone changes of a profile or an order, or is nobody's but ours. */
const moving = new Set(
	[
		["status", "reasons", "exceptions", "reference", "submitted_at", "decided_at", "scheduled_at"],
		["next_at", "number_ids", "completed_at", "updated_at"],
	].flat(),
);

const contentOf = (row: Row): string => JSON.stringify(Object.entries(row).filter(([key]) => !moving.has(key)));

/** All that a state shows in plain text: the inputs that are secrets are kept as such, by the engine. */
const shownIn = (outputs: Readonly<Record<string, unknown>>): string =>
	JSON.stringify(outputs, (key, value) => (key === "idNumber" || key === "pin" ? undefined : value));

interface Paper {
	readonly kind: string;
	readonly sha256: string;
}

const refused: ReadonlySet<unknown> = new Set(["rejected", "expired", "exception"]);

interface Submission {
	readonly at: unknown;
	readonly content: string;
}

export class Filings {
	readonly #control: Control;
	/** As it was when the last submission was seen, by id; nothing of what a run may have changed since. */
	readonly #submitted = new Map<string, Submission>();

	constructor(control: Control) {
		this.#control = control;
	}

	#rows(): readonly Row[] {
		const account = this.#control.state();
		return [...rowsOf(account, "kycProfile"), ...rowsOf(account, "portOrder")];
	}

	/**
	 * What is taken over, or was written by a run that the state doesn't know, is written as a whole, with secrets that
	 * nobody can compare: it may be submitted again.
	 */
	before({ entries }: State, replace: readonly string[] = []): void {
		const references = new Map(this.#rows().map(({ id, reference }) => [id, reference]));
		const isKept = (entry: Entry) => !replace.includes(entry.name) && isOurs(entry, references.get(entry.id));
		const kept = new Set([...entries.values()].filter(isKept).map(({ id }) => id));
		for (const id of this.#submitted.keys()) if (!kept.has(id)) this.#submitted.delete(id);
	}

	/** After a run; `isWhole` if it has done all that it was to do. */
	after(state: State, said: string, isWhole: boolean): void {
		this.#mustBeUploadedOnce();
		this.#mustBeOneOrder();
		for (const { name, outputs } of allIn(state))
			must(!shownIn(outputs).includes(secretMark), () => `${name}: a secret is in the state`);
		must(!said.includes(secretMark), () => `a secret was told: ${said}`);
		const held = new Set(allIn(state).map(({ id }) => id));
		for (const row of this.#rows()) {
			if (isWhole && held.has(row.id)) this.#mustBeSubmitted(row);
			this.#follow(row, isWhole);
		}
	}

	/** A run that has done all leaves no draft, and no correction that nobody looks at. */
	#mustBeSubmitted(row: Row): void {
		const known = this.#submitted.get(row.id);
		const isCorrected = known?.at === row.submitted_at && known?.content !== contentOf(row);
		must(row.status !== "draft", () => `${row.id} is still a draft`);
		must(!refused.has(row.status) || !isCorrected, () => `${row.id} was corrected, and is not submitted`);
	}

	/** Once all is settled: each has the papers that its program names, by their content. */
	settled({ entries }: State): void {
		const { kycDocuments } = this.#control.state();
		const print = (papers: readonly Partial<Paper>[]) => papers.map(({ kind, sha256 }) => `${kind} ${sha256}`).sort();
		for (const row of this.#rows()) {
			const entry = [...entries.values()].find(({ id }) => id === row.id);
			// Whatever a killed run has left is looked at elsewhere: a service may not tell whose it is.
			if (entry === undefined) continue;
			const ids = row.document_ids as readonly string[];
			const [live, declared] = [
				print(kycDocuments.filter(({ id }) => ids.includes(id))),
				print((entry.inputs.documents ?? []) as readonly Paper[]),
			];
			must(live.join() === declared.join(), () => `${row.id} has the papers ${live}, declared are ${declared}`);
		}
	}

	#mustBeUploadedOnce(): void {
		const seen = new Map<string, string>();
		for (const { id, kind, sha256 } of this.#control.state().kycDocuments) {
			const key = `${kind} ${sha256}`;
			const before = seen.get(key);
			must(before === undefined, () => `document ${id} is ${before} once more: ${key}`);
			seen.set(key, id);
		}
	}

	/** One number is in one order that is open, or that has brought it. What has left the account may be brought again. */
	#mustBeOneOrder(): void {
		const seen = new Map<string, string>();
		const account = this.#control.state();
		const live = new Set(rowsOf(account, "number").map((row) => row.number));
		for (const { id, status, numbers } of rowsOf(account, "portOrder"))
			for (const number of numbers as readonly string[]) {
				if (status === "completed" && !live.has(number)) continue;
				must(!seen.has(number), () => `${number} is in the orders ${seen.get(number)} and ${id}`);
				seen.set(number, id);
			}
	}

	#follow(row: Row, isWhole: boolean): void {
		const { id, submitted_at: at } = row;
		const [known, content] = [this.#submitted.get(id), contentOf(row)];
		if (known !== undefined && known.at !== at)
			must(known.content !== content, () => `${id} was submitted again, and nothing of it has changed`);
		if (!isWhole) this.#submitted.delete(id);
		else if (at !== null && known?.at !== at) this.#submitted.set(id, { at, content });
	}
}

/** Only what is refused, or has expired, may be changed. */
export function refuseFilings(control: Control): void {
	const account = control.state();
	for (const { id, status } of rowsOf(account, "kycProfile"))
		control.decideProfile(id, status === "approved" ? "expire" : "reject");
	for (const { id } of rowsOf(account, "portOrder")) control.decidePortOrder(id, "reject");
}
