/** The countries of the KYC profiles that this run has seen: the check of a number does no I/O. */
import type { Handler } from "../../lifecycle/resource";
import { type CheckFailure, failure, unknownValue, type Values } from "../../properties/table";
import type { Session } from "../../session/session";

const countries = new WeakMap<Session, Map<string, unknown>>();

function countriesIn(session: Session): Map<string, unknown> {
	const known = countries.get(session) ?? new Map<string, unknown>();
	countries.set(session, known);
	return known;
}

/** The profiles' handler, which keeps the country of each profile by its id. */
export function keepingCountries(session: Session, handler: Handler): Handler {
	const known = countriesIn(session);
	const keep = (id: string | undefined, { country }: Values = {}) => id && known.set(id, country);
	return {
		...handler,
		configure: (request) => {
			known.clear();
			return handler.configure(request);
		},
		diff: async (id, olds, news) => {
			keep(id, news);
			return handler.diff(id, olds, news);
		},
		create: async (inputs) => {
			const created = await handler.create(inputs);
			keep(created.id, created.outs);
			return created;
		},
		update: async (id, olds, news) => {
			keep(id, news);
			return handler.update(id, olds, news);
		},
		read: async (id, props) => {
			const found = await handler.read(id, props);
			keep(found.id, found.props);
			return found;
		},
	};
}

/** Refuses a profile of another country than the numbers. */
export function foreignProfile(session: Session, { country, kycProfileId }: Values): CheckFailure[] {
	const profiles = countriesIn(session).get(String(kycProfileId));
	if (profiles === undefined || [profiles, country].includes(unknownValue) || profiles === country) return [];
	return [
		failure(
			`kycProfileId: the profile ${kycProfileId} is for numbers in ${profiles}, not ${country}. Declare a KycProfile with \`country\` ${country}, and use its id`,
		),
	];
}
