/**
 * Checks the promises of the design after each run, by the emulator's ledger, its objects, the state and the output:
 * - Numbers are bought once, and released only by a saved `onDelete`.
 * - Nothing changes on another account.
 * - Pending writes continue.
 * - Only declared properties are compared.
 * - No secret appears in clear text.
 */
import type { MessageCode } from "../../provider/api/message-codes.ts";
import {
	type Control,
	declarationIn,
	isLeft,
	isOurs,
	isRetained,
	liveIds,
	liveNumbers,
	numbersIn,
	type ServiceName,
} from "./account.mts";
import { secretMark } from "./documents.mts";
import { companions } from "./edits.mts";
import { allIn, copyOf, objectIn, type ResourceState, type State } from "./engine.mts";
import type { RunError } from "./errors.mts";
import { factsOf, kindNames, type Row, rowsOf } from "./kinds.mts";
import { criteriaOf, type Declared, hasKyc, isComing, type Program } from "./program.mts";
import { apiKey, type Claimant, formsOf, passwordsIn, type RunOptions } from "./story.mts";

/** A broken promise. */
export class Violation extends Error {
	override readonly name = "Violation";
}

export function must(isKept: boolean, message: () => string): asserts isKept {
	if (!isKept) throw new Violation(message());
}

export interface Ran {
	readonly kind: "up" | "refresh" | "destroy";
	readonly options: RunOptions;
	readonly program: Program;
	readonly state: State;
	readonly isKilled: boolean;
	readonly errors: readonly RunError[];
	/** Warnings and errors. */
	readonly printed: string;
	/** All that the run wrote, with debug lines. */
	readonly log: string;
	/** Operations that failed, and `lag`. */
	readonly troubles: ReadonlySet<string>;
}

/** Events of an object that excuse what the oracle otherwise refuses. */
interface History {
	/** Bought by someone else. */
	isTheirs?: true;
	/** Others edited or ended it, or a killed or failed run may have; until a refresh and an `up`. */
	isChanged?: boolean;
	isRefreshed?: boolean;
	/** The reference as others left it. */
	overwritten?: { readonly by: Claimant; readonly value: string | null } | undefined;
	/** The property that a refresh must name, after one edit of a settled resource. */
	expected?: string;
	/** Properties that others set and no program has declared since. */
	readonly edited: Set<string>;
	/** Live, in no state, and explained: named in the output, or a known limit. */
	isExplained?: boolean;
	/** Live and in no state after a run that couldn't know it: the next good `up` resolves it. */
	isOpen?: boolean;
	isRestored?: true;
	/** Bought while the list hid the number that it stands for. */
	wasUnseen?: true;
	/** Its secret after the last good `up`. */
	secret?: unknown;
	/** Written by two states or by a killed run, so a warning may name it. */
	isShared?: true;
}

/** The account and the state before a run. */
interface Before {
	readonly state: State;
	readonly mayGo: ReadonlySet<string>;
	readonly live: ReadonlySet<string>;
}

/** Codes of errors that a run in fair weather may end with: the service or others caused them. */
const rightful: readonly MessageCode[] = [
	"adopt-refused",
	"conflict",
	"in-use",
	"kyc-locked",
	"kyc-pending",
	"kyc-rejected",
	"kyc-requirements",
	"limit",
	"no-inventory",
	"not-active",
	"not-found",
	"number-failed",
	"port-exception",
	"port-pending",
	"ported-out",
	"released-outside",
	"removed-outside",
	"shared-object",
];

const isRightful = (error: RunError): boolean =>
	error.isSkipped ||
	error.has(...rightful) ||
	error.hasServiceCode("number_not_portable", "kyc_profile_in_use", "kyc_profile_locked", "port_in_progress");

/** Only other claims, restored numbers or an unclear service excuse these. */
const isOfClaims = (error: RunError): boolean => error.has("claimed", "another-state", "another-attempt", "duplicate");
const isOfUnknown = (error: RunError): boolean => error.has("purchase-unknown", "duplicate", "unconfirmed-write");

/** Returns the ids of a state's objects that this `up` or destroy may release or delete. */
function mayGoIn(state: State, program: Program, { replace = [] }: RunOptions): Set<string> {
	const declared = new Map(program.map((each) => [each.name, each]));
	const removable = allIn(state).filter((resource) => {
		if (isRetained(resource)) return false;
		const declaration = declared.get(resource.name);
		if (declaration === undefined) return true;
		const isReplaced = state.replaced.has(resource) && state.resources.get(resource.name)?.id !== resource.id;
		if (resource.kind !== "number") return isReplaced || replace.includes(resource.name);
		return isReplaced || criteriaOf(declaration.args) !== criteriaOf(resource.inputs);
	});
	return new Set(removable.map(({ id }) => id));
}

export class Oracle {
	readonly #control: Control;
	readonly #service: ServiceName;
	readonly #history = new Map<string, History>();
	readonly #secrets = new Set<string>();
	#requests = 0;
	/** Rows of the ledger judged so far. */
	#rows = 0;
	/** Objects in the state after the last run. */
	#held: ReadonlySet<string> = new Set();
	#before: Before;
	/** True if the last run was a good `up`, so that a refresh must find nothing. */
	isSettled = false;

	constructor(control: Control, service: ServiceName) {
		[this.#control, this.#service] = [control, service];
		this.#before = this.#now({ resources: new Map(), replaced: new Set() }, new Set());
	}

	/** True if the service keeps no references, so that only keys and lists tell what is ours. */
	get #isVague(): boolean {
		return this.#service === "no-reference" || this.#service === "neither";
	}

	#of(id: string): History {
		const history = this.#history.get(id) ?? { edited: new Set() };
		this.#history.set(id, history);
		return history;
	}

	#now(state: State, mayGo: ReadonlySet<string>): Before {
		return { state: copyOf(state), mayGo, live: liveIds(this.#control) };
	}

	// ---- Others and the service -----------------------------------------------------------------------------------------

	bought(id: string): void {
		this.#of(id).isTheirs = true;
	}

	edited(resource: ResourceState, property: string): void {
		const id = objectIn(resource);
		const history = this.#of(id);
		const isCompared = resource.inputs[property] !== undefined || always.has(property);
		if (property === "secret" || property === "password" || property === "auth") delete history.secret;
		const isNews = this.isSettled && isCompared && !history.isChanged;
		this.changed(id);
		history.edited.add(property);
		if (isNews) history.expected = property;
	}

	claimed(id: string, by: Claimant): void {
		this.changed(id);
		const history = this.#of(id);
		history.overwritten = { by, value: this.#referenceOf(id) };
		history.isShared = true;
	}

	/** The service or others changed or ended the object. */
	changed(id: string): void {
		delete this.#of(id).expected;
		Object.assign(this.#of(id), { isChanged: true, isRefreshed: false });
	}

	released(id: string): void {
		this.changed(id);
		this.#rows = this.#control.ledger().length;
	}

	restored(id: string): void {
		this.changed(id);
		Object.assign(this.#of(id), { isRestored: true, isExplained: true });
	}

	/** The program no longer stands for the same objects: what a killed run left open may stay. */
	forgo(): void {
		for (const id of this.#looseConfigured(this.#held)) this.#of(id).isExplained = true;
		for (const history of this.#history.values())
			if (history.isOpen) Object.assign(history, { isOpen: false, isExplained: true });
	}

	isChanged = (id: string): boolean => this.#of(id).isChanged === true;

	isTheirs = (id: string): boolean => this.#of(id).isTheirs === true || this.#of(id).overwritten?.by === "another tool";

	#referenceOf = (id: string): string | null =>
		this.#control.state().numbers.find((row) => row.id === id)?.reference ?? null;

	// ---- Runs -----------------------------------------------------------------------------------------------------------

	begin(state: State, program: Program, options: RunOptions): void {
		this.#before = this.#now(state, mayGoIn(state, program, options));
		const names = new Set(options.replace ?? []);
		for (const { id, name } of allIn(state)) if (names.has(name)) this.#of(id).isShared = true;
		for (const { id } of state.replaced) this.#of(id).isShared = true;
		if (names.size > 0) this.forgetSecrets();
	}

	end(ran: Ran): void {
		this.#mustKeepSecrets(ran);
		// An `up` may write over an edit, so that no later refresh reports it.
		if (ran.kind !== "refresh") for (const history of this.#history.values()) delete history.expected;
		this.#mustNameOthersOnly(ran);
		const bought = this.#judgeLedger(ran);
		this.#judgeDeletions();
		this.#doubt(ran);
		this.#judgeClaims(ran, bought);
		for (const resource of numbersIn(ran.state))
			Object.assign(this.#of(objectIn(resource)), { isOpen: false, isExplained: false });
		for (const id of this.#loose(ran.state)) this.#mustBeExplained(id, ran, bought.includes(id));
		this.#explainConfigured(ran);
		if (ran.kind === "refresh") this.#judgeRefresh(ran);
		const isFair = !ran.isKilled && ran.troubles.size === 0;
		if (isFair) for (const error of ran.errors) this.#judgeError(error, ran.state);
		if (ran.kind === "destroy" && !ran.isKilled && ran.errors.length === 0) this.#judgeDestroyed(ran);
	}

	/** Promises 1 and 2: returns the ids bought in this run. */
	#judgeLedger({ troubles, options, program }: Ran): string[] {
		const rows = this.#control.ledger().slice(this.#rows);
		const { maxPurchases = Infinity, maxReleases = Infinity } = options.limits ?? {};
		const count = (kind: string) => rows.filter((row) => row.kind === kind).length;
		must(count("purchase") <= maxPurchases, () => `bought ${count("purchase")}, and the limit is ${maxPurchases}`);
		// By default a run that declares nothing may release everything.
		const mostReleases = program.length === 0 ? Infinity : maxReleases;
		must(count("release") <= mostReleases, () => `released ${count("release")}, and the limit is ${maxReleases}`);
		this.#rows += rows.length;
		const bought: string[] = [];
		for (const { kind, number_id: id } of rows) {
			if (kind === "purchase") bought.push(id);
			if (kind === "port") this.bought(id);
			if (kind !== "release") continue;
			const { overwritten, isTheirs } = this.#of(id);
			must(isTheirs !== true, () => `${id} was released, and someone else bought it`);
			const isClaimed = overwritten !== undefined && overwritten.by !== "nobody";
			const stands = isClaimed && this.#referenceOf(id) === overwritten.value && !troubles.has("lag");
			must(!stands, () => `${id} was released, and its reference says that it is someone else's`);
			const isLost = overwritten?.by === "nobody" && this.#wasReleasable(id);
			must(this.#before.mayGo.has(id) || isLost, () => `${id} was released, and the saved state says otherwise`);
		}
		return bought;
	}

	#wasReleasable = (id: string): boolean =>
		numbersIn(this.#before.state).some((resource) => resource.id === id && !isRetained(resource));

	/** A warning about other writers names an object that others wrote. */
	#mustNameOthersOnly({ printed, isKilled, troubles }: Ran): void {
		if (isKilled || troubles.has("lag")) return;
		const live = liveIds(this.#control);
		for (const line of printed.split("\n")) {
			if (!/\[telephony:(reference-cleared|another-attempt)\]/.test(line)) continue;
			const id = [...live].find((each) => line.includes(each));
			must(id === undefined || this.#of(id).isShared === true, () => `nobody else has written ${id}: ${line.trim()}`);
		}
	}

	#judgeDeletions(): void {
		const live = liveIds(this.#control);
		for (const id of this.#before.live)
			must(
				live.has(id) || id.startsWith("num_") || this.#before.mayGo.has(id),
				() => `${id} was deleted, and no program asked for it`,
			);
	}

	/** Returns live objects that cost nothing, that no state holds and nothing explains. */
	#looseConfigured(held: ReadonlySet<string>): string[] {
		const account = this.#control.state();
		return kindNames
			.filter((kind) => kind !== "number")
			.flatMap((kind) => rowsOf(account, kind))
			.flatMap(({ id, reference }) => (held.has(id) || isLeft(reference) || this.#of(id).isExplained ? [] : [id]));
	}

	/** A run that reads lists of a minute ago may create an object that costs nothing twice. */
	#explainConfigured({ state, troubles, printed }: Ran): void {
		this.#held = new Set(allIn(state).map(objectIn));
		for (const id of this.#looseConfigured(this.#held))
			if (troubles.has("long lag") || printed.includes(id)) this.#of(id).isExplained = true;
	}

	/** After a kill or a failure only a refresh tells what the run wrote. */
	#doubt({ state, isKilled, errors, troubles }: Ran): void {
		const live = liveIds(this.#control);
		const isUnclear = errors.length > 0 || troubles.has("lag");
		const doubtful = allIn(state)
			.map(objectIn)
			.filter((id) => isKilled || (isUnclear && !live.has(id)));
		for (const id of doubtful) this.changed(id);
		if (isKilled) for (const id of [...live, ...doubtful]) this.#of(id).isShared = true;
		this.#noteShared(state, errors);
		if (isKilled || troubles.size > 0) this.forgetSecrets();
		// The next state of a left trunk gets another secret.
		const held = new Set(allIn(state).map(({ id }) => id));
		for (const [id, history] of this.#history) if (!held.has(id)) delete history.secret;
	}

	/** Notes objects that two resources of the program contend for. */
	#noteShared(state: State, errors: readonly RunError[]): void {
		// A new resource with the former name of another one finds that one's object first.
		for (const { name, id } of allIn(state))
			if (errors.some((error) => error.name !== name && error.text.includes(id))) this.#of(id).isShared = true;
		const ids = allIn(state).map(objectIn);
		for (const id of ids) {
			if (ids.indexOf(id) === ids.lastIndexOf(id)) continue;
			this.#of(id).isShared = true;
			// The second resource has another secret made, as it doesn't know the first one's.
			delete this.#of(id).secret;
		}
	}

	/** Each declaration has one number; each claim of others stands. */
	#judgeClaims({ troubles, options, state }: Ran, bought: readonly string[]): void {
		const held = new Set(numbersIn(state).map(objectIn));
		const hidden = troubles.has("lag") && this.#hasHidden(options);
		const isOverwritten = [...this.#history.values()].some(({ overwritten }) => overwritten !== undefined);
		if (hidden || isOverwritten) for (const id of bought) this.#of(id).wasUnseen = true;
		const seen = new Map<string, string>();
		for (const { id, reference } of liveNumbers(this.#control)) {
			const { isRestored, wasUnseen, overwritten } = this.#of(id);
			must(
				overwritten?.by !== "another tool" || reference === overwritten.value || troubles.has("lag"),
				() => `${id}: the reference of someone else was overwritten`,
			);
			if (overwritten !== undefined && reference !== overwritten.value) this.#of(id).overwritten = undefined;
			const declaration = declarationIn(reference);
			if (declaration === undefined || isRestored || wasUnseen || troubles.has("lag")) continue;
			const first = seen.get(declaration);
			// A rename that failed leaves the old name in the reference of a number that the state has.
			const isRenaming = first !== undefined && held.has(first) && held.has(id);
			must(first === undefined || isRenaming, () => `${first} and ${id} belong to one declaration: ${reference}`);
			seen.set(declaration, id);
		}
	}

	/** True if a lagging list may hide the number that a purchase of this run stands for. */
	#hasHidden = ({ replace = [] }: RunOptions): boolean =>
		replace.length > 0 ||
		this.#before.state.replaced.size > 0 ||
		liveNumbers(this.#control).some(({ reference }) => isLeft(reference));

	/** Returns our live numbers that no state holds and nothing explains. */
	#loose(state: State): string[] {
		const held = new Set(numbersIn(state).map(objectIn));
		return liveNumbers(this.#control).flatMap(({ id }) => {
			const { isTheirs, isExplained } = this.#of(id);
			return isTheirs || isExplained || held.has(id) ? [] : [id];
		});
	}

	#mustBeExplained(id: string, { isKilled, errors, printed, troubles }: Ran, isBought: boolean): void {
		const isUnclear = isKilled || troubles.has("buyNumber") || troubles.has("lag") || this.#service !== "full";
		// A number that the service sold by a readable response is saved, whatever fails after it.
		must(isUnclear || !isBought, () => `${id} was bought in this run, and isn't in the state`);
		const history = this.#of(id);
		const named = isKilled ? (printed.match(/^.*\[telephony:(kept|duplicate)\].*$/gm)?.join("\n") ?? "") : printed;
		if (named.includes(id) || history.wasUnseen) {
			Object.assign(history, { isExplained: true, isOpen: false });
			return;
		}
		if (history.isOpen) return;
		const isUnknown = errors.some(isOfUnknown);
		must(isUnclear || isUnknown, () => `${id} is live and in no state, and no output names it`);
		history.isOpen = true;
	}

	#judgeError(error: RunError, state: State): void {
		if (isRightful(error)) return;
		const live = liveIds(this.#control);
		// A killed run removed it, and a refresh would tell.
		if (error.hasServiceCode("invalid_reference") && allIn(state).some(({ id }) => !live.has(id))) return;
		if (error.has("wrong-account")) {
			this.#judgeAccount(error, live);
			return;
		}
		const isContested = [...this.#history.values()].some(
			(each) => each.overwritten || each.isRestored || each.wasUnseen,
		);
		if (isOfClaims(error) && isContested) return;
		if (this.#service !== "full" && (isOfUnknown(error) || isOfClaims(error))) return;
		must(false, () => `a run failed although nothing went wrong: ${error}`);
	}

	/** The error names objects of the state, and the account has none of them. */
	#judgeAccount(error: RunError, live: ReadonlySet<string>): void {
		const named = error.idsAmong(allIn(this.#before.state).flatMap((resource) => [resource.id, objectIn(resource)]));
		must(named.length > 0, () => `an error of the account names no object of the state: ${error}`);
		must(
			named.every((id) => !live.has(id) || this.isTheirs(id)),
			() => `an object of the account is said to be missing: ${error}`,
		);
	}

	#judgeDestroyed({ state }: Ran): void {
		must(allIn(state).length === 0, () => "destroy succeeded and left resources in the state");
		for (const resource of numbersIn(this.#before.state).filter(isRetained)) {
			const { overwritten, isShared } = this.#of(objectIn(resource));
			const reference = this.#referenceOf(objectIn(resource));
			const isLive = liveIds(this.#control).has(objectIn(resource));
			const isOther = overwritten !== undefined || isShared || !isLive || this.#service !== "full";
			must(isOther || isLeft(reference), () => `${resource.id} is retained, and its reference doesn't say left`);
		}
		this.forgo();
	}

	// ---- Refresh --------------------------------------------------------------------------------------------------------

	#judgeRefresh({ state, errors, troubles, isKilled }: Ran): void {
		const live = liveIds(this.#control);
		for (const { name, id, kind } of this.#before.state.resources.values())
			must(
				state.resources.has(name) ||
					!live.has(id) ||
					this.isChanged(id) ||
					// For objects that cost nothing, a run doesn't wait so long.
					(kind !== "number" && troubles.has("long read lag")),
				() => `${name}: ${id} is live, and a refresh took it out of the state`,
			);
		if (isKilled || errors.length > 0 || troubles.has("lag")) return;
		for (const history of this.#history.values()) history.isRefreshed = history.isChanged === true;
	}

	/** Promise 5: a refresh of a settled stack reports what others changed, and nothing else. */
	mustBeExact(state: State, changed: ReadonlyMap<string, readonly string[]>, isLagging = false): void {
		const unasked = [...changed].flatMap(([name, outputs]) => {
			const resource = state.resources.get(name);
			const { isChanged, expected } = this.#of(resource === undefined ? "" : objectIn(resource));
			const ofUs = outputs.filter((output) => !computed.has(output));
			if (expected === undefined) {
				const isExpected = isChanged === true || (outputs.length > 0 && ofUs.length === 0);
				return isExpected ? [] : [`${name}: ${ofUs.join(", ") || "gone"}`];
			}
			const extra = ofUs.filter((output) => output !== expected && !companions[expected]?.includes(output));
			return extra.length === 0 ? [] : [`${name}: ${extra.join(", ")}`];
		});
		must(unasked.length === 0, () => `drift that nobody made: ${unasked.join("; ")}`);
		for (const [name, resource] of isLagging ? [] : state.resources) {
			const { expected } = this.#of(objectIn(resource));
			const isTold = expected === undefined || changed.get(name)?.includes(expected);
			must(
				isTold === true,
				() => `${name}: someone edited ${expected}, and the refresh reports ${changed.get(name) ?? "nothing"}`,
			);
			delete this.#of(objectIn(resource)).expected;
		}
	}

	// ---- A good up ------------------------------------------------------------------------------------------------------

	/** Promises 1 and 4, after an `up` without errors: all that is declared stands, and nothing is left over. */
	settle({ state, program, troubles }: Ran): void {
		const open = this.#loose(state);
		const isLagging = troubles.has("lag");
		must(
			open.length === 0 || isLagging || this.#isVague || this.#hasGone(state),
			() => `${open} is live and in no state: lost, or bought twice`,
		);
		const duplicates = this.#looseConfigured(this.#held);
		must(
			duplicates.length === 0 || isLagging || this.#service !== "full",
			() => `${duplicates} is in no state: created twice`,
		);
		for (const [id, history] of this.#history) {
			history.isOpen = false;
			if (history.isRefreshed && !isLagging && !this.isTheirs(id))
				Object.assign(history, { isChanged: false, isRefreshed: false });
		}
		for (const declared of program) this.#mustStand(declared, state);
	}

	/** True if a number of the state ended, so that its claim isn't resumed before a refresh. */
	#hasGone(state: State): boolean {
		const live = liveIds(this.#control);
		return numbersIn(state).some((resource) => !live.has(objectIn(resource)));
	}

	#mustStand(declared: Declared, state: State): void {
		const { name, kind, args } = declared;
		const resource = state.resources.get(name);
		must(resource !== undefined, () => `${name} is declared and not in the state`);
		const id = objectIn(resource);
		if (isComing(resource.outputs)) {
			must(args.waitForActive === false, () => `${name}: up was to wait for ${id}`);
			return;
		}
		const history = this.#of(id);
		if (history.isChanged) return;
		const row = rowsOf(this.#control.state(), kind).find((each) => each.id === id);
		// A killed destroy has cancelled the order, and the carriers haven't confirmed it.
		const order = this.#control.state().portOrders.find((each) => each.id === id);
		if (order?.status === "cancel_pending") return;
		must(row !== undefined, () => `${name}: ${id} is not on the account`);
		if (this.#service === "full" || this.#service === "no-key")
			must(isOurs(resource, row.reference), () => `${name}: ${id} has the reference ${row.reference}`);
		this.#mustKeepSecret(declared, resource, row);
		mustBeAsDeclared(declared, row, state, history.edited);
	}

	/** The state has the service's secret, which only a rotation changes. */
	#mustKeepSecret(declared: Declared, { kind, name, outputs }: ResourceState, row: Row): void {
		const secret = factsOf(kind).secretOf(row);
		if (secret === undefined) return;
		const [password] = passwordsIn([declared]);
		must(password === undefined || password === secret, () => `${name}: its password isn't the declared one`);
		const history = this.#of(row.id);
		must((outputs.secret ?? outputs.password) === secret, () => `${name}: the state's secret isn't the service's`);
		must(
			password !== undefined || history.secret === undefined || history.secret === secret,
			() => `${name}: its secret changed, and no program asked for it`,
		);
		history.secret = secret;
	}

	forgetSecrets(): void {
		for (const history of this.#history.values()) delete history.secret;
	}

	/** No secret, old or new, is printed in any form, sent in a path, or saved in clear. */
	#mustKeepSecrets({ log, state, program }: Ran): void {
		const { trunks, webhooks } = this.#control.state();
		for (const secret of [apiKey, ...passwordsIn(program), ...[...trunks, ...webhooks].flatMap(secretsOf)])
			this.#secrets.add(secret);
		const requests = this.#control.requests();
		const text = [log, ...requests.slice(this.#requests).map(({ path }) => path)].join("\n");
		this.#requests = requests.length;
		for (const form of [secretMark, ...[...this.#secrets].flatMap(formsOf)].map((each) => each.replace(/.?=*$/, "")))
			must(!text.includes(form), () => `a secret was printed: ${text.split("\n").find((line) => line.includes(form))}`);
		for (const { name, outputs } of allIn(state)) {
			const plain = JSON.stringify(outputs, (key, value) => (key === "idNumber" || key === "pin" ? undefined : value));
			must(!plain.includes(secretMark), () => `${name}: a secret is in its state`);
		}
	}

	/** Our live numbers that nothing explains, at the end of a story. */
	leftOver(): string[] {
		return liveNumbers(this.#control).flatMap(({ id }) => (this.#of(id).isExplained || this.isTheirs(id) ? [] : [id]));
	}
}

/** Returns the secrets of a row, by the names of their fields. */
function secretsOf(row: unknown): string[] {
	if (typeof row !== "object" || row === null) return [];
	return Object.entries(row).flatMap(([key, value]) =>
		typeof value === "string" && /^(secret|password|previous_secret)$/.test(key) ? [value] : secretsOf(value),
	);
}

/** Properties that are compared although no program declares them. */
const always: ReadonlySet<string> = new Set(["secret", "password", "enabled"]);

/** Outputs that the service alone changes. */
const computed: ReadonlySet<string> = new Set([
	...["status", "kyc", "foundId", "activatedAt", "reconciling", "monthlyPrice", "reasons", "decidedAt"],
	...["scheduledAt", "exceptions", "numberIds", "submittedAt", "completedAt"],
]);

/** Returns a map as one text; undefined for none. */
const textOf = (map: unknown): string | undefined => {
	const entries = Object.entries(map ?? {}).sort();
	return entries.length === 0 ? undefined : JSON.stringify(entries);
};

/** The service shows what is declared, and nothing that isn't, unless others set it. */
function mustBeAsDeclared(declared: Declared, row: Row, { resources }: State, edited: Set<string>): void {
	const { kind, name, args, trunk, profile } = declared;
	const mustBe = (property: string, live: unknown, wanted: unknown) => {
		must(
			live === wanted || (wanted === undefined && edited.has(property)),
			() => `${name}: ${property} is ${live}, declared is ${wanted}`,
		);
		if (wanted !== undefined) edited.delete(property);
	};
	for (const property of factsOf(kind).sameNamed) mustBe(property, row[property] ?? undefined, args[property]);
	if (kind === "number" || kind === "sipTrunk") mustBe("metadata", textOf(row.metadata), textOf(args.metadata));
	if (kind !== "number") return;
	const kyc = (row.kyc ?? {}) as { readonly profile_id?: string; readonly status?: string };
	const isStopped = row.status === "suspended" && kyc.status !== "approved";
	must(
		row.status === "active" || isStopped || args.waitForActive === false,
		() => `${name}: its status is ${row.status}, and up was to wait for it`,
	);
	const routing = (row.routing ?? undefined) as { readonly trunk_id?: string } | undefined;
	const target = routing?.trunk_id ?? (routing && JSON.stringify(routing));
	if (args.routing === undefined) mustBe("routing", target, trunk && resources.get(trunk)?.id);
	if (profile !== undefined && hasKyc(args)) mustBe("profile", kyc.profile_id, resources.get(profile)?.id);
}
