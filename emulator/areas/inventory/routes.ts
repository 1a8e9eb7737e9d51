import { z } from "zod";
import { type AvailableNumberRecord, numberTypes } from "../../../provider/api/contract";
import { pageFrom } from "../../http/pages";
import { type Call, handlersOf } from "../../request/handlers";
import { capabilitiesOf } from "../../service/inventory";
import { isSoldOut } from "../../service/limits";
import { numberPrice } from "../../service/prices";
import type { Service } from "../../service/service";
import { isRegulatedMarket } from "../numbers/routes";

/** How many free numbers of a type a search looks at: the millions after them help nobody. */
const farthest = 1000;

/** The type, the place, the count within the place, and how many numbers were looked at before. */
const Place = z.tuple([z.enum(numberTypes), z.int().min(0), z.int().min(0), z.int().min(0)]);
type Place = z.output<typeof Place>;

/** The free numbers. The first one is what a purchase with the same criteria gets. */
function* search(
	service: Service,
	{ country, type, area, contains = "", capabilities }: Call<"searchNumbers">["query"],
	after?: Place,
): Iterable<readonly [Place, z.input<typeof AvailableNumberRecord>]> {
	const kyc_required = isRegulatedMarket(country);
	const wanted = capabilities?.split(",") ?? [];
	const types = (type === undefined ? numberTypes : [type]).filter((each) =>
		wanted.every((capability) => capabilitiesOf(each).includes(capability)),
	);
	const first = after === undefined ? 0 : types.indexOf(after[0]);
	for (const each of types.slice(Math.max(first, 0))) {
		if (isSoldOut(service, country, each, area ?? null)) continue;
		const [, place, count, before] = after?.[0] === each ? after : [each, 0, -1, 0];
		let seen = before;
		for (const { e164, spot } of service.inventory.free(country, each, area ?? null, [place, count])) {
			if (++seen > farthest) break;
			if (!e164.includes(contains)) continue;
			const item = { number: e164, country, area: area ?? null, type: each, kyc_required };
			yield [[each, ...spot, seen], { ...item, capabilities: capabilitiesOf(each), price: numberPrice(each) }];
		}
	}
}

export const inventoryHandlers = (service: Service) =>
	handlersOf({
		searchNumbers: ({ query }) =>
			pageFrom(service, "available_numbers", query, {
				place: Place,
				itemsAfter: (after) => search(service, query, after),
			}),
	});
