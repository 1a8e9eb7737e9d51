import { ServiceError } from "../request/errors";
import type { Collection, NumberRow, Stored } from "../store/store";
import type { Service } from "./service";

export const isLive = ({ status }: NumberRow): boolean => !["released", "ported_out", "failed"].includes(status);

/** Returns the live number of the account with this E.164. */
export const numberOf = ({ store }: Service, e164: string): NumberRow | undefined =>
	store.numbers.with("number", e164).find(isLive);

export const isOnAccount = (service: Service, e164: string): boolean => numberOf(service, e164) !== undefined;

/** Returns the port order, other than `except`, that is about to bring a number to the account. */
export const portOrderOf = ({ store }: Service, e164: string, except?: string): string | undefined =>
	[...store.portOrders].find(
		({ id, status, numbers }) =>
			id !== except && status !== "completed" && status !== "cancelled" && numbers.includes(e164),
	)?.id;

/** @throws ServiceError if the account already has the highest number of phone numbers */
export const checkNumbersMax = ({ settings: { numbersMax: max }, store }: Service): void => {
	if (max === null || [...store.numbers].filter(isLive).length < max) return;
	throw new ServiceError("limit_exceeded", `This account may have at most ${max} numbers.`, { max });
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
export const releaseRefusal = ({ settings }: Service, row: NumberRow): ServiceError | undefined => {
	if (row.release_protection) {
		return new ServiceError(
			"release_protected",
			`Number ${row.id} is protected: set release_protection to false first.`,
		);
	}
	if (row.status === "porting_out") {
		return new ServiceError("port_in_progress", `Number ${row.id} is being ported to another carrier.`);
	}
	if (settings.refuseReleaseWhileRouted && row.routing !== null) {
		return new ServiceError("number_in_use", `Number ${row.id} has a routing: set routing to null first.`);
	}
	return undefined;
};

/** True while a change of the row is being applied, even if it came in the millisecond of its creation. */
export const isApplying = <Row extends Stored>(service: Service, rows: Collection<Row>, row: Row): boolean => {
	const hasChanged = row.updated_at !== row.created_at || rows.past.hasChanged(row.id);
	const since = service.clock.now() - Date.parse(row.updated_at);
	// A future time, as in a snapshot, is past.
	return hasChanged && since >= 0 && since < service.settings.applyLagMs;
};

/** Returns the row without a change that is being applied, unless the settings show changes at once. */
export const asApplied = <Row extends Stored>(service: Service, rows: Collection<Row>, row: Row): Row => {
	const { applyLagMs, echoIntent } = service.settings;
	if (echoIntent || !isApplying(service, rows, row)) return row;
	return rows.past.since(row.id, service.clock.now() - applyLagMs) ?? row;
};
