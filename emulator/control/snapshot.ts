import { z } from "zod";
import type { Feature } from "../../provider/api/contract";
import { isKycPolicy, kycPolicyHint } from "../areas/kyc/kyc";
import { reserve } from "../areas/port-orders/port-orders";
import { invalid, ServiceError } from "../request/errors";
import { validate } from "../request/validate";
import { type Service, stopTimers, tablesOf } from "../service/service";
import { changeSettings, initialSettings, type Profile, type Settings } from "../service/settings";
import { DataError, type Entry, type Folder } from "../store/folder";
import { branchOf, newId } from "../store/random";
import type { Table } from "../store/table";
import { type ClockMode, endOfTime, SwitchableClock } from "../time/clock";
import { schedule } from "./kinds";

/** Version of a snapshot; it changes when older emulators can't read it. */
const format = 1;

const Snapshot = z.strictObject({
	format: z.literal(format),
	tables: z.record(z.string(), z.array(z.tuple([z.string(), z.unknown()]))),
});

/** The account without requests and faults. It includes secrets. A missing table is empty. */
export type Snapshot = z.input<typeof Snapshot>;

type Tables = z.output<typeof Snapshot>["tables"];

/** Tables that only grow: a phone number is never sold again. */
const growing = ["used", "taken"];

/** Keys of this process that are not part of a snapshot. */
const processKeys = ["started", "starts"];

export const takeSnapshot = (service: Service): Snapshot => ({
	format,
	tables: Object.fromEntries(
		Object.entries(tablesOf(service)).map(([name, table]) => [
			name,
			structuredClone([...table.entries()].filter(([key]) => name !== "account" || !processKeys.includes(key))),
		]),
	),
});

const Clock = z.strictObject({
	mode: z.enum(["real", "virtual"]),
	now: z.number().min(0).lt(endOfTime),
	ahead: z.number().min(0).lt(endOfTime).default(0),
});

/** Adapts settings of another version: missing ones get their initial values, unknown ones are dropped. */
const adaptSettings = (service: Service, stored: Partial<Settings> = {}): Settings => {
	const first = initialSettings(service.profile, service.lacking);
	const withKnownNames = <Part extends object>(part: Part, of: object) =>
		Object.fromEntries(Object.entries(part).filter(([name]) => Object.hasOwn(of, name)));
	return changeSettings(first, {
		...withKnownNames(stored, first),
		features: withKnownNames(stored.features ?? {}, first.features),
	});
};

/** Applies the filled tables: settings, clock and timers. */
const wake = (service: Service): void => {
	const { account, clock, ownsClock } = service;
	service.save({ settings: adaptSettings(service, service.settings) });
	const stored = account.get("clock") as z.output<typeof Clock> | undefined;
	if (stored !== undefined && ownsClock && clock instanceof SwitchableClock)
		clock.set(stored.mode, stored.now, stored.ahead);
	// A snapshot may lack reserved numbers.
	for (const { number } of service.store.numbers) service.inventory.block(number);
	for (const order of service.store.portOrders) reserve(service, order);
	schedule(service);
};

const Account = z
	.looseObject({
		settings: z.looseObject({}),
		kycPolicy: z.string().refine(isKycPolicy, `must be ${kycPolicyHint}`),
		epoch: z.string(),
		count: z.number().int(),
		clock: Clock,
	})
	.partial();

const time = z.string().refine((text) => !Number.isNaN(Date.parse(text)), "must be a time");

/** The fields that the account needs to list a row and to create more. */
const Row = z.looseObject({ id: z.string(), seq: z.int().min(1), created_at: time, updated_at: time });

const checkRows = ({ store }: Service, tables: Tables): void => {
	for (const name of Object.keys(store)) {
		for (const [index, [key, row]] of (tables[name] ?? []).entries()) {
			if (Row.safeParse(row).data?.id !== key)
				throw invalid([{ field: `tables.${name}.${index}`, message: "is not a row of this table" }]);
		}
	}
};

/** @throws ServiceError for unknown tables, rows without id, place or times, and invalid settings */
const check = (service: Service, { tables }: Snapshot): void => {
	const knownTables = tablesOf(service);
	const unknown = Object.keys(tables).filter((name) => !Object.hasOwn(knownTables, name));
	if (unknown.length > 0) throw invalid(unknown.map((name) => ({ field: `tables.${name}`, message: "unknown table" })));
	const { settings } = validate(Account, Object.fromEntries(tables.account ?? []));
	adaptSettings(service, settings);
	checkRows(service, tables);
};

const fill = (service: Service, tables: Tables): void => {
	const isOld = (name: string, table: Table<unknown>, [key, value]: [string, unknown]): boolean =>
		(name === "account" && processKeys.includes(key)) ||
		(name === "used" && Number(table.get(key) ?? 0) > Number(value));
	for (const [name, table] of Object.entries(tablesOf(service))) {
		if (name !== "account" && !growing.includes(name)) table.clear();
		for (const entry of tables[name] ?? []) if (!isOld(name, table, entry)) table.set(...entry);
	}
};

/** The values themselves: a row is replaced, never changed. */
const entriesOf = (service: Service): Tables =>
	Object.fromEntries(Object.entries(tablesOf(service)).map(([name, table]) => [name, [...table.entries()]]));

/** Replaces the state with a snapshot. @throws ServiceError without a change */
export const restoreSnapshot = (service: Service, sent: Snapshot): void => {
	const { tables } = structuredClone(validate(Snapshot, sent));
	check(service, { format, tables });
	const before = entriesOf(service);
	service.faults.reset();
	try {
		replaceWith(service, tables);
	} catch (error) {
		void stopTimers(service);
		fill(service, before);
		service.load();
		wake(service);
		const { message } = error as Error;
		throw new ServiceError("bad_request", `The snapshot can't be restored (${message}). The account is as it was.`);
	}
};

const replaceWith = (service: Service, tables: Tables): void => {
	void stopTimers(service);
	service.keys.clear();
	const { count } = service;
	fill(service, tables);
	service.load();
	const seqs = Object.values(service.store).flatMap((rows) => [...rows].map(({ seq }) => seq));
	// The snapshot may come from the same seed, and ids must not repeat.
	service.random = branchOf(service.random, service.epoch);
	service.save({
		count: seqs.reduce((most, seq) => Math.max(most, seq), Math.max(count, service.count)),
		epoch: newId("epoch", service.random),
	});
	wake(service);
};

/** The options of a start. */
export interface Started {
	readonly profile: Profile;
	readonly kyc: string;
	readonly clock: ClockMode | "own";
	readonly lacking: readonly Feature[];
}

/** Returns how often the folder has been opened. */
export const startsOf = (entries: readonly Entry[]): number =>
	Number(entries.find(([table, key]) => table === "account" && key === "starts")?.[2] ?? 0);

/** Fills a service with the entries of a folder, which keeps all later changes. */
export const keepIn = async (
	folder: Folder,
	entries: readonly Entry[],
	service: Service,
	started: Started,
): Promise<void> => {
	const tables = tablesOf(service);
	const { account } = service;
	for (const [name, key, value] of entries) {
		const table = tables[name];
		if (table === undefined) {
			throw new DataError(`${folder.file} holds ${name}, which this emulator doesn't know: start a newer one.`);
		}
		table.set(key, value);
	}
	service.load();
	folder.keep(tables);
	service.committed = () => folder.committed();
	// A changed option overrides the folder's value.
	const before = (account.get("started") ?? started) as Started;
	const initial = initialSettings(service.profile, service.lacking);
	if (before.profile !== started.profile) service.save({ settings: initial });
	else if ((before.lacking ?? []).join() !== started.lacking.join())
		service.save({ settings: { ...service.settings, features: initial.features } });
	if (before.kyc !== started.kyc) service.save({ kycPolicy: started.kyc });
	account.set("started", started);
	account.set("starts", startsOf(entries) + 1);
	// The initial values were set before the folder kept changes.
	for (const [name, value] of account.entries()) account.set(name, value);
	wake(service);
	if (before.clock !== started.clock && started.clock !== "own" && service.clock instanceof SwitchableClock)
		service.clock.switchTo(started.clock);
	await folder.committed();
};
