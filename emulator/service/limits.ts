import { ServiceError } from "../request/errors";
import type { Collection, NumberRow, Stored } from "../store/store";
import type { Service } from "./service";

const day = 86_400_000;

const churnDays = 180;

export const isLive = ({ status }: NumberRow): boolean => !["released", "ported_out", "failed"].includes(status);

export const isOnAccount = ({ store }: Pick<Service, "store">, e164: string): boolean =>
	store.numbers.with("number", e164).some(isLive);

/** Returns the port order, other than `except`, that is about to bring a number to the account. */
export const portOrderOf = ({ store }: Pick<Service, "store">, e164: string, except?: string): string | undefined =>
	[...store.portOrders].find(
		({ id, status, numbers }) =>
			id !== except && status !== "completed" && status !== "cancelled" && numbers.includes(e164),
	)?.id;

/** @throws ServiceError if the account already has the maximum */
export const checkCount = (what: string, count: number, max: number | null): void => {
	if (max === null || count < max) return;
	throw new ServiceError("limit_exceeded", `This account may have at most ${max} ${what}.`, { max });
};

/** @throws ServiceError if the account already has the highest number of phone numbers */
export const checkNumbersMax = ({ settings: { numbersMax }, store }: Service): void => {
	if (numbersMax !== null) checkCount("numbers", [...store.numbers].filter(isLive).length, numbersMax);
};

/** @throws ServiceError if the account may not buy at all, even if numbers are left */
export const checkAccount = (service: Service): void => {
	const { settings, store, clock } = service;
	const { churnLimit } = settings;
	checkNumbersMax(service);
	if (churnLimit === null) return;
	const since = clock.now() - churnDays * day;
	const released = [...store.numbers].filter(({ released_at }) => released_at && Date.parse(released_at) > since);
	if (released.length < churnLimit) return;
	throw new ServiceError(
		"limit_exceeded",
		`This account released ${released.length} number(s) within ${churnDays} days: it can't buy more now.`,
		{ max: churnLimit },
	);
};

/** True if a market, type or area has no numbers left. */
export const isSoldOut = ({ settings }: Service, country: string, type: string, area: string | null): boolean =>
	settings.inventoryLeft === 0 ||
	[country, `${country}/${type}`, `${country}/${type}/${area}`].some((place) => settings.exhausted.includes(place));

/** Counts a sale; false if another buyer was first. */
export const sell = (service: Service): boolean => {
	const { stealOnBuy, inventoryLeft } = service.settings;
	const stolen = stealOnBuy > 0;
	if (stolen || inventoryLeft !== null) {
		const settings = {
			...service.settings,
			stealOnBuy: stolen ? stealOnBuy - 1 : 0,
			inventoryLeft: inventoryLeft === null ? null : inventoryLeft - 1,
		};
		service.save({ settings });
	}
	return !stolen;
};

/** Returns the refusal of a release; undefined if the number can be released. */
export const releaseRefusal = ({ settings, clock }: Service, row: NumberRow): ServiceError | undefined => {
	const { refuseReleaseWhileRouted, coolOffDays } = settings;
	if (row.release_protection) {
		return new ServiceError(
			"release_protected",
			`Number ${row.id} is protected: set release_protection to false first.`,
		);
	}
	if (row.status === "porting_out") {
		return new ServiceError("port_in_progress", `Number ${row.id} is being ported to another carrier.`);
	}
	if (refuseReleaseWhileRouted && row.routing !== null) {
		return new ServiceError("number_in_use", `Number ${row.id} has a routing: set routing to null first.`);
	}
	const until = Date.parse(row.created_at) + coolOffDays * day;
	if (until <= clock.now()) return undefined;
	const date = new Date(until).toISOString();
	return new ServiceError("release_protected", `Number ${row.id} can't be released before ${date}.`, { until: date });
};

/** True if less than `ms` have passed since `at`. A future time, as in a snapshot, is past. */
const isWithin = ({ clock }: Service, at: string, ms: number): boolean => {
	const since = clock.now() - Date.parse(at);
	return since >= 0 && since < ms;
};

/** True while a change of the row is being applied, even if it came in the millisecond of its creation. */
export const isApplying = <Row extends Stored>(service: Service, rows: Collection<Row>, row: Row): boolean =>
	(row.updated_at !== row.created_at || rows.past.hasChanged(row.id)) &&
	isWithin(service, row.updated_at, service.settings.applyLagMs);

/** Returns the row without a change that is being applied, unless the settings show changes at once. */
export const asApplied = <Row extends Stored>(service: Service, rows: Collection<Row>, row: Row): Row => {
	const { applyLagMs, echoIntent } = service.settings;
	if (echoIntent || !isApplying(service, rows, row)) return row;
	return rows.past.since(row.id, service.clock.now() - applyLagMs) ?? row;
};

const legacyFor = 10_000;
const legacy: Readonly<Record<string, string>> = { geographic: "longcode", mobile: "longcode", toll_free: "tollfree" };

/** Returns the type as shown: with `enumDriftAfterCreate`, a new number has a legacy type at first. */
export const typeOf = (service: Service, { type, created_at }: NumberRow): string =>
	service.settings.enumDriftAfterCreate && isWithin(service, created_at, legacyFor) ? (legacy[type] ?? type) : type;
