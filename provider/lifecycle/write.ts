/**
 * The one way to bring an object to what is declared: observe, decide, act, observe. Each request carries a fresh
 * lease, so that an entry recognises its own writes, even late ones. What was sent but not confirmed is never
 * forgotten.
 */
import { isTelephonyError } from "../api/errors";
import type { Identity, Referenced } from "../ownership/claim";
import { bondsOf, leasesOf, notedIn, ownership } from "../ownership/ownership";
import { type Bonds, formatReference, freshLease } from "../ownership/reference";
import {
	clearedBody,
	declaredOutputs,
	type Properties,
	patchBody,
	sentProperties,
	type Values,
} from "../properties/table";
import { attemptIn, owedBy, owedIn, unfinishedOutputs } from "../properties/unfinished";

export interface Attempt<R extends Referenced> {
	readonly claim: Identity;
	/** The object as it is now. */
	readonly record: R;
	/** The outputs of the last write; empty if the object is new. */
	readonly olds: Values;
	/** What the program declares. */
	readonly news: Values;
	/** What a new object carries from here on. An older one keeps what it has. */
	readonly bonds?: Bonds;
	readonly properties: Properties;
	/** The service refuses all but the reference: what only may differ would fail the write for nothing. */
	readonly isLocked?: boolean;
	/** The live values, under the program's names. */
	live(record: R): Values;
	/** Sends the body, which is built again for each try. Returns the object once the change is carried out. */
	patch(body: () => Values): Promise<R>;
}

/** The most leases that an entry remembers. A request can't arrive after that many later ones. */
const mostLeases = 8;

export class Write<R extends Referenced> {
	/** As the last answer showed it. */
	record: R;
	/** What the entry keeps of this write that neither the program nor the record says. */
	kept: Values = {};
	readonly #attempt: Attempt<R>;
	readonly #bonds: Bonds;
	#token: string;
	#lease: string;
	#unanswered: string[];
	/** What the current request may change, and what is owed until it is confirmed. */
	#about: readonly string[] = [];
	#owed: Readonly<Record<string, string>>;

	constructor(attempt: Attempt<R>) {
		const { claim, olds, record } = attempt;
		this.#attempt = attempt;
		this.#bonds = attempt.bonds ?? bondsOf(record, olds);
		this.record = record;
		// A token that is not written yet must not count as written.
		this.#token = typeof olds.token === "string" ? olds.token : claim.token;
		this.#owed = owedIn(olds);
		this.#lease = String(olds.lease ?? "");
		this.#unanswered = leasesOf(olds).filter((lease) => lease !== this.#lease);
	}

	/**
	 * Sends what differs, `more` and the reference. Sends no request if there is nothing to write. Returns whether there was
	 * anything but the reference.
	 */
	async send(more: Values = {}, others: readonly string[] = []): Promise<boolean> {
		const { claim, properties, live, news, patch } = this.#attempt;
		const [olds, doubtful] = this.#known();
		const body = {
			...patchBody(properties, { olds, news, live: live(this.record) }, doubtful),
			...clearedBody(properties, news, Object.keys(this.#owed)),
			...more,
		};
		const isOurs = this.#owned() === "ours" && this.#attempt.olds.claim === undefined;
		const isClaimed = isOurs && this.#lease !== "" && this.#token === claim.token;
		if (Object.keys(body).length === 0 && (isClaimed || !claim.kept)) {
			this.#claimed(this.#lease || freshLease());
			return false;
		}
		this.#owed = { ...this.#owed, ...owedBy(properties, news, live(this.record), body) };
		let lease = "";
		const attempt = () => {
			if (!claim.kept) return body;
			if (lease !== "") this.#unanswered.unshift(lease);
			lease = freshLease();
			return { ...body, reference: formatReference(claim, lease, this.#bonds) };
		};
		try {
			this.record = await this.request([...sentProperties(properties, body), ...others], () => patch(attempt));
		} catch (error) {
			if (lease !== "") this.#unanswered.unshift(lease);
			// Nothing but our own reference was to be written: a service without PATCH can do without it.
			if (!isTelephonyError(error, "NotOffered") || Object.keys(body).length > 0) throw error;
		}
		this.#owed = {};
		this.#claimed(lease || freshLease());
		return Object.keys(body).length > 0;
	}

	/** Sends any request of this write. `about` are the outputs that it may change. */
	async request<T>(about: readonly string[], work: () => Promise<T>): Promise<T> {
		this.#about = about;
		const answer = await work();
		this.#about = [];
		return answer;
	}

	/** The outputs that mark a failed write. */
	unfinished(error: unknown): Values {
		return unfinishedOutputs(this.#about, this.#owed, error);
	}

	/** What the state keeps: the declared outputs, `computed` and the claim. */
	outputs(computed: Values): Values {
		const { news, properties, live } = this.#attempt;
		const attempts = this.#unanswered.slice(0, mostLeases - 1);
		return {
			...declaredOutputs(properties, news, live(this.record)),
			...computed,
			token: this.#token,
			lease: this.#lease,
			...(this.#bonds.account === "" ? {} : { account: this.#bonds.account }),
			// A copy, for when the reference is not written, or lost.
			...(this.#bonds.beside === "" ? {} : { beside: this.#bonds.beside }),
			...(attempts.length === 0 ? {} : { attempts }),
			resourceUrn: news.resourceUrn,
			organization: news.organization,
		};
	}

	#owned() {
		return ownership(this.#attempt.claim, this.record, this.#attempt.olds);
	}

	/** The last write's outputs with all that may have been set since, and the properties that can't be compared. */
	#known(): readonly [olds: Values, doubtful: readonly string[]] {
		const { olds, properties, isLocked } = this.#attempt;
		// What another attempt of ours has set isn't known here. A refresh may have seen it even if this read lags.
		const isOther = this.#owned() === "superseded" || notedIn(olds) === "superseded";
		const owed = Object.keys(this.#owed);
		const unknown = isOther ? Object.keys(properties) : [...owed, ...(attemptIn(olds) ?? [])];
		const nulls = Object.fromEntries(unknown.map((key) => [key, null]));
		return [{ ...nulls, ...olds }, isOther && !isLocked ? unknown : owed];
	}

	#claimed(lease: string): void {
		this.#token = this.#attempt.claim.token;
		this.#lease = lease;
	}
}
