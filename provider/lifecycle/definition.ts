/** The definition of a kind of object for the lifecycle that all kinds share (lifecycle.ts). */
import type { Standing } from "../drift/states";
import type { Claimant, Identity, Referenced } from "../ownership/claim";
import type { Memory } from "../ownership/memory";
import type { losses } from "../ownership/ownership";
import type { CheckFailure, Properties, Values } from "../properties/table";
import type { SharedReads } from "../reads/reads";
import type { Kind } from "../session/kinds";
import type { Service, Session } from "../session/session";
import type { Verbs } from "./messages";
import type { Secret } from "./secret";
import type { Write, WriteTarget } from "./write";

export type { WriteTarget };

export interface ObjectOperations<R extends Referenced> {
	readonly reads: SharedReads<R>;
	get(id: string): Promise<R>;
	/** Sends the body, which is built again for each try. Returns the object once the change is carried out. */
	patch(id: string, body: () => Values): Promise<R>;
}

export interface Definition<R extends Referenced> extends Standing {
	readonly noun: Kind;
	readonly source: Claimant;
	readonly properties: Properties;
	readonly verbs: Verbs;
	readonly secret?: Secret<R>;
	operations(service: Service, session: Session): ObjectOperations<R>;
	nameOf(record: R): string;
	/** Returns the object's own name in reports. Default: its field `name`. */
	labelOf?(record: R): string | undefined;
	/** Returns the name at the beginning of a sentence. Default: `The trunk office (trk_01)`. */
	subjectOf?(record: R): string;
	/** Returns the live values, under the program's names. */
	live(record: R): Values;
	/** Returns the outputs that aren't inputs. `outs` are the inputs and the kept outputs of a write, or the saved outputs. */
	computed(record: R, outs: Values): Values;
	/** The effect of restoring a deleted object, in words that follow `pulumi up`. */
	readonly ifDeleted: string;
	/** Completes inputs that follow from others. */
	prepare?(news: Values): Values;
	/** Returns failures that the table of properties can't express. */
	failures?(olds: Values, inputs: Values, context: Context<R>): CheckFailure[] | Promise<CheckFailure[]>;
	/** Returns the properties whose change replaces the object, besides `adopt`. Default none. */
	changedCriteria?(olds: Values, inputs: Values): string[];
	/** Warns of an update that can't succeed, by the saved outputs. `changed` are the properties that differ. */
	warnOfChange?(session: Session, changed: readonly string[], olds: Values): void;
	/** Returns failures that depend on everything that the run declares. */
	refusedByRun?(session: Session, olds: Values, inputs: Values): Promise<CheckFailure[]>;
	/** Shows the price of a create. Never fails. */
	foresee?(session: Session, inputs: Values): Promise<void>;
	/** Returns the changed properties that need another object. Default none. */
	replaces?(changed: readonly string[], olds: Values, news: Values, id: string): string[];
	/** True if the service accepts only the reference now. Then a write sends only what certainly differs. */
	isLocked?(record: R): boolean;
	/** True if `adopt` names the object, although not by its id. */
	isNamed?(record: R, wanted: string): boolean;
	/** True for a live object that this declaration must not have: it ends, or it ended for another declaration. */
	isPast?(record: R, inputs: Values): boolean;
	/** Returns why the object can't become what the program declares, in words that follow its name. Default: a fixed property differs. */
	contradiction?(record: R, inputs: Values): string | undefined;
	/** Returns the listed objects that nobody claims and that an interrupted run may have made. Default none. */
	candidates?(run: Run<R>, target: CreateTarget<R>): readonly R[];
	/** True if a list leaves out values that can rule a candidate out. */
	isPartlyListed?(record: R): boolean;
	/** @throws TelephonyError if nothing may be made now */
	assertCreatable?(run: Run<R>, target: CreateTarget<R>): void;
	/** Sends one request that makes an object. */
	make(run: Run<R>, request: MakeRequest<R>): Promise<Made<R>>;
	/** True if the program or the service protects the object from removal. */
	isProtected?(record: R, outs: Values): boolean;
	/** Returns why the service can no longer end the object, as a sentence; undefined if it can. */
	stays?(record: R): string | undefined;
	/** Ends the object. @throws MustStay if the service can't; TelephonyError if the object is still there */
	remove(run: Run<R>, record: R, outs: Values): Promise<void>;
	/** Returns what to know about a retained object, as sentences. Default: any stack can adopt it. */
	whenRetained?(record: R, outs: Values): string;
	/** Carries a write out, and waits as the program declares. Default: one request, and one for the secret. */
	carryOut?(run: Run<R>, write: Write<R>, target: WriteTarget<R>): Promise<void>;
	/** @throws TelephonyError if an update can't succeed; nothing is changed then */
	refuseUpdate?(run: Run<R>, record: R, olds: Values, news: Values): void;
	/** Adds the fix of this kind to the error of a write. */
	explained?(error: unknown, target: WriteTarget<R>): unknown;
	/** Completes a record by what earlier responses have shown. */
	completed?(record: R, target: WriteTarget<R>): R;
	/** Returns the id of an object that a program or a user names in another way. */
	idOf?(service: Service, wanted: string): Promise<string>;
	/** Returns the status of a deleted object that the service still shows. */
	ended?(record: R): string | undefined;
	/** Returns how the object was lost. Default: removed. */
	lossOf?(status: string | undefined): Loss;
	/** @throws TelephonyError if the service may not show the object yet */
	assertNotJustBought?(
		run: Run<R>,
		resource: { readonly id: string; readonly props: Values },
		error: unknown,
	): Promise<void>;
	/** True if the list shows too little of the object, so that it is read alone. */
	saysTooLittle?(record: R, props: Values): boolean;
	/** Returns the outputs of an object that a program only reads. */
	lookedUp?(record: R): Values;
	/** Returns the inputs that an import adds to the live values. Default `adopt`, so that `destroy` retains the object. */
	imported?(id: string): Values;
}

export interface Loss {
	readonly code: (typeof losses)[keyof typeof losses]["code"];
	readonly word: string;
	/** A sentence. */
	readonly wayBack?: string | undefined;
}

/** A kind of object in one session. */
export interface Context<R extends Referenced> {
	readonly session: Session;
	/** The memory of this run about objects of this kind. */
	readonly memory: Memory;
	readonly definition: Definition<R>;
}

/** A kind of object at a service. */
export interface Run<R extends Referenced> extends Context<R> {
	readonly service: Service;
	readonly operations: ObjectOperations<R>;
}

export type Acquired<R extends Referenced> = Omit<WriteTarget<R>, "news">;

/** A declaration that has no object yet. */
export interface CreateTarget<R extends Referenced> {
	readonly claim: Identity;
	readonly inputs: Values;
	/** The live objects, as the list shows them. */
	readonly live: readonly R[];
}

export interface MakeRequest<R extends Referenced> extends CreateTarget<R> {
	/** The idempotency key. */
	readonly key: string;
}

/** The outcome of a request that makes an object. */
export type Made<R extends Referenced> =
	/** `lease` is the one in its reference; "" if the object isn't claimed yet. Only `response` may show a secret. */
	| { readonly is: "Made"; readonly record: R; readonly lease: string; readonly response: R }
	/** An earlier run has made the object, and perhaps written it. */
	| { readonly is: "Resumed"; readonly record: R }
	/**
	 * The key led to an earlier refusal, or to an object that is deleted or another's. `isUnmarked`: the service hasn't marked
	 * the response as a repeated one.
	 */
	| { readonly is: "TryNextKey"; readonly isUnmarked?: true };
