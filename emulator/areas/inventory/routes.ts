import { z } from "zod";
import { type AvailableNumberRecord, numberTypes } from "../../../provider/api/contract";
import { pageFrom } from "../../http/pages";
import { type Call, handlersOf } from "../../request/handlers";
import { capabilitiesOf } from "../../service/inventory";
import { isSoldOut } from "../../service/limits";
import { numberPrice } from "../../service/prices";
import type { Service } from "../../service/service";
import { spellingOf } from "../../service/spelling";
import { isRegulatedMarket } from "../numbers/routes";

/** A search covers this many free numbers of a type. */
const farthest = 1000;

/** The type, the place, the count within the place, and the number of earlier candidates. */
const Place = z.tuple([z.enum(numberTypes), z.int().min(0), z.int().min(0), z.int().min(0)]);
type Place = z.output<typeof Place>;

type Query = Call<"searchNumbers">["query"];
type Found = readonly [Place, z.input<typeof AvailableNumberRecord>];

function* free(service: Service, { country, contains = "", ...query }: Query, after: Place): Iterable<Found> {
	const [type, place, count, before] = after;
	const area = query.area ?? null;
	const most = Math.min(farthest, service.settings.inventoryLeft ?? farthest);
	if (isSoldOut(service, country, type, area)) return;
	const kyc_required = isRegulatedMarket(country);
	const { phone } = spellingOf(service.settings);
	let seen = before;
	for (const { e164: number, spot } of service.inventory.free(country, type, area, [place, count])) {
		if (++seen > most) return;
		if (!number.includes(contains)) continue;
		const item = { number: phone(number), country, area, type, kyc_required };
		yield [[type, ...spot, seen], { ...item, capabilities: capabilitiesOf(type), price: numberPrice(type) }];
	}
}

/** The free numbers. A purchase with the same criteria gets the first. */
function* search(service: Service, query: Query, after?: Place): Iterable<Found> {
	isRegulatedMarket(query.country);
	const wanted = query.capabilities?.split(",") ?? [];
	const types = (query.type === undefined ? numberTypes : [query.type]).filter((type) =>
		wanted.every((capability) => capabilitiesOf(type).includes(capability)),
	);
	const first = after === undefined ? 0 : types.indexOf(after[0]);
	for (const type of types.slice(Math.max(first, 0)))
		yield* free(service, query, after?.[0] === type ? after : [type, 0, -1, 0]);
}

export const inventoryHandlers = (service: Service) =>
	handlersOf({
		searchNumbers: ({ query }) =>
			pageFrom(service, "available_numbers", query, {
				place: Place,
				itemsAfter: (after) => search(service, query, after),
			}),
	});
