/** What a kind of object defines of the lifecycle that all kinds share (lifecycle.ts). */
import type { Standing } from "../drift/states";
import type { Referenced } from "../ownership/claim";
import type { Memory } from "../ownership/memory";
import { losses } from "../ownership/ownership";
import type { CheckFailure, Properties, Values } from "../properties/table";
import type { SharedReads } from "../reads/reads";
import type { Kind } from "../session/kinds";
import type { Service, Session } from "../session/session";
import type { Claimant } from "./resource";
import type { Secret } from "./secret";
import type { Write, WriteTarget } from "./write";

export type { WriteTarget };

/** The operations of one kind of object. */
export interface ObjectOperations<R extends Referenced> {
	readonly reads: SharedReads<R>;
	get(id: string): Promise<R>;
	/** Sends the body, which is built again for each try. Returns the object once the change is carried out. */
	patch(id: string, body: () => Values): Promise<R>;
}

export interface Definition<R extends Referenced> extends Standing {
	readonly noun: Kind;
	/** Which declaration an object belongs to. */
	readonly source: Claimant;
	readonly properties: Properties;
	/** How one is made and ended, in words. */
	readonly verbs: Verbs;
	/** The part of the lifecycle of what has a secret. */
	readonly secret?: Secret<R>;
	operations(service: Service, session: Session): ObjectOperations<R>;
	nameOf(record: R): string;
	/** The same at the beginning of a sentence. Default: `The trunk office (trk_01)`. */
	subjectOf?(record: R): string;
	/** The live values, under the program's names. */
	live(record: R): Values;
	/** The outputs that aren't inputs. `entry` are its other values: of a write with what it keeps, of a read the last outputs. */
	computed(record: R, entry: Values): Values;
	/** What putting back a lost object does, in words that follow `pulumi up`. */
	readonly lost: string;
	/** Inputs that follow from others. */
	prepare?(news: Values): Values;
	/** Checks that the table of properties can't express. Completes `inputs` in place. */
	failures(olds: Values, inputs: Values, context: Context<R>): CheckFailure[] | Promise<CheckFailure[]>;
	/** Warns of an update that can't succeed, as far as the last outputs show it. `changed` are the properties that differ. */
	warnOfChange?(session: Session, changed: readonly string[], olds: Values): void;
	/** Checks that need all that the run declares. */
	refusedByRun?(session: Session, olds: Values, inputs: Values): Promise<CheckFailure[]>;
	/** Says what a create would cost. Never fails. */
	foresee?(session: Session, inputs: Values): Promise<void>;
	/** Of the changed properties, those whose change needs another object. Default none. */
	replaces?(changed: readonly string[], olds: Values, news: Values, id: string): string[];
	/** Whether the service takes nothing but its reference now. Then it is sent only what certainly differs. */
	isLocked?(record: R): boolean;
	/** Gets the object of a new entry: one that is there, or a new one. */
	acquire(run: Run<R>, inputs: Values): Promise<Acquired<R>>;
	/** Ends the object of an entry, unless it has to stay. */
	release(run: Run<R>, id: string, props: Values): Promise<void>;
	/** Carries a write out, and waits for what the program waits for. Default: one request, and the secret's. */
	carryOut?(run: Run<R>, write: Write<R>, target: WriteTarget<R>): Promise<void>;
	/** @throws TelephonyError if an update can't get there; nothing is changed then */
	refuseUpdate?(run: Run<R>, record: R, olds: Values, news: Values): void;
	/** The error of a failed write, in its own words. */
	explained?(error: unknown, start: R): unknown;
	/** A record as a write knows it, where later answers say less than earlier ones. */
	completed?(record: R, target: WriteTarget<R>): R;
	/** The id of what a program or a user names in another way. */
	idOf?(service: Service, wanted: string): Promise<string>;
	/** The status of an object that is gone, though the service still shows it. */
	ended?(record: R): string | undefined;
	/** How it was lost. Default: removed. */
	lossOf?(status: string | undefined): Loss;
	/** @throws TelephonyError if it may only not be shown yet */
	assertNotJustBought?(
		run: Run<R>,
		entry: { readonly id: string; readonly props: Values },
		error: unknown,
	): Promise<void>;
	/** Whether a record of the list says too little, so that the object is read alone. */
	saysTooLittle?(record: R, props: Values): boolean;
	/** Whether objects can be read alone. Default yes. */
	hasSingleReads?(service: Service): boolean;
	/** The outputs of an object that a program only reads. */
	lookedUp?(record: R): Values;
	/** Warns of what the outputs of a read show. */
	warn?(session: Session, record: R, outs: Values): void;
	/** What an import declares in addition to what is live. Default `adopt`, so that `destroy` leaves it there. */
	imported?(id: string): Values;
}

/** `buy`, `bought`, `release`, `released`. */
export interface Verbs {
	readonly make: string;
	readonly made: string;
	readonly end: string;
	readonly ended: string;
}

interface Loss {
	readonly code: (typeof losses)[keyof typeof losses]["code"];
	readonly word: string;
	/** A sentence. */
	readonly wayBack?: string | undefined;
}

export const removed: Loss = losses.removed;

/** A kind of object in one session. */
export interface Context<R extends Referenced> {
	readonly session: Session;
	/** What this run knows of objects of this kind. */
	readonly memory: Memory;
	readonly definition: Definition<R>;
}

/** The same with the service that it is at. */
export interface Run<R extends Referenced> extends Context<R> {
	readonly service: Service;
	readonly operations: ObjectOperations<R>;
}

/** The object of a new resource. */
export type Acquired<R extends Referenced> = Omit<WriteTarget<R>, "news">;
