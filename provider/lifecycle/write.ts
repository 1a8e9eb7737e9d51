/**
 * The one way to bring an object to what is declared: observe, decide, act, observe. Each request carries a fresh
 * lease, so that an entry recognises its own writes, even late ones. What was sent but not confirmed is never
 * forgotten.
 */
import { isTelephonyError } from "../api/errors";
import type { Identity, Referenced } from "../ownership/claim";
import { leasesOf, ownership } from "../ownership/ownership";
import { formatReference, freshLease } from "../ownership/reference";
import { openIn, openOutputs, owedBy } from "../properties/open";
import {
	clearedBody,
	declaredOutputs,
	type Properties,
	patchBody,
	sentProperties,
	type Values,
} from "../properties/table";
import type { SecretChange } from "./secret";

/** What a write starts from, and where it goes. */
export interface WriteTarget<R extends Referenced> extends SecretChange<R> {
	readonly claim: Identity;
	/** The lease that an earlier run has left on an object that this write takes over. */
	readonly found?: string | undefined;
}

/** How objects of a kind are written. */
interface Writer<R extends Referenced> {
	readonly properties: Properties;
	/** The service refuses all but the reference: what only may differ would fail the write for nothing. */
	readonly isLocked?: boolean;
	/** The live values, under the program's names. */
	live(record: R): Values;
	/** Sends the body, which is built again for each try. Returns the object once the change is carried out. */
	patch(id: string, body: () => Values): Promise<R>;
}

/** The most leases that an entry remembers. A request can't arrive after that many later ones. */
const mostLeases = 8;

export class Write<R extends Referenced> {
	/** As the last answer showed it. */
	record: R;
	/** What the entry keeps of this write that neither the program nor the record says. */
	kept: Values = {};
	readonly #target: WriteTarget<R>;
	readonly #writing: Writer<R>;
	#token: string;
	#lease: string;
	/** Whether all that differs has been sent, and confirmed. */
	#isSent = false;
	/** The leases of requests without an answer. */
	#unanswered: string[];
	/** The outputs that the current request may change, and what is owed until it is confirmed. */
	#about: readonly string[] = [];
	#owed: Readonly<Record<string, string>>;

	constructor(target: WriteTarget<R>, writing: Writer<R>) {
		const { claim, olds, start } = target;
		[this.#target, this.#writing, this.record] = [target, writing, start];
		// A token that is not written yet must not count as written.
		this.#token = typeof olds.token === "string" ? olds.token : claim.token;
		this.#owed = openIn(olds).owed;
		this.#lease = String(olds.lease ?? "");
		this.#unanswered = leasesOf(olds).filter((lease) => lease !== this.#lease);
	}

	/**
	 * Sends what differs, `more` and the reference. Sends no request if there is nothing to write. Returns whether there was
	 * anything but the reference.
	 */
	async send(more: Values = {}, others: readonly string[] = []): Promise<boolean> {
		const { claim, news, start } = this.#target;
		const { properties, patch } = this.#writing;
		const live = this.#writing.live(this.record);
		const [olds, doubtful] = this.#known();
		const body = {
			...patchBody(properties, { olds, news, live }, doubtful),
			...clearedBody(properties, news, Object.keys(this.#owed)),
			...more,
		};
		if (Object.keys(body).length === 0 && (this.#isClaimed() || !claim.kept)) {
			this.#claimed(this.#lease || freshLease());
			this.#isSent = true;
			return false;
		}
		this.#owed = { ...this.#owed, ...owedBy(properties, news, live, body) };
		let lease = "";
		const nextBody = () => {
			if (!claim.kept) return body;
			if (lease !== "") this.#unanswered.unshift(lease);
			lease = freshLease();
			return { ...body, reference: formatReference(claim, lease) };
		};
		try {
			const about = [...sentProperties(properties, body), ...others];
			this.record = await this.request(about, () => patch(start.id, nextBody));
		} catch (error) {
			if (lease !== "") this.#unanswered.unshift(lease);
			// Nothing but our own reference was to be written: a service without PATCH can do without it.
			if (!isTelephonyError(error, "NotOffered") || Object.keys(body).length > 0) throw error;
		}
		this.#owed = {};
		this.#isSent = true;
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

	/** What the state keeps: the declared outputs, `computed`, the claim, and what is open. `error` is of a write that failed. */
	outputs(computed: Values, error?: unknown): Values {
		const { news, found } = this.#target;
		const { properties, live } = this.#writing;
		const leases = this.#unanswered.slice(0, mostLeases - 1);
		const isLeft = error !== undefined && found !== undefined && this.#lease === "";
		const failed = isLeft ? { leases: [...leases, found], verdict: "superseded" as const } : { leases };
		return {
			...declaredOutputs(
				properties,
				error === undefined || this.#isSent ? news : { ...news, ...this.#unsent() },
				live(this.record),
			),
			...computed,
			token: this.#token,
			lease: this.#lease,
			...openOutputs(error === undefined ? { leases } : { ...failed, owed: this.#owed, unseen: this.#unseen(error) }),
			resourceUrn: news.resourceUrn,
			organization: news.organization,
		};
	}

	/** What the service never shows is known by the last write that was confirmed. */
	#unsent(): Values {
		const { properties } = this.#writing;
		const hidden = Object.keys(properties).filter((key) => properties[key]?.leftOut);
		return Object.fromEntries(hidden.map((key) => [key, this.#target.olds[key] ?? undefined]));
	}

	/** A refusal has changed nothing; without an answer, nobody knows. */
	#unseen(error: unknown): string[] {
		const isRefused = isTelephonyError(error) && error.status !== undefined && error.status < 500;
		return isRefused ? [] : this.#about.filter((key) => !(key in this.#owed));
	}

	#owned() {
		return ownership(this.#target.claim, this.record, this.#target.olds);
	}

	#isClaimed(): boolean {
		const { claim, olds } = this.#target;
		const isOurs = this.#owned() === "ours" && openIn(olds).verdict === undefined;
		return isOurs && this.#lease !== "" && this.#token === claim.token;
	}

	/** The last write's outputs with all that may have been set since, and the properties that can't be compared. */
	#known(): readonly [olds: Values, doubtful: readonly string[]] {
		const { olds } = this.#target;
		const { unseen = [], verdict } = openIn(olds);
		// What another run of ours has set isn't known here. A refresh may have seen it even if this read lags.
		const isOther = this.#owned() === "superseded" || verdict === "superseded";
		const owed = Object.keys(this.#owed);
		const unknown = isOther ? Object.keys(this.#writing.properties) : [...owed, ...unseen];
		const nulls = Object.fromEntries(unknown.map((key) => [key, null]));
		if (!isOther) return [{ ...nulls, ...olds }, owed];
		// What a locked object never shows counts as written by that run: sending it again would be refused.
		return this.#writing.isLocked ? [{ ...nulls, ...this.#target.news }, owed] : [{ ...nulls, ...olds }, unknown];
	}

	#claimed(lease: string): void {
		this.#token = this.#target.claim.token;
		this.#lease = lease;
	}
}
