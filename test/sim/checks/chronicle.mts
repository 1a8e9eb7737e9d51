/** Notes what others and interrupted runs did to each object. It judges nothing: the checkers ask it for excuses. */
import { type Control, isMarkedRetained, liveIds, liveNumbers } from "../account.mts";
import { allIn, objectIn } from "../engine.mts";
import type { Claimant } from "../story.mts";
import { type Before, type Checker, type Happening, idsHeldTwice, idsIn, type Ran, referenceOf } from "./check.mts";

interface Past {
	/** Bought by someone else, or ported. */
	isTheirs?: true;
	/** Others edited or ended it, or an interrupted run may have; until a refresh and an `up`. */
	isChanged?: boolean;
	isRefreshed?: boolean;
	/** The reference as others left it. */
	overwritten?: { readonly by: Claimant; readonly value: string | null } | undefined;
	isRestored?: true;
	/** Bought while the list hid the number that it stands for. */
	wasUnseen?: true;
	/** Written by two states or resources or by a killed run, so a warning may name it. */
	isShared?: true;
}

export class Chronicle implements Checker {
	readonly #control: Control;
	readonly #pasts = new Map<string, Past>();
	/** Objects that were changed before the run began. A refresh may have read the others before their change. */
	#changedBefore: ReadonlySet<string> = new Set();

	constructor(control: Control) {
		this.#control = control;
	}

	of(id: string): Readonly<Past> {
		return this.#pasts.get(id) ?? {};
	}

	#note(id: string, past: Past): void {
		this.#pasts.set(id, { ...this.of(id), ...past });
	}

	isChanged = (id: string): boolean => this.of(id).isChanged === true;

	isTheirs = (id: string): boolean => this.of(id).isTheirs === true || this.of(id).overwritten?.by === "another tool";

	/** True if others have claimed or restored numbers, or a list hid some. */
	get isContested(): boolean {
		return [...this.#pasts.values()].some(
			({ overwritten, isRestored, wasUnseen }) => overwritten || isRestored || wasUnseen,
		);
	}

	happened(happening: Happening): void {
		if (happening.what === "bought") this.#note(happening.id, { isTheirs: true });
		else if (happening.what === "edited") this.#change(objectIn(happening.resource));
		else if ("id" in happening) this.#change(happening.id);
		if (happening.what === "restored") this.#note(happening.id, { isRestored: true });
		if (happening.what !== "claimed") return;
		const { id, by, reference } = happening;
		this.#note(id, { isShared: true, overwritten: { by, value: reference } });
	}

	#change = (id: string): void => this.#note(id, { isChanged: true, isRefreshed: false });

	begin({ state, options: { replace = [] } }: Before): void {
		this.#notePorts();
		this.#changedBefore = new Set([...this.#pasts.keys()].filter(this.isChanged));
		for (const resource of allIn(state))
			if (replace.includes(resource.name) || state.replaced.has(resource)) this.#note(resource.id, { isShared: true });
	}

	#notePorts(): void {
		for (const { kind, number_id: id } of this.#control.ledger())
			if (kind === "port") this.#note(id, { isTheirs: true });
	}

	end(ran: Ran): void {
		this.#notePorts();
		this.#noteDoubt(ran);
		this.#noteContention(ran);
		this.#noteUnseen(ran);
		for (const { id, reference } of liveNumbers(this.#control)) {
			const { overwritten } = this.of(id);
			if (overwritten !== undefined && reference !== overwritten.value) this.#note(id, { overwritten: undefined });
		}
		if (ran.kind !== "refresh" || ran.isKilled || ran.errors.length > 0) return;
		// If reads lag for longer than a run repeats them, the refresh restores the values from before an edit.
		const hasLongLag = ran.excuses.has("long stale reads") || ran.excuses.has("long stale lists");
		if (ran.excuses.has("stale reads") && !hasLongLag) return;
		for (const id of this.#pasts.keys())
			this.#note(id, { isRefreshed: this.isChanged(id) && this.#changedBefore.has(id) && !hasLongLag });
	}

	/** After a kill or a failure only a refresh tells what the run wrote. */
	#noteDoubt({ state, isKilled, errors, excuses }: Ran): void {
		const live = liveIds(this.#control);
		const isUnclear = errors.length > 0 || excuses.has("stale reads");
		for (const id of idsIn(allIn(state))) {
			if (isKilled || (isUnclear && !live.has(id))) this.#change(id);
			if (isKilled) this.#note(id, { isShared: true });
		}
		if (isKilled) for (const id of live) this.#note(id, { isShared: true });
	}

	/** Notes objects that two resources of the program contend for. */
	#noteContention({ state, errors }: Ran): void {
		const resources = allIn(state);
		// A new resource with the former name of another one finds that one's object first.
		for (const { name, id } of resources)
			if (errors.some((error) => error.name !== name && error.text.includes(id))) this.#note(id, { isShared: true });
		for (const id of idsHeldTwice(resources)) this.#note(id, { isShared: true });
	}

	/** A list that lags, or a reference that others wrote, may hide the number that a purchase stands for. */
	#noteUnseen({ before, excuses, ledger }: Ran): void {
		const isHidden =
			(before.options.replace ?? []).length > 0 ||
			before.state.replaced.size > 0 ||
			liveNumbers(this.#control).some(({ reference }) => isMarkedRetained(reference));
		const isOverwritten = [...this.#pasts.values()].some(({ overwritten }) => overwritten !== undefined);
		if (!isOverwritten && !(excuses.has("stale reads") && isHidden)) return;
		for (const { kind, number_id: id } of ledger) if (kind === "purchase") this.#note(id, { wasUnseen: true });
	}

	settled({ excuses }: Ran): void {
		if (excuses.has("stale reads")) return;
		for (const [id, { isRefreshed }] of this.#pasts)
			if (isRefreshed && !this.isTheirs(id)) this.#note(id, { isChanged: false, isRefreshed: false });
	}

	/** True if another tool's claim still stands. */
	isClaimed(id: string): boolean {
		const { overwritten } = this.of(id);
		return (
			overwritten !== undefined &&
			overwritten.by !== "nobody" &&
			referenceOf({ control: this.#control }, id) === overwritten.value
		);
	}
}
