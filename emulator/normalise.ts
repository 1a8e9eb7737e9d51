import type { z } from "zod";
import type {
	KycDocumentRecord,
	KycProfileRecord,
	NumberRecord,
	RouteRecord,
	TargetRequest,
	TrunkRecord,
	WebhookRecord,
} from "../provider/api/contract";
import { numberPrice } from "./prices";
import type { Service } from "./service";
import type { KycDocumentRow, KycProfileRow, NumberRow, Route, TrunkAuth, TrunkRow, WebhookRow } from "./store";

/** How rows are answered: without what is secret, with defaults, and with the quirks that the settings ask for. */
export interface Answers {
	number(row: NumberRow): z.input<typeof NumberRecord>;
	trunk(row: TrunkRow, numbersCount: number): z.input<typeof TrunkRecord>;
	webhook(row: WebhookRow): z.input<typeof WebhookRecord>;
	kycProfile(row: KycProfileRow): z.input<typeof KycProfileRecord>;
	kycDocument(row: KycDocumentRow): z.input<typeof KycDocumentRecord>;
}

const defaultRingTimeout = 30;
export const defaultCodecs = ["PCMU", "PCMA"];

const withRingTimeout = <R extends object>(route: R): R => ({ ring_timeout_seconds: defaultRingTimeout, ...route });

const fillRoute = (route: Route): Route => {
	const { failover } = route;
	const filled = withRingTimeout(route);
	return failover && typeof failover === "object"
		? ({ ...filled, failover: withRingTimeout(failover) } as Route)
		: filled;
};

const fillTarget = (target: TargetRequest) => ({
	port: target.transport === "tls" ? 5061 : 5060,
	transport: "udp",
	priority: 10,
	weight: 10,
	...target,
});

const respell = (cidr: string, style: "asGiven" | "strip32" | "add32"): string => {
	const whole = cidr.includes(":") ? "/128" : "/32";
	if (style === "strip32" && cidr.endsWith(whole)) return cidr.slice(0, -whole.length);
	if (style === "add32" && !cidr.includes("/")) return cidr + whole;
	return cidr;
};

export const createAnswers = (service: Service): Answers => {
	const reads = new Map<string, number>();

	/** Turns a set by one more place each time its owner is read. */
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

	const auth = (given: TrunkAuth, turn: (set: readonly string[]) => string[]) =>
		given.mode === "ip_acl"
			? {
					mode: given.mode,
					allowed_cidrs: turn(given.allowed_cidrs).map((cidr) => respell(cidr, service.settings.cidr)),
				}
			: {
					mode: given.mode,
					username: given.username,
					password_set: true,
					password_updated_at: given.password_updated_at,
				};

	const target = (given: TargetRequest) => {
		const { hostCase, injectDefaults } = service.settings;
		const host = hostCase === "upper" ? given.host.toUpperCase() : given.host.toLowerCase();
		return {
			...(injectDefaults ? fillTarget(given) : given),
			host: hostCase === "asGiven" ? given.host : host,
		};
	};

	return {
		number(row) {
			const turn = turner(row.id);
			const { assignNumberLate, injectDefaults } = service.settings;
			return {
				id: row.id,
				number: assignNumberLate && row.activated_at === null ? null : row.number,
				country: row.country,
				area: row.area,
				type: row.type,
				status: row.status,
				// The public description has it in regulated markets only.
				...(row.kyc_required ? { kyc_required: true } : {}),
				kyc: row.kyc,
				capabilities: turn(row.capabilities),
				routing: (row.routing && injectDefaults ? fillRoute(row.routing) : row.routing) as RouteRecord | null,
				sms_webhook_url: row.sms_webhook_url,
				label: row.label,
				...referenceOf(row),
				metadata: row.metadata,
				release_protection: row.release_protection,
				reconciling: row.reconciling,
				price: numberPrice(row.type),
				source: row.source,
				created_at: row.created_at,
				updated_at: row.updated_at,
				activated_at: row.activated_at,
				released_at: row.released_at,
				quarantine_until: row.quarantine_until,
			};
		},

		trunk(row, numbersCount) {
			const turn = turner(row.id);
			const { injectDefaults } = service.settings;
			return {
				id: row.id,
				name: row.name,
				auth: auth(row.auth, turn),
				capacity: row.capacity,
				cps: row.cps,
				targets: row.targets === null ? (injectDefaults ? [] : null) : turn(row.targets).map(target),
				media_encryption: row.media_encryption ?? (injectDefaults ? "none" : null),
				codecs: row.codecs ?? (injectDefaults ? defaultCodecs : null),
				enabled: row.enabled,
				label: row.label,
				...referenceOf(row),
				metadata: row.metadata,
				sip_domain: row.sip_domain,
				status: row.status,
				reconciling: row.reconciling,
				numbers_count: numbersCount,
				created_at: row.created_at,
				updated_at: row.updated_at,
			};
		},

		webhook(row) {
			const until = row.previous_secret_expires_at;
			return {
				id: row.id,
				url: row.url,
				events: turner(row.id)(row.events),
				description: row.description,
				enabled: row.enabled,
				status: row.status,
				disabled_reason: row.disabled_reason,
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
	};
};
