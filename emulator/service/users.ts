/** Numbers and the objects that they use, such as trunks. */
import {
	type Feature,
	idsUsedBy,
	inUseCode,
	kinds,
	type Operation,
	operations,
	type PatchNumber,
	type UsedKind,
	usedKinds,
} from "../../provider/api/contract";
import { at } from "../../provider/api/json";
import { type FieldProblem, invalid, ServiceError } from "../request/errors";
import { isLive } from "./limits";
import type { Service } from "./service";

/** Returns the ids of the live numbers that use each object of a kind. */
export const usersByObject = (service: Service, kind: UsedKind): ReadonlyMap<string, readonly string[]> => {
	const users = new Map<string, string[]>();
	for (const row of service.store.numbers) {
		if (!isLive(row)) continue;
		for (const id of new Set(idsUsedBy(row, kind))) {
			const numbers = users.get(id) ?? [];
			numbers.push(row.id);
			users.set(id, numbers);
		}
	}
	return users;
};

/** @throws ServiceError if a number uses the object */
export const assertUnused = (service: Service, kind: UsedKind, id: string): void => {
	const users = usersByObject(service, kind).get(id);
	if (users === undefined) return;
	const { noun } = kinds[kind];
	const message = `The ${noun} ${id} is used by ${users.length} live number(s): give them another ${noun} first.`;
	throw new ServiceError(inUseCode(kind), message, { number_ids: users });
};

/** @throws ServiceError if a patch names an object that the account doesn't have */
export const assertUsable = (service: Service, patch: PatchNumber): void => {
	const unknown = usedKinds.flatMap((kind) => unknownIn(service, patch, kind));
	if (unknown.length > 0) throw invalid(unknown, "invalid_reference");
};

function unknownIn(service: Service, patch: PatchNumber, kind: UsedKind): FieldProblem[] {
	const { store, settings } = service;
	const feature = featureOf(kind);
	// Without the feature, the objects exist elsewhere.
	if (feature !== undefined && !settings.features[feature]) return [];
	if (kind === "kycProfiles" && settings.acceptUnknownProfiles) return [];
	return kinds[kind].usedIn
		.filter(({ request }) => {
			const id = at(patch, request);
			return typeof id === "string" && store[kind].get(id) === undefined;
		})
		.map(({ request }) => ({ field: request, message: `there is no such ${kinds[kind].noun}` }));
}

const featureOf = (kind: UsedKind): Feature | undefined =>
	Object.values<Operation>(operations).find(({ method, path }) => method === "GET" && path === kinds[kind].path)
		?.feature;
