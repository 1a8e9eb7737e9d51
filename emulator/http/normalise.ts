import type { z } from "zod";
import type {
	KycDocumentRecord,
	KycProfileRecord,
	NumberRecord,
	PortOrderRecord,
	RouteRecord,
	TargetRequest,
	TrunkRecord,
	WebhookRecord,
} from "../../provider/api/contract";
import { asApplied, isApplying, typeOf } from "../service/limits";
import { money, monthlyPrice, numberPrice } from "../service/prices";
import type { Service } from "../service/service";
import { type Spelling, spellingOf } from "../service/spelling";
import type {
	KycDocumentRow,
	KycProfileRow,
	NumberRow,
	PortOrderRow,
	Route,
	TrunkAuth,
	TrunkRow,
	WebhookRow,
} from "../store/store";

/** Rows as answered: without secrets, with defaults, and with the quirks that the settings ask for. */
export interface Answers {
	number(row: NumberRow): z.input<typeof NumberRecord>;
	trunk(row: TrunkRow, numbersCount: number): z.input<typeof TrunkRecord>;
	webhook(row: WebhookRow): z.input<typeof WebhookRecord>;
	kycProfile(row: KycProfileRow): z.input<typeof KycProfileRecord>;
	kycDocument(row: KycDocumentRow): z.input<typeof KycDocumentRecord>;
	portOrder(row: PortOrderRow): z.input<typeof PortOrderRecord>;
}

const defaultRingTimeout = 30;
export const defaultCodecs = ["PCMU", "PCMA"];

const withRingTimeout = <R extends object>(route: R): R => ({ ring_timeout_seconds: defaultRingTimeout, ...route });

/** Makes the same change to a route and to its failover. */
const eachRoute = (route: Route, change: <R extends object>(route: R) => R): Route => {
	const { failover } = route;
	const changed = change(route);
	return failover && typeof failover === "object" ? ({ ...changed, failover: change(failover) } as Route) : changed;
};

const respellRoute =
	(spelling: Spelling) =>
	<R extends object>(route: R): R => {
		const ways = { uri: spelling.sipUri, to: spelling.phone, url: spelling.url };
		const spelled = Object.entries(ways).flatMap(([field, spell]) => {
			const given = (route as Record<string, unknown>)[field];
			return typeof given === "string" ? [[field, spell(given)]] : [];
		});
		return { ...route, ...Object.fromEntries(spelled) };
	};

const fillTarget = (target: TargetRequest) => ({
	port: target.transport === "tls" ? 5061 : 5060,
	transport: "udp",
	priority: 10,
	weight: 10,
	...target,
});

export const createAnswers = (service: Service): Answers => {
	const reads = new Map<string, number>();
	let prices = 0;

	/** Rotates sets by one more place on each read of their owner. */
	const turner = (id: string) => {
		if (!service.settings.shuffleArrays) return <Item>(set: readonly Item[]): Item[] => [...set];
		const turn = (reads.get(id) ?? 0) + 1;
		reads.set(id, turn);
		return <Item>(set: readonly Item[]): Item[] => {
			const places = turn % Math.max(set.length, 1);
			return [...set.slice(places), ...set.slice(0, places)];
		};
	};

	const referenceOf = ({ reference }: { reference: string | null }) =>
		service.settings.features.reference ? { reference } : {};

	const auth = (given: TrunkAuth, spelling: Spelling, turn: (set: readonly string[]) => string[]) => {
		if (given.mode === "ip_acl") {
			return { mode: given.mode, allowed_cidrs: turn(spelling.cidrs(given.allowed_cidrs)) };
		}
		const password = spelling.secret(given.password);
		return {
			mode: given.mode,
			username: given.username,
			...(password === undefined ? {} : { password }),
			password_set: true,
			password_updated_at: given.password_updated_at,
		};
	};

	const target = (given: TargetRequest, { host }: Spelling) => ({
		...(service.settings.injectDefaults ? fillTarget(given) : given),
		host: host(given.host),
	});

	const route = (given: Route | null, spelling: Spelling): RouteRecord | null => {
		if (given === null) return null;
		const filled = service.settings.injectDefaults ? eachRoute(given, withRingTimeout) : given;
		return eachRoute(filled, respellRoute(spelling)) as RouteRecord;
	};

	/** Another price each time, if the settings ask for it. */
	const price = (type: string) => {
		if (!service.settings.repriceOnRead) return numberPrice(type);
		prices += 1;
		return { setup: money(0), monthly: money(monthlyPrice(type) + prices) };
	};

	return {
		number(row) {
			const turn = turner(row.id);
			const spelling = spellingOf(service.settings);
			const { assignNumberLate } = service.settings;
			const { routing, sms_webhook_url } = asApplied(service, service.store.numbers, row);
			return {
				id: row.id,
				number: assignNumberLate && row.activated_at === null ? null : spelling.phone(row.number),
				country: row.country,
				area: row.area,
				type: typeOf(service, row),
				status: row.status,
				// The public description shows it in regulated markets only.
				...(row.kyc_required ? { kyc_required: true } : {}),
				kyc: row.kyc,
				capabilities: turn(row.capabilities),
				routing: route(routing, spelling),
				sms_webhook_url: spelling.url(sms_webhook_url),
				label: spelling.text(row.label),
				...referenceOf(row),
				metadata: row.metadata,
				release_protection: row.release_protection,
				reconciling: row.reconciling || isApplying(service, service.store.numbers, row),
				price: price(row.type),
				source: row.source,
				created_at: row.created_at,
				updated_at: row.updated_at,
				activated_at: row.activated_at,
				released_at: row.released_at,
				quarantine_until: row.quarantine_until,
			};
		},

		trunk(current, numbersCount) {
			const row = asApplied(service, service.store.trunks, current);
			const turn = turner(row.id);
			const spelling = spellingOf(service.settings);
			const { injectDefaults } = service.settings;
			const targets = row.targets?.map((each) => target(each, spelling));
			return {
				id: row.id,
				name: spelling.text(row.name) ?? "",
				auth: auth(current.auth, spelling, turn),
				capacity: row.capacity,
				cps: row.cps,
				targets: targets === undefined ? (injectDefaults ? [] : null) : turn(spelling.set(targets)),
				media_encryption: row.media_encryption ?? (injectDefaults ? "none" : null),
				codecs: row.codecs ?? (injectDefaults ? defaultCodecs : null),
				enabled: row.enabled,
				label: spelling.text(row.label),
				...referenceOf(current),
				metadata: row.metadata,
				sip_domain: row.sip_domain,
				status: row.status,
				reconciling: current.reconciling || isApplying(service, service.store.trunks, current),
				numbers_count: numbersCount,
				created_at: row.created_at,
				updated_at: current.updated_at,
			};
		},

		webhook(row) {
			const spelling = spellingOf(service.settings);
			const secret = spelling.secret(row.secret);
			const until = row.previous_secret_expires_at;
			return {
				id: row.id,
				url: spelling.url(row.url),
				events: turner(row.id)(spelling.set(row.events)),
				description: spelling.text(row.description),
				enabled: row.enabled,
				status: row.status,
				disabled_reason: row.disabled_reason,
				...(secret === undefined ? {} : { secret }),
				secret_hint: row.secret.slice(-4),
				secret_version: row.secret_version,
				previous_secret_expires_at: until !== null && Date.parse(until) > service.clock.now() ? until : null,
				...referenceOf(row),
				created_at: row.created_at,
				updated_at: row.updated_at,
			};
		},

		kycProfile(row) {
			return {
				id: row.id,
				status: row.status,
				holder: row.holder,
				name: row.name,
				country: row.country,
				address: row.address,
				id_number_set: row.id_number !== null,
				document_ids: turner(row.id)(row.document_ids),
				reasons: row.reasons,
				...referenceOf(row),
				submitted_at: row.submitted_at,
				decided_at: row.decided_at,
				created_at: row.created_at,
				updated_at: row.updated_at,
			};
		},

		kycDocument: ({ id, kind, filename, media_type, size, sha256, created_at, updated_at }) => ({
			id,
			kind,
			filename,
			media_type,
			size,
			sha256,
			created_at,
			updated_at,
		}),

		portOrder(row) {
			const turn = turner(row.id);
			const { name, account_number, pin } = row.carrier;
			return {
				id: row.id,
				status: row.status,
				numbers: turn(row.numbers),
				number_ids: row.number_ids,
				country: row.country,
				carrier: { name, account_number, pin_set: pin !== null },
				subscriber: row.subscriber,
				requested_date: row.requested_date,
				document_ids: turn(row.document_ids),
				scheduled_at: row.scheduled_at,
				exceptions: row.exceptions,
				...referenceOf(row),
				submitted_at: row.submitted_at,
				completed_at: row.completed_at,
				created_at: row.created_at,
				updated_at: row.updated_at,
			};
		},
	};
};
