import type { z } from "zod";
import {
	KycDocumentRecord,
	KycProfileRecord,
	NumberRecord,
	PortOrderRecord,
	type RouteRecord,
	type TargetRequest,
	TrunkRecord,
	WebhookRecord,
} from "../../provider/api/contract";
import { asApplied, isApplying } from "../service/limits";
import { numberPrice } from "../service/prices";
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
import { recordOf } from "./record";

const numberOf = recordOf(NumberRecord);
const trunkOf = recordOf(TrunkRecord);
const webhookOf = recordOf(WebhookRecord);
const profileOf = recordOf(KycProfileRecord);
const documentOf = recordOf(KycDocumentRecord);
const portOrderOf = recordOf(PortOrderRecord);

/** Rows as the API shows them: without secrets, with defaults and the spelling of the settings. */
export interface Renderers {
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

/** Changes a route and its failover. */
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

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one short method for each kind of record
export const createRenderers = (service: Service): Renderers => {
	const reads = new Map<string, number>();

	/** With `shuffleArrays`, rotates sets by one more place on each read. */
	const turner = (id: string) => {
		if (!service.settings.shuffleArrays) return <Item>(set: readonly Item[]): Item[] => [...set];
		const turn = (reads.get(id) ?? 0) + 1;
		reads.set(id, turn);
		return <Item>(set: readonly Item[]): Item[] => {
			const places = turn % Math.max(set.length, 1);
			return [...set.slice(places), ...set.slice(0, places)];
		};
	};

	const authOf = (given: TrunkAuth, spelling: Spelling, turn: (set: readonly string[]) => string[]) => {
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

	return {
		number(row) {
			const spelling = spellingOf(service.settings);
			const { routing, sms_webhook_url } = asApplied(service, service.store.numbers, row);
			const { kyc_required, ...shownFields } = numberOf(service, row);
			return {
				...shownFields,
				number: service.settings.assignNumberLate && row.activated_at === null ? null : spelling.phone(row.number),
				// The public description shows it in regulated markets only.
				...(kyc_required ? { kyc_required } : {}),
				capabilities: turner(row.id)(row.capabilities),
				routing: route(routing, spelling),
				sms_webhook_url: spelling.url(sms_webhook_url),
				label: spelling.text(row.label),
				reconciling: row.reconciling || isApplying(service, service.store.numbers, row),
				price: numberPrice(row.type),
			};
		},

		trunk(current, numbersCount) {
			const row = asApplied(service, service.store.trunks, current);
			const turn = turner(row.id);
			const spelling = spellingOf(service.settings);
			const { injectDefaults } = service.settings;
			const targets = row.targets?.map((declared) => target(declared, spelling));
			const { reference, updated_at, auth } = current;
			return {
				...trunkOf(service, { ...row, reference, updated_at }),
				name: spelling.text(row.name) ?? "",
				auth: authOf(auth, spelling, turn),
				targets: targets === undefined ? (injectDefaults ? [] : null) : turn(spelling.set(targets)),
				media_encryption: row.media_encryption ?? (injectDefaults ? "none" : null),
				codecs: row.codecs ?? (injectDefaults ? defaultCodecs : null),
				label: spelling.text(row.label),
				reconciling: current.reconciling || isApplying(service, service.store.trunks, current),
				numbers_count: numbersCount,
			};
		},

		webhook(row) {
			const spelling = spellingOf(service.settings);
			const secret = spelling.secret(row.secret);
			const until = row.previous_secret_expires_at;
			return {
				...webhookOf(service, row),
				url: spelling.url(row.url),
				events: turner(row.id)(spelling.set(row.events)),
				description: spelling.text(row.description),
				...(secret === undefined ? {} : { secret }),
				secret_hint: row.secret.slice(-4),
				previous_secret_expires_at: until !== null && Date.parse(until) > service.clock.now() ? until : null,
			};
		},

		kycProfile: (row) => ({
			...profileOf(service, row),
			name: spellingOf(service.settings).text(row.name) ?? "",
			id_number_set: row.id_number !== null,
			document_ids: turner(row.id)(row.document_ids),
		}),

		kycDocument: (row) => documentOf(service, row),

		portOrder(row) {
			const turn = turner(row.id);
			const { phone, text } = spellingOf(service.settings);
			const { pin, ...carrier } = row.carrier;
			return {
				...portOrderOf(service, row),
				numbers: turn(row.numbers.map(phone)),
				carrier: { ...carrier, name: text(carrier.name) ?? "", pin_set: pin !== null },
				subscriber: { ...row.subscriber, name: text(row.subscriber.name) ?? "" },
				document_ids: turn(row.document_ids),
			};
		},
	};
};
