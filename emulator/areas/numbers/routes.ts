import type { BuyNumber, PatchNumber } from "../../../provider/api/contract";
import { numberRecord } from "../../http/normalise";
import { fits, pageOf } from "../../http/pages";
import { found, invalid, ServiceError } from "../../request/errors";
import { handlersOf } from "../../request/handlers";
import { type Changes, merge } from "../../request/merge";
import { capabilitiesOf, isRegulated, offeredCountries, placeOf } from "../../service/inventory";
import { checkNumbersMax, isOnAccount, isSoldOut, portOrderOf, releaseRefusal, sell } from "../../service/limits";
import { seenBy } from "../../service/seen";
import { edit, findRow, newRow, put, type Service, timeOf } from "../../service/service";
import { spellingOf } from "../../service/spelling";
import { assertUsable } from "../../service/users";
import type { View } from "../../store/past";
import { newId } from "../../store/random";
import type { NumberRow } from "../../store/store";
import { timestamp } from "../../time/clock";
import { beginKyc, kycDueAt } from "../kyc/kyc";
import { followProfile } from "../kyc/profiles";
import { numberChanged } from "../webhooks/events";

const quarantine = 7 * 86_400_000;

/** The request of a ledger entry. */
export interface Cause {
	readonly key: string | null;
	readonly requestId: string;
}

/** Finds a number that isn't released. */
export const findNumber = ({ store }: Service, id: string, rows: View<NumberRow> = store.numbers): NumberRow => {
	const row = rows.get(id);
	return found(row?.status === "released" ? undefined : row, "number", id);
};

const softlyDeleted = (
	{ settings, store }: Service,
	id: string,
	rows: View<NumberRow> = store.numbers,
): NumberRow | undefined => {
	const row = rows.get(id);
	return settings.softDelete && row?.status === "released" ? row : undefined;
};

/** True if numbers in the market need KYC. @throws ServiceError if the market is not offered */
export const isRegulatedMarket = (country: string): boolean => {
	const regulated = isRegulated(country);
	if (regulated !== undefined) return regulated;
	throw new ServiceError(
		"unsupported_market",
		`No numbers are sold in ${country}. Offered: ${offeredCountries.join(", ")}.`,
		[{ field: "country", message: "not an offered market" }],
	);
};

const buyNumber = (service: Service, { country, type, ...rest }: BuyNumber, cause: Cause): NumberRow => {
	const area = rest.area ?? null;
	const regulated = isRegulatedMarket(country);
	checkNumbersMax(service);
	const number = isSoldOut(service, country, type, area) ? undefined : service.inventory.take(country, type, area);
	if (number === undefined) {
		throw new ServiceError(
			"no_inventory",
			`No ${type} number is free in ${country}${area === null ? "" : `/${area}`}.`,
		);
	}
	if (!sell(service)) throw new ServiceError("no_inventory", `${number} has just been bought by another account.`);
	const kyc = regulated ? beginKyc(service) : null;
	return addNumber(service, { number, country, area, type, kyc_required: regulated, kyc, source: "purchase" }, cause);
};

/** Adds a ported number. The port has proved its owner, so KYC is approved. */
export const portNumber = (service: Service, number: string): NumberRow => {
	const place = placeOf(number);
	if (place === undefined)
		throw new ServiceError("number_not_portable", `${number} is not a number of an offered market.`);
	service.inventory.block(number);
	const kyc_required = isRegulatedMarket(place.country);
	const kyc = kyc_required ? { status: "approved", profile_id: null, reasons: [], deadline: null } : null;
	const cause = { key: null, requestId: newId("req", service.random) };
	return addNumber(service, { number, ...place, area: null, kyc_required, kyc, source: "port" }, cause);
};

type NewNumber = Pick<NumberRow, "number" | "country" | "area" | "type" | "kyc_required" | "kyc" | "source">;

const addNumber = (service: Service, given: NewNumber, { key, requestId }: Cause): NumberRow => {
	const row = newRow(service, "numbers");
	const active = given.kyc === null || given.kyc.status === "approved";
	service.ledger.add({ kind: given.source, number_id: row.id, key, request_id: requestId, at: row.created_at });
	const added = put(service, "numbers", {
		...row,
		...given,
		status: active ? "active" : "pending",
		capabilities: capabilitiesOf(given.type),
		metadata: {},
		release_protection: false,
		reconciling: false,
		activated_at: active ? row.created_at : null,
		billed: [],
		next_at: given.kyc?.status === "in_review" ? kycDueAt(service) : null,
	});
	return numberChanged(service, undefined, added);
};

type NumberPatch = Omit<PatchNumber, "routing"> &
	Changes<Pick<NumberRow, "routing" | "status" | "number" | "capabilities" | "reconciling">>;

/** Applies a checked patch; the control API's may set more. */
export const applyNumberPatch = (draft: NumberRow, { metadata, kyc_profile_id, ...rest }: NumberPatch): void => {
	if (metadata !== undefined) draft.metadata = metadata ?? {};
	if (kyc_profile_id !== undefined && draft.kyc !== null) draft.kyc.profile_id = kyc_profile_id;
	Object.assign(draft, merge(draft, rest as Changes<NumberRow>));
};

const checkPatch = (service: Service, row: NumberRow, patch: PatchNumber): void => {
	if (patch.sms_webhook_url && !row.capabilities.includes("sms")) {
		throw invalid([{ field: "sms_webhook_url", message: `${row.type} numbers have no SMS` }], "capability_missing");
	}
	if (patch.kyc_profile_id && row.kyc === null) {
		throw invalid([{ field: "kyc_profile_id", message: "a number in an open market needs no KYC" }]);
	}
	assertUsable(service, patch);
	const profile = service.store.kycProfiles.get(patch.kyc_profile_id ?? "");
	if (profile !== undefined && profile.country !== row.country) {
		const message = `the profile is for numbers in ${profile.country}, and this one is in ${row.country}`;
		throw invalid([{ field: "kyc_profile_id", message }]);
	}
};

const immutable = ["country", "area", "type", "number"] as const;

/** Drops unchanged immutable properties. @throws ServiceError if one differs */
export const withoutUnchanged = (service: Service, id: string, body: unknown): unknown => {
	const row = service.store.numbers.get(id);
	if (row === undefined || typeof body !== "object" || body === null) return body;
	const sent = immutable.filter((field) => Object.hasOwn(body, field));
	const { phone } = spellingOf(service.settings);
	const spelled: Record<string, unknown> = { ...row, number: phone(row.number) };
	const isSame = (field: (typeof immutable)[number], value: unknown) =>
		value === row[field] || value === spelled[field];
	const changed = sent.filter((field) => !isSame(field, (body as Record<string, unknown>)[field]));
	if (changed.length > 0) {
		throw invalid(
			changed.map((field) => ({ field, message: "can't be changed" })),
			"immutable_field",
		);
	}
	return Object.fromEntries(Object.entries(body).filter(([field]) => !sent.some((name) => name === field)));
};

export const releaseNumber = (service: Service, row: NumberRow, cause: Cause): NumberRow => {
	const at = timeOf(service);
	service.ledger.add({ kind: "release", number_id: row.id, key: cause.key, request_id: cause.requestId, at });
	const released = edit(service, "numbers", row, (draft) => {
		draft.status = "released";
		draft.routing = null;
		draft.sms_webhook_url = null;
		draft.released_at = at;
		draft.next_at = null;
		draft.quarantine_until = timestamp(service.clock.now() + quarantine);
	});
	return numberChanged(service, row, released);
};

const checkRelease = (service: Service, row: NumberRow, { key, requestId }: Cause): void => {
	const refusal = releaseRefusal(service, row);
	if (refusal === undefined) return;
	service.ledger.add({ kind: "refusal", number_id: row.id, key, request_id: requestId, at: timeOf(service) });
	throw refusal;
};

/** Restores a number during its quarantine, without its routing. */
const restoreNumber = (service: Service, id: string, { key, requestId }: Cause): NumberRow => {
	const row = findRow(service, "numbers", id);
	if (row.status !== "released") {
		throw new ServiceError("not_restorable", `Number ${id} is ${row.status}: only a released one can be restored.`);
	}
	if (row.quarantine_until === null || Date.parse(row.quarantine_until) <= service.clock.now()) {
		throw new ServiceError("gone", `Number ${id} can't be restored: its quarantine ended ${row.quarantine_until}.`);
	}
	const portOrder = portOrderOf(service, row.number);
	if (isOnAccount(service, row.number) || portOrder !== undefined) {
		const owner = portOrder === undefined ? "another record" : `port order ${portOrder}`;
		throw new ServiceError("not_restorable", `Number ${id} can't be restored: ${owner} has ${row.number}.`);
	}
	checkNumbersMax(service);
	service.ledger.add({ kind: "restore", number_id: id, key, request_id: requestId, at: timeOf(service) });
	const restored = edit(service, "numbers", row, (draft) => {
		const active = draft.kyc === null || draft.kyc.status === "approved";
		draft.status = active ? "active" : "pending";
		if (active) draft.activated_at ??= timeOf(service);
		draft.released_at = null;
		draft.quarantine_until = null;
		draft.next_at = draft.kyc?.status === "in_review" ? kycDueAt(service) : null;
	});
	return numberChanged(service, row, restored);
};

export const numberHandlers = (service: Service) => {
	const render = (row: NumberRow) => numberRecord(service, row);
	return handlersOf({
		listNumbers: ({ query }) => {
			const { listHidesPending, softDelete } = service.settings;
			const hidden = [...(softDelete ? [] : ["released"]), ...(listHidesPending ? ["pending"] : [])];
			const wanted = (row: NumberRow) =>
				fits(row, query) && (query.status !== undefined || !hidden.includes(row.status));
			const renderNumber = (row: NumberRow) => {
				const item = render(row);
				if (service.profile === "full") return item;
				return { id: row.id, country: row.country, type: row.type, status: row.status };
			};
			return pageOf(service, "numbers", query, {
				rows: seenBy("list", service, service.store.numbers),
				keep: wanted,
				render: renderNumber,
			});
		},

		buyNumber: ({ body, ...cause }) => {
			const row = buyNumber(service, body, cause);
			if (!service.settings.purchaseId) return row.kyc_required ? { kyc_required: true } : {};
			return render(row);
		},

		getNumber: ({ id }) => {
			const rows = seenBy("get", service, service.store.numbers);
			return render(softlyDeleted(service, id, rows) ?? findNumber(service, id, rows));
		},

		patchNumber: ({ id, body }) => {
			const row = findNumber(service, id);
			checkPatch(service, row, body);
			const edited = edit(service, "numbers", row, (draft) => applyNumberPatch(draft, body));
			numberChanged(service, row, edited);
			return render(body.kyc_profile_id ? followProfile(service, edited) : edited);
		},

		releaseNumber: ({ id, ...cause }) => {
			const gone = softlyDeleted(service, id);
			if (gone !== undefined) return render(gone);
			const row = findNumber(service, id);
			checkRelease(service, row, cause);
			return render(releaseNumber(service, row, cause));
		},

		restoreNumber: ({ id, ...cause }) => render(restoreNumber(service, id, cause)),
	});
};
