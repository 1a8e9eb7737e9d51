import { isDeepStrictEqual } from "node:util";
import { type Feature, type KindName, kinds } from "../../provider/api/contract";
import { Faults } from "../faults/faults";
import { found } from "../request/errors";
import { IdempotencyKeys } from "../store/idempotency";
import { Journal } from "../store/journal";
import { Ledger } from "../store/ledger";
import type { View } from "../store/past";
import { cryptoRandom, newId, type Random } from "../store/random";
import { type Unset, unsetFields } from "../store/rows";
import { type Collection, createStore, type Rows, type Store, type Stored } from "../store/store";
import { Table } from "../store/table";
import { type Clock, SwitchableClock, timestamp } from "../time/clock";
import { Courier } from "../time/courier";
import { Inventory } from "./inventory";
import { createPost, type Post, type Reach } from "./post";
import { RateLimit } from "./rate-limit";
import { Script } from "./script";
import { initialSettings, type Profile, type Settings } from "./settings";

/** Single values of the account, which the table `account` stores. */
export interface Values {
	settings: Settings;
	kycPolicy: string;
	/** Replaced by a reset, so that older cursors are refused. */
	epoch: string;
	/** Number of rows created. */
	count: number;
	/** The end of the last invoice, in milliseconds since 1970. */
	billedUntil: number;
	/** Id of the account, unless a setting has another one. It stays after a reset. */
	ownAccountId: string;
}

/** The state of one emulator. */
export interface Service extends Readonly<Values> {
	readonly clock: Clock;
	/** True if the clock is restored with the state. */
	readonly ownsClock: boolean;
	/** Replaced on each restore. */
	random: Random;
	readonly apiKey: string;
	readonly profile: Profile;
	/** Features that the imitated service doesn't have. */
	readonly lacking: readonly Feature[];
	readonly store: Store;
	readonly inventory: Inventory;
	readonly ledger: Ledger;
	readonly journal: Journal;
	readonly keys: IdempotencyKeys;
	readonly faults: Faults;
	readonly script: Script;
	/** Times of opt-outs, by number of the account and receiver. */
	readonly optOuts: Table<string>;
	readonly rateLimit: RateLimit;
	readonly courier: Courier;
	readonly post: Post;
	/** The stored values, and those of the process. */
	readonly account: Table<unknown>;
	/** Takes the next step of a row. The control API sets it, because the areas define the steps. */
	takeStep: (name: KindName, row: Stored) => void;
	/** Functions that cancel timers, by row id. */
	readonly timers: Map<string, () => void>;
	/** False if each list is one page. */
	readonly isPaged: boolean;
	/** Takes a line for each request and each attempt to deliver. */
	readonly log: (line: string) => void;
	/** Number of scans of each list, for `pageChaos`. */
	readonly scans: Map<string, number>;
	/** Number of reads of each object, for `shuffleArrays`. */
	readonly turns: Map<string, number>;
	/** Replaces values and stores them. */
	readonly save: (changes: Partial<Values>) => void;
	/** Takes the values from the table `account`, which a folder or a snapshot has filled. */
	readonly load: () => void;
	/** Resolves once all changes are on disk. No response is sent before. */
	committed: () => Promise<void>;
}

export interface ServiceOptions {
	readonly clock: Clock;
	readonly ownsClock: boolean;
	readonly random: Random;
	readonly apiKey: string;
	readonly profile: Profile;
	readonly lacking: readonly Feature[];
	readonly kycPolicy: string;
	readonly log: (line: string) => void;
	readonly keepRequests: number | undefined;
	readonly reach: Reach;
	readonly isPaged: boolean;
}

export const createService = ({ kycPolicy, keepRequests, reach, ...options }: ServiceOptions): Service => {
	const { clock, ownsClock, random, profile, lacking } = options;
	const account = new Table<unknown>();
	const values: Values = {
		settings: initialSettings(profile, lacking),
		kycPolicy,
		epoch: newId("epoch", random),
		count: 0,
		billedUntil: 0,
		// Emulators with one seed are different accounts.
		ownAccountId: newId("acc", cryptoRandom),
	};
	const service: Service = {
		...options,
		...values,
		account,
		store: createStore(clock),
		inventory: new Inventory(),
		ledger: new Ledger(),
		journal: new Journal(keepRequests),
		keys: new IdempotencyKeys(clock),
		faults: new Faults(),
		script: new Script(),
		optOuts: new Table<string>(),
		rateLimit: new RateLimit(),
		courier: new Courier(clock),
		post: createPost(reach),
		timers: new Map(),
		scans: new Map(),
		turns: new Map(),
		save: (changes) => {
			Object.assign(service, changes);
			for (const [name, value] of Object.entries(changes)) account.set(name, value);
		},
		load: () => {
			const stored = [...account.entries()].filter(([name]) => Object.hasOwn(values, name));
			Object.assign(service, Object.fromEntries(stored));
		},
		committed: () => Promise.resolve(),
		takeStep: () => {},
	};
	service.save(values);
	if (ownsClock && clock instanceof SwitchableClock) {
		clock.turned = () => account.set("clock", { mode: clock.mode, now: clock.now(), ahead: clock.ahead });
		clock.turned();
	}
	return service;
};

/** The tables of a folder or a snapshot: all but requests and faults. */
export const tablesOf = ({
	store,
	account,
	ledger,
	keys,
	inventory,
	optOuts,
}: Service): Readonly<Record<string, Table<unknown>>> => ({
	account,
	...store,
	ledger: ledger.table,
	keys: keys.table,
	optOuts,
	used: inventory.used,
	taken: inventory.taken,
});

/** The id that GET /account shows. */
export const accountIdOf = ({ settings, ownAccountId }: Service): string => settings.accountId ?? ownAccountId;

/** Returns a text that differs after each change of what the console shows, except for the time of a running clock. */
export const versionOf = (service: Service): string => {
	const { clock, journal, faults } = service;
	const tables = Object.values(tablesOf(service)).reduce((sum, { changes }) => sum + changes, 0);
	const time = clock instanceof SwitchableClock && clock.mode === "real" ? "real" : clock.now();
	return JSON.stringify([tables, journal.changes, faults.list(), time]);
};

/** Sets the timer of a row, instead of its previous one. */
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

/** Stops all timers and deliveries. */
export const stopTimers = (service: Service): Promise<void> => {
	for (const cancel of service.timers.values()) cancel();
	service.timers.clear();
	return service.courier.stop();
};

/** Empties the account. Ids and phone numbers are not used again. */
export const resetService = (service: Service, kycPolicy: string): void => {
	void stopTimers(service);
	service.faults.reset();
	service.script.clear();
	const rows: { clear(): void }[] = Object.values(service.store);
	for (const part of [...rows, service.ledger, service.journal, service.keys, service.optOuts]) part.clear();
	service.rateLimit.reset();
	service.scans.clear();
	service.turns.clear();
	service.save({
		settings: initialSettings(service.profile, service.lacking),
		kycPolicy,
		billedUntil: 0,
		epoch: newId("epoch", service.random),
	});
};

/** @param rows default: as they are now @throws ServiceError `not_found` */
export const findRow = <Name extends KindName>(
	{ store }: Pick<Service, "store">,
	name: Name,
	id: string,
	rows: View<Rows[Name]> = store[name],
): Rows[Name] => found(rows.get(id), kinds[name].noun, id);

export const timeOf = (service: Service): string => timestamp(service.clock.now());

/** Returns the beginning of a new row: its id and times, and null for each field of the record that allows it. */
export const newRow = <Name extends KindName>(service: Service, name: Name): Stored & Unset<Name> => {
	const at = timeOf(service);
	const seq = service.count + 1;
	service.save({ count: seq });
	const id = newId(kinds[name].idPrefix, service.random);
	return { ...unsetFields(name), id, seq, created_at: at, updated_at: at };
};

/** Sets the timer of a row's next step, instead of its previous one. */
export const scheduleStep = (service: Service, name: KindName, { id, next_at }: Stored): void => {
	stopTimer(service, id);
	if (!next_at) return;
	setTimer(service, id, Date.parse(next_at), () => {
		const row = service.store[name].get(id);
		if (row !== undefined) service.takeStep(name, row);
	});
};

/** Stores a row, whose next step follows at `next_at`. */
export const put = <Name extends KindName>(service: Service, name: Name, row: Rows[Name]): Rows[Name] => {
	const rows: Collection<Rows[Name]> = service.store[name];
	scheduleStep(service, name, row);
	return rows.put(row);
};

/** Replaces a row by a changed copy. Without a difference, `updated_at` stays. */
export const edit = <Name extends KindName>(
	service: Service,
	name: Name,
	row: Rows[Name],
	change: (draft: Rows[Name]) => void,
): Rows[Name] => {
	const draft = structuredClone(row);
	change(draft);
	if (isDeepStrictEqual(draft, row)) return row;
	draft.updated_at = timeOf(service);
	return put(service, name, draft);
};
