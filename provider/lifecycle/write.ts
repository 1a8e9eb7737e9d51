/**
 * The one way to bring an object to what is declared: plan the request, send it, confirm it, save its outcome. Each write
 * has a lease of its own, so that a resource state recognizes its own writes, even late ones.
 */
import { operations } from "../api/contract";
import { isTelephonyError } from "../api/errors";
import { isObject, mapValues, pickBy } from "../api/json";
import type { Waiter } from "../api/until";
import type { Identity, Referenced } from "../ownership/claim";
import { ownership } from "../ownership/ownership";
import { formatReference, freshLease, isCutTo } from "../ownership/reference";
import { capitalized } from "../properties/display";
import { openIn, openOutputs } from "../properties/open";
import {
	findUnapplied,
	isRespelled,
	type Spellings,
	spellingOutputs,
	spellingsIn,
	spellingsOf,
	type Unapplied,
} from "../properties/spelling";
import {
	allDeclared,
	clearedBody,
	createBody,
	declaredOutputs,
	lostBody,
	type PatchSides,
	type Properties,
	patchBody,
	type Values,
} from "../properties/table";
import { isAfter } from "../session/staleness";
import { isWhole, notApplied, referenceCut, shownAfterWrite } from "./confirm";
import { type Claimed, updateRefusal } from "./messages";
import type { SecretChange } from "./secret";

/** The values that a write starts from, and those that it brings the object to. */
export interface WriteTarget<R extends Referenced> extends SecretChange<R> {
	readonly claim: Identity;
	/** True if the request that made the object has sent the declared values. */
	readonly isMade?: boolean;
}

/** A record that may show that the service is still carrying out a change. */
interface Reconciling {
	readonly reconciling?: boolean | undefined;
}

/** How objects of a kind are written. */
interface Writer<R extends Referenced> {
	readonly properties: Properties;
	/** True if the service accepts only the reference, so that any other value fails the write. */
	readonly isLocked?: boolean;
	/** False if the service keeps the reference of a create and can't change it. */
	readonly canClaim: boolean;
	live(record: R): Values;
	/** Sends the body, which is built again for each try. Returns the object as the response shows it. */
	patch(id: string, body: () => Values): Promise<R>;
	/** Reads the object as the service has it now. */
	read(id: string): Promise<R>;
	/** Returns the service's time, ms. */
	serviceTime(): number;
	/** Returns the object's name for messages. */
	nameOf(record: R): string;
	readonly waiter: Waiter;
	/** Explains the refusal of the first request with a reference. */
	explained(error: unknown, body: Values): unknown;
}

/**
 * Returns the request that brings the object to what `news` declares. A dirty state knows nothing of the live values:
 * everything declared is sent, and everything else is cleared, except a guard that this state never had. Of a superseded
 * one, another run of this declaration may have sent anything.
 */
export function plan(
	properties: Properties,
	{ live, olds, news, spellings = {} }: PatchSides,
	{ isDirty = false, isLocked = false, isSuperseded = false, isMade = false },
): Values {
	if (!isDirty) {
		const unsent = isLocked || isMade ? [] : hiddenKeys(properties, olds, news);
		return patchBody(properties, { live, olds, news, spellings }, unsent);
	}
	const unapplied = openIn(olds).unapplied.map((path) => [/^\w+/.exec(path)?.[0], null]);
	const all = { ...allDeclared(properties), ...Object.fromEntries(unapplied) };
	// A locked object refuses to be sent again what it never shows. If the last write is the state's own, only that counts.
	if (isLocked) {
		const saved = isSuperseded ? {} : pickBy(olds, (value) => value != null);
		const sent = { ...all, ...news, ...declaredOutputs(properties, saved, live, spellings) };
		return patchBody(properties, { live, olds: sent, news, spellings });
	}
	const oldKeys = Object.keys(olds).filter((key) => olds[key] != null);
	return {
		...patchBody(properties, { live, olds: { ...all, ...olds }, news }, Object.keys(properties)),
		...clearedBody(properties, news, oldKeys),
	};
}

/** Properties with fields that no response shows, and that no earlier write of this state has sent. */
const hiddenKeys = (properties: Properties, olds: Values, news: Values): string[] =>
	Object.entries(properties).flatMap(([key, { form }]) => {
		const value = news[key];
		if (key in olds || form?.kind !== "object" || !isObject(value)) return [];
		return Object.entries(form.fields).some(([name, { writeOnly }]) => writeOnly && value[name] != null) ? [key] : [];
	});

/** The outputs of a resumed object, whose values are unknown. `lease` is the one in its reference. */
export const resumedOutputs = (lease?: string): Values => ({ lease, ...openOutputs({ isDirty: true }) });

/** The requests of a write so far. */
interface Sent {
	readonly lease: string;
	/** True once a request with the lease was sent. */
	readonly isSent: boolean;
	readonly isConfirmed: boolean;
	readonly isUnknown: boolean;
	/** Values of the last request that the service doesn't show. */
	readonly unapplied: readonly Unapplied[];
}

/** A request that changes an object. */
interface Request {
	readonly body: Values;
	readonly reference: string | undefined;
	/** The live values before it. */
	readonly before: Values;
	/** The service's time before it. */
	readonly since: number;
}

const wholeOf = ({ body, reference }: Request): Values => (reference === undefined ? body : { ...body, reference });

/** The most unanswered writes that a state remembers. */
const mostLeases = 4;

/** Returns what the state keeps of its claim and of a pending write. */
function stateAfter({ claim, olds }: { claim: Identity; olds: Values }, sent: Sent): Values {
	const { leases, isDirty, unapplied: before, given } = openIn(olds);
	const unapplied = sent.unapplied.map(({ property }) => property);
	if (sent.isConfirmed)
		return {
			token: claim.token,
			lease: sent.lease,
			...openOutputs({ leases, isDirty: sent.isUnknown, unapplied }),
		};
	return {
		// A token that isn't written yet must not count as written.
		token: typeof olds.token === "string" ? olds.token : claim.token,
		lease: String(olds.lease ?? ""),
		...openOutputs({
			// A service may refuse a write and carry it out all the same.
			leases: sent.isSent ? [sent.lease, ...leases].slice(0, mostLeases) : leases,
			isDirty: isDirty || sent.isUnknown,
			unapplied: unapplied.length > 0 ? unapplied : before,
			given,
		}),
	};
}

/** Returns the values that no write has to bring to the service. Undefined ones are the program's too. */
const withoutRequest = (properties: Properties, news: Values): Values =>
	mapValues(
		pickBy(properties, ({ wire, fixed }) => wire === undefined || fixed),
		(_, key) => news[key],
	);

/**
 * True if the service has refused the request. After a 408, it may still carry it out. A refused read follows a request that
 * was carried out, and whose response doesn't show the object.
 */
const isRefusal = (error: unknown): boolean =>
	isTelephonyError(error) &&
	error.status !== undefined &&
	error.status !== 408 &&
	error.status < 500 &&
	(error.operation === undefined || operations[error.operation].method !== "GET");

export class Write<R extends Referenced & Reconciling> {
	/** The object as the last response showed it. */
	record: R;
	/** Outputs that neither the program nor the record holds. */
	kept: Values = {};
	readonly #target: WriteTarget<R>;
	readonly #writer: Writer<R>;
	#sent: Sent;

	constructor(target: WriteTarget<R>, writer: Writer<R>) {
		this.#target = target;
		this.#writer = writer;
		this.record = target.start;
		// Without a claim by this write, the reference of the create stays.
		const lease = target.claim.kept && !writer.canClaim ? String(target.olds.lease ?? "") : "";
		this.#sent = { lease: lease || freshLease(), isSent: false, isConfirmed: false, isUnknown: false, unapplied: [] };
	}

	get #isClaiming(): boolean {
		return this.#target.claim.kept && this.#writer.canClaim;
	}

	/**
	 * Sends what differs, `more` and the reference, and confirms them. Sends no request if there is nothing to write. Returns
	 * true if there was anything but the reference.
	 */
	async send(more: Values = {}): Promise<boolean> {
		const { claim, olds, news, isMade = false } = this.#target;
		const { properties, isLocked = false, live } = this.#writer;
		this.#sent = { ...this.#sent, unapplied: [] };
		const isSuperseded = this.#ownership() === "superseded";
		const isDirty = openIn(olds).isDirty || isSuperseded;
		const before = live(this.record);
		const sides = { live: before, olds, news, spellings: this.#spellingsBefore(before) };
		const body = { ...plan(properties, sides, { isDirty, isLocked, isSuperseded, isMade }), ...more };
		const isChange = Object.keys(body).length > 0;
		if (!isChange && (this.#isClaimed() || !this.#isClaiming)) {
			this.#sent = { ...this.#sent, lease: String(olds.lease || this.#sent.lease), isConfirmed: true };
			return false;
		}
		const reference = this.#isClaiming ? formatReference(claim, this.#sent.lease) : undefined;
		const request = { body, reference, before, since: this.#writer.serviceTime() };
		let response: R;
		try {
			response = await this.#patch(request);
		} catch (error) {
			// A service without PATCH can do without the reference.
			if (!isTelephonyError(error, "NotOffered") || isChange)
				throw olds.lease ? error : this.#writer.explained(error, wholeOf(request));
			this.#sent = { ...this.#sent, isConfirmed: true, isUnknown: false };
			return false;
		}
		await this.#confirm(response, request);
		if (!isLocked) await this.#restore(request);
		return isChange;
	}

	/** Sends the request. If it fails, notes how far it came. */
	async #patch(request: Request): Promise<R> {
		let tries = 0;
		try {
			return await this.#writer.patch(this.#target.start.id, () => {
				tries += 1;
				return wholeOf(request);
			});
		} catch (error) {
			const isUnknown = tries > 1 || (tries === 1 && !isRefusal(error));
			this.#sent = { ...this.#sent, isSent: this.#sent.isSent || tries > 0, isUnknown };
			throw error;
		}
	}

	/**
	 * Repeats the request with what it has cleared. A service that refuses that has cleared values which the new ones exclude.
	 * @throws TelephonyError if the program declares one of them
	 */
	async #restore({ body: sent, reference, before }: Request): Promise<void> {
		const { news: declared } = this.#target;
		const { properties, live } = this.#writer;
		const spellings = this.#spellingsBefore(before);
		const lost = lostBody(properties, { sent, before, after: live(this.record), declared, spellings });
		if (Object.keys(lost).length === 0) return;
		const request = { body: { ...sent, ...lost }, reference, before, since: this.#writer.serviceTime() };
		try {
			await this.#confirm(await this.#patch(request), request);
		} catch (error) {
			const isDeclared = Object.keys(createBody(properties, declared)).some((field) => Object.hasOwn(lost, field));
			const isRefused = isTelephonyError(error) && (error.kind === "Invalid" || error.kind === "Conflict");
			if (isDeclared || !isRefused || this.#sent.isUnknown) throw error;
		}
	}

	/** @throws TelephonyError if the service doesn't show what was sent, or can't be read */
	async #confirm(response: R, { body, reference, before, since }: Request): Promise<void> {
		const { start, olds, news: declared } = this.#target;
		const { properties, live, read, nameOf, waiter } = this.#writer;
		this.#sent = { ...this.#sent, isSent: true, isUnknown: true };
		const isCutShort = (record: R) => reference !== undefined && isCutTo(record.reference, reference);
		const unappliedIn = (record: R) => findUnapplied(properties, { body, declared, olds, before, live: live(record) });
		const isClaimed = (record: R) =>
			reference === undefined || record.reference === undefined || record.reference === reference;
		// A response may repeat the request. Only a read shows the spelling of a value that was sent because of its spelling.
		const isEchoed = isRespelled(properties, { body, declared, live: before });
		const isPartial = !isWhole(response, this.record, body);
		// A response with an earlier time repeats the request, and the change may follow later or never.
		const isEarlier = isAfter(response.updated_at, since) === false;
		this.record = await shownAfterWrite(waiter, {
			response: isEchoed || isPartial || isEarlier ? undefined : response,
			read: () => read(start.id),
			isShown: (record) =>
				record.reconciling !== true && (isClaimed(record) || isCutShort(record)) && unappliedIn(record).length === 0,
		});
		const unapplied = unappliedIn(this.record);
		const isConfirmed = isClaimed(this.record);
		if (!isConfirmed)
			unapplied.push({ property: "reference", declared: reference, live: this.record.reference ?? undefined });
		this.#sent = { ...this.#sent, isConfirmed, isUnknown: unapplied.length > 0, unapplied };
		// Another stack has claimed the object since it was read.
		const isOvertaken = !isConfirmed && this.record.reference !== start.reference && this.#ownership() === "foreign";
		if (isCutShort(this.record)) throw referenceCut(nameOf(this.record), this.record);
		if (isOvertaken) throw updateRefusal("overtaken", this.#claimed());
		if (unapplied.length > 0) throw notApplied(nameOf(this.record), unapplied);
	}

	/** Sends any other request of this write. After a refusal of a request that `completes` it, another update is due. */
	async request<T>(work: () => Promise<T>, { completes = false } = {}): Promise<T> {
		try {
			return await work();
		} catch (error) {
			if (completes || !isRefusal(error)) this.#sent = { ...this.#sent, isUnknown: true };
			throw error;
		}
	}

	/** Returns what the state keeps: the outputs of the last confirmed write, `computed`, and the claim. */
	outputs(computed: Values): Values {
		const { news, olds } = this.#target;
		const { properties, live } = this.#writer;
		const written = this.#sent.isConfirmed ? news : { ...olds, ...withoutRequest(properties, news) };
		const spellings = this.spellings();
		return {
			...declaredOutputs(properties, written, live(this.record), spellings),
			...computed,
			...spellingOutputs(spellings),
			...stateAfter(this.#target, this.#sent),
			__resourceUrn: news.__resourceUrn,
			organization: news.organization,
		};
	}

	/** Returns the service's spellings of the declared values. */
	spellings(): Spellings {
		const { news, olds } = this.#target;
		const { properties, live } = this.#writer;
		return this.#sent.isConfirmed ? spellingsOf(properties, news, live(this.record)) : spellingsIn(olds);
	}

	/** A locked object, and one that was just made, aren't sent again what they spell in another way. */
	#spellingsBefore(live: Values): Spellings {
		const { olds, news, isMade } = this.#target;
		const { properties, isLocked } = this.#writer;
		return isMade || isLocked ? spellingsOf(properties, news, live) : spellingsIn(olds);
	}

	#claimed(): Claimed {
		const { claim, olds: outs } = this.#target;
		return { claim, record: this.record, outs, what: capitalized(this.#writer.nameOf(this.record)) };
	}

	#ownership() {
		return ownership(this.#target.claim, this.record, this.#target.olds);
	}

	#isClaimed(): boolean {
		const { claim, olds } = this.#target;
		const { reference } = this.record;
		const isWhole = !reference || !isCutTo(reference, formatReference(claim, String(olds.lease)));
		return (
			isWhole &&
			this.#ownership() === "ours" &&
			Boolean(olds.lease) &&
			!openIn(olds).isDirty &&
			olds.token === claim.token
		);
	}
}
