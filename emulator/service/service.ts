import { isDeepStrictEqual } from "node:util";
import { Faults } from "../faults/faults";
import { IdempotencyKeys } from "../store/idempotency";
import { Journal } from "../store/journal";
import { Ledger } from "../store/ledger";
import { newId, type Random } from "../store/random";
import { type Collection, createStore, type Store, type Stored } from "../store/store";
import { Table } from "../store/table";
import { type Clock, type ClockMode, SwitchableClock, timestamp } from "../time/clock";
import { Courier } from "../time/courier";
import { Inventory } from "./inventory";
import { createPost, type Deliver, type Post } from "./post";
import { RateLimit } from "./rate-limit";
import { initialSettings, type Profile, type Settings } from "./settings";

/** Everything one emulator knows: what its routes and its control plane work on. */
export interface Service {
	readonly clock: Clock;
	/** The clock is nobody else's: it belongs to the state, and comes back with it. */
	readonly ownsClock: boolean;
	/** Another one after each restore. */
	random: Random;
	readonly apiKey: string;
	readonly profile: Profile;
	readonly store: Store;
	readonly inventory: Inventory;
	readonly ledger: Ledger;
	readonly journal: Journal;
	readonly keys: IdempotencyKeys;
	readonly faults: Faults;
	readonly rateLimit: RateLimit;
	/** Carries the deliveries that are due, through `post`. */
	readonly courier: Courier;
	readonly post: Post;
	/** What there is one of: the settings and whatever else is assigned here. */
	readonly account: Table<unknown>;
	/** Cancels of the timers of what happens next, by row id. */
	readonly timers: Map<string, () => void>;
	settings: Settings;
	kycPolicy: string;
	/** Another one after each reset: cursors of before are refused. */
	epoch: string;
	/** How often each list has been scanned from its start: for what goes wrong with pages. */
	readonly scans: Map<string, number>;
	/** Rows created so far. */
	count: number;
	/** Resolves once all changes made until now are on disk, if they are to be; nothing is told to anybody before. */
	committed: () => Promise<void>;
}

export interface ServiceOptions {
	readonly clock: Clock;
	readonly ownsClock?: boolean;
	readonly random: Random;
	readonly apiKey: string;
	readonly profile: Profile;
	readonly kycPolicy: string;
	/** @default "loopback" */
	readonly deliver?: Deliver | undefined;
}

export const createService = ({
	kycPolicy,
	ownsClock = false,
	deliver = "loopback",
	...options
}: ServiceOptions): Service => {
	const account = new Table<unknown>();
	const service = {
		...options,
		ownsClock,
		account,
		store: createStore(options.clock),
		inventory: new Inventory(),
		ledger: new Ledger(),
		journal: new Journal(),
		keys: new IdempotencyKeys(options.clock),
		faults: new Faults(),
		rateLimit: new RateLimit(),
		courier: new Courier(options.clock),
		post: createPost(deliver),
		timers: new Map(),
		scans: new Map(),
		committed: () => Promise.resolve(),
	};
	const first = {
		settings: initialSettings(options.profile),
		kycPolicy,
		epoch: newId("epoch", options.random),
		count: 0,
	};
	for (const [name, value] of Object.entries(first)) {
		account.set(name, value);
		Object.defineProperty(service, name, {
			get: () => account.get(name),
			set: (next: unknown) => account.set(name, next),
		});
	}
	const { clock } = options;
	if (ownsClock && clock instanceof SwitchableClock) {
		clock.turned = () => account.set("clock", { mode: clock.mode, now: clock.now() });
		clock.turned();
	}
	return service as typeof service & typeof first;
};

/** All that a service knows but the journal of its requests and the faults set: what a folder or a snapshot keeps. */
export const tablesOf = ({
	store,
	account,
	ledger,
	keys,
	inventory,
}: Service): Readonly<Record<string, Table<unknown>>> => ({
	account,
	...store,
	ledger: ledger.table,
	keys: keys.table,
	used: inventory.used,
	taken: inventory.taken,
});

/** Calls back at that time unless the row's timer is set anew or stopped before. */
export const setTimer = (service: Service, id: string, time: number, callback: () => void): void => {
	stopTimer(service, id);
	const ring = () => {
		service.timers.delete(id);
		callback();
	};
	service.timers.set(id, service.clock.at(time, ring));
};

export const stopTimer = ({ timers }: Service, id: string): void => {
	timers.get(id)?.();
	timers.delete(id);
};

/** Nothing happens by itself any more, and nothing is on its way. */
export const stopTimers = (service: Service): Promise<void> => {
	for (const cancel of service.timers.values()) cancel();
	service.timers.clear();
	return service.courier.stop();
};

/** Back to the start. Ids and numbers go on, so that what was handed out before never comes again. */
export const resetService = (service: Service, kycPolicy: string): void => {
	void stopTimers(service);
	service.faults.reset();
	const rows: { clear(): void }[] = Object.values(service.store);
	for (const part of [...rows, service.ledger, service.journal, service.keys]) part.clear();
	service.settings = initialSettings(service.profile);
	service.rateLimit.reset();
	service.scans.clear();
	service.kycPolicy = kycPolicy;
	service.epoch = newId("epoch", service.random);
};

export const timeOf = (service: Service): string => timestamp(service.clock.now());

/** What every new row begins with. */
export const newRow = (service: Service, prefix: string): Stored => {
	const at = timeOf(service);
	service.count += 1;
	return { id: newId(prefix, service.random), seq: service.count, created_at: at, updated_at: at };
};

/** Replaces a row by a changed copy; a change that changes nothing leaves `updated_at` alone. */
export const edit = <Row extends Stored>(
	service: Service,
	rows: Collection<Row>,
	row: Row,
	change: (draft: Row) => void,
): Row => {
	const draft = structuredClone(row);
	change(draft);
	if (isDeepStrictEqual(draft, row)) return row;
	draft.updated_at = timeOf(service);
	return rows.put(draft);
};

/** What the rows say about their next step goes along when the time comes closer. */
export const turnClock = ({ clock, store }: Service, mode: ClockMode): void => {
	const closer = clock instanceof SwitchableClock ? clock.switchTo(mode) : 0;
	if (closer === 0) return;
	for (const rows of Object.values(store) as Collection<Stored>[]) {
		for (const row of rows) {
			if (row.next_at) rows.put({ ...row, next_at: timestamp(Date.parse(row.next_at) - closer) });
		}
		rows.past.hasten(closer);
	}
};
