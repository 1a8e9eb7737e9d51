/**
 * The one way to bring an object to what is declared: plan the request, send it, save its outcome. Each write has a
 * lease of its own, so that a resource state recognizes its own writes, even late ones.
 */
import { isTelephonyError } from "../api/errors";
import { mapValues, pickBy } from "../api/json";
import type { Identity, Referenced } from "../ownership/claim";
import { ownership } from "../ownership/ownership";
import { formatReference, freshLease } from "../ownership/reference";
import { openIn, openOutputs } from "../properties/open";
import {
	allDeclared,
	clearedBody,
	declaredOutputs,
	type PatchSides,
	type Properties,
	patchBody,
	type Values,
} from "../properties/table";
import type { SecretChange } from "./secret";

/** The values that a write starts from, and those that it brings the object to. */
export interface WriteTarget<R extends Referenced> extends SecretChange<R> {
	readonly claim: Identity;
}

/** How objects of a kind are written. */
interface Writer<R extends Referenced> {
	readonly properties: Properties;
	/** True if the service accepts only the reference, so that any other value fails the write. */
	readonly isLocked?: boolean;
	live(record: R): Values;
	/** Sends the body, which is built again for each try. Returns the object once the change is carried out. */
	patch(id: string, body: () => Values): Promise<R>;
}

/**
 * Returns the request that brings the object to what `news` declares. A dirty state knows nothing of the live values:
 * everything declared is sent, and everything else is cleared.
 */
export function plan(
	properties: Properties,
	{ live, olds, news }: PatchSides,
	{ isDirty = false, isLocked = false },
): Values {
	if (!isDirty) return patchBody(properties, { live, olds, news });
	const all = allDeclared(properties);
	// A locked object refuses to be sent again what it never shows.
	if (isLocked) return patchBody(properties, { live, olds: { ...all, ...news }, news });
	const oldKeys = Object.keys(olds).filter((key) => olds[key] != null);
	return {
		...patchBody(properties, { live, olds: { ...all, ...olds }, news }, Object.keys(properties)),
		...clearedBody(properties, news, oldKeys),
	};
}

/** The outputs of a resumed object, whose values are unknown. `lease` is the one in its reference. */
export const resumedOutputs = (lease?: string): Values => ({ lease, ...openOutputs({ isDirty: true }) });

/** The requests of a write so far. */
interface Sent {
	readonly lease: string;
	/** True once a request with the lease was sent. */
	readonly isSent: boolean;
	readonly isConfirmed: boolean;
	readonly isUnknown: boolean;
}

/** The most unanswered writes that a state remembers. */
const mostLeases = 4;

/** Returns what the state keeps of its claim and of a pending write. */
function stateAfter({ claim, olds }: { claim: Identity; olds: Values }, sent: Sent): Values {
	const { leases, isDirty } = openIn(olds);
	if (sent.isConfirmed)
		return {
			token: claim.token,
			lease: sent.lease,
			...openOutputs({ leases, isDirty: sent.isUnknown }),
		};
	return {
		// A token that isn't written yet must not count as written.
		token: typeof olds.token === "string" ? olds.token : claim.token,
		lease: String(olds.lease ?? ""),
		...openOutputs({
			// A service may refuse a write and carry it out all the same.
			leases: sent.isSent ? [sent.lease, ...leases].slice(0, mostLeases) : leases,
			isDirty: isDirty || sent.isUnknown,
		}),
	};
}

/** Returns the values that no write has to bring to the service. Undefined ones are the program's too. */
const withoutRequest = (properties: Properties, news: Values): Values =>
	mapValues(
		pickBy(properties, ({ wire, fixed }) => wire === undefined || fixed),
		(_, key) => news[key],
	);

/** True if the service has refused the request. After a 408, it may still carry it out. */
const isRefusal = (error: unknown): boolean =>
	isTelephonyError(error) && error.status !== undefined && error.status !== 408 && error.status < 500;

export class Write<R extends Referenced> {
	/** The object as the last response showed it. */
	record: R;
	/** Outputs that neither the program nor the record holds. */
	kept: Values = {};
	readonly #target: WriteTarget<R>;
	readonly #writer: Writer<R>;
	#sent: Sent;

	constructor(target: WriteTarget<R>, writer: Writer<R>) {
		[this.#target, this.#writer, this.record] = [target, writer, target.start];
		this.#sent = { lease: freshLease(), isSent: false, isConfirmed: false, isUnknown: false };
	}

	/**
	 * Sends what differs, `more` and the reference. Sends no request if there is nothing to write. Returns true if there was
	 * anything but the reference.
	 */
	async send(more: Values = {}): Promise<boolean> {
		const { claim, olds, news, start } = this.#target;
		const { properties, isLocked, live, patch } = this.#writer;
		const isDirty = openIn(olds).isDirty || this.#ownership() === "superseded";
		const body = {
			...plan(properties, { live: live(this.record), olds, news }, { isDirty, ...(isLocked && { isLocked }) }),
			...more,
		};
		const isChange = Object.keys(body).length > 0;
		if (!isChange && (this.#isClaimed() || !claim.kept)) {
			this.#sent = { ...this.#sent, lease: String(olds.lease || this.#sent.lease), isConfirmed: true };
			return false;
		}
		const reference = claim.kept ? { reference: formatReference(claim, this.#sent.lease) } : {};
		let tries = 0;
		const nextBody = () => {
			tries += 1;
			return { ...body, ...reference };
		};
		try {
			this.record = await patch(start.id, nextBody);
		} catch (error) {
			const isUnknown = tries > 1 || (tries === 1 && !isRefusal(error));
			this.#sent = { ...this.#sent, isSent: tries > 0, isUnknown };
			// A service without PATCH can do without the reference.
			if (!isTelephonyError(error, "NotOffered") || isChange) throw error;
		}
		this.#sent = { ...this.#sent, isConfirmed: true, isUnknown: false };
		return isChange;
	}

	/** Sends any other request of this write. */
	async request<T>(work: () => Promise<T>): Promise<T> {
		try {
			return await work();
		} catch (error) {
			if (!isRefusal(error)) this.#sent = { ...this.#sent, isUnknown: true };
			throw error;
		}
	}

	/** Returns what the state keeps: the outputs of the last confirmed write, `computed`, and the claim. */
	outputs(computed: Values): Values {
		const { news, olds } = this.#target;
		const { properties, live } = this.#writer;
		const written = this.#sent.isConfirmed ? news : { ...olds, ...withoutRequest(properties, news) };
		return {
			...declaredOutputs(properties, written, live(this.record)),
			...computed,
			...stateAfter(this.#target, this.#sent),
			resourceUrn: news.resourceUrn,
			organization: news.organization,
		};
	}

	#ownership() {
		return ownership(this.#target.claim, this.record, this.#target.olds);
	}

	#isClaimed(): boolean {
		const { claim, olds } = this.#target;
		return this.#ownership() === "ours" && Boolean(olds.lease) && !openIn(olds).isDirty && olds.token === claim.token;
	}
}
