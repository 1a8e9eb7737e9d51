/** Rows as the API shows them: without secrets, with defaults and the spelling of the settings. */
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
import type { KycProfileRow, NumberRow, PortOrderRow, Route, TrunkAuth, TrunkRow, WebhookRow } from "../store/store";
import { recordOf } from "./record";

const numberOf = recordOf(NumberRecord);
const trunkOf = recordOf(TrunkRecord);
const webhookOf = recordOf(WebhookRecord);
const profileOf = recordOf(KycProfileRecord);
const portOrderOf = recordOf(PortOrderRecord);

const defaultRingTimeout = 30;
const defaultCodecs = ["PCMU", "PCMA"];

const legRecord = (route: object, spelling: Spelling): object => {
	const ways = { uri: spelling.sipUri, to: spelling.phone, url: spelling.url };
	const spelled = Object.entries(ways).flatMap(([field, spell]) => {
		const given = (route as Record<string, unknown>)[field];
		return typeof given === "string" ? [[field, spell(given)]] : [];
	});
	return { ring_timeout_seconds: defaultRingTimeout, ...route, ...Object.fromEntries(spelled) };
};

/** Returns a route and its failover as the API shows them. */
const routeRecord = (route: Route, spelling: Spelling): RouteRecord => {
	const { failover } = route;
	const leg = legRecord(route, spelling) as RouteRecord;
	if (typeof failover !== "object" || failover === null) return leg;
	return { ...leg, failover: legRecord(failover, spelling) as RouteRecord["failover"] };
};

const fillTarget = (target: TargetRequest) => ({
	port: target.transport === "tls" ? 5061 : 5060,
	transport: "udp",
	priority: 10,
	weight: 10,
	...target,
});

/** With `shuffleArrays`, rotates the sets of an object by one more place on each read. */
const turner = ({ settings, turns }: Service, id: string) => {
	if (!settings.shuffleArrays) return <Item>(set: readonly Item[]): Item[] => [...set];
	const turn = (turns.get(id) ?? 0) + 1;
	turns.set(id, turn);
	return <Item>(set: readonly Item[]): Item[] => {
		const places = turn % Math.max(set.length, 1);
		return [...set.slice(places), ...set.slice(0, places)];
	};
};

const authOf = (given: TrunkAuth, spelling: Spelling, turn: (set: readonly string[]) => string[]) => {
	if (given.mode === "ip_acl") {
		return { mode: given.mode, allowed_cidrs: turn(given.allowed_cidrs.map(spelling.cidr)) };
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

export const numberRecord = (service: Service, row: NumberRow): z.input<typeof NumberRecord> => {
	const { settings, store } = service;
	const spelling = spellingOf(settings);
	const { routing, sms_webhook_url } = asApplied(service, store.numbers, row);
	const { kyc_required, ...shownFields } = numberOf(service, row);
	return {
		...shownFields,
		number: spelling.phone(row.number),
		// The public description shows it in regulated markets only.
		...(kyc_required ? { kyc_required } : {}),
		capabilities: turner(service, row.id)(row.capabilities),
		routing: routing && routeRecord(routing, spelling),
		sms_webhook_url: spelling.url(sms_webhook_url),
		label: spelling.text(row.label),
		reconciling: row.reconciling || isApplying(service, store.numbers, row),
		price: numberPrice(row.type),
	};
};

/** @param numbersCount numbers that use the trunk */
export const trunkRecord = (service: Service, current: TrunkRow, numbersCount: number): z.input<typeof TrunkRecord> => {
	const { settings, store } = service;
	const row = asApplied(service, store.trunks, current);
	const turn = turner(service, row.id);
	const spelling = spellingOf(settings);
	const targets = row.targets?.map((target) => ({ ...fillTarget(target), host: spelling.host(target.host) }));
	const { reference, updated_at, auth } = current;
	return {
		...trunkOf(service, { ...row, reference, updated_at }),
		name: spelling.text(row.name) ?? "",
		auth: authOf(auth, spelling, turn),
		targets: turn(targets ?? []),
		media_encryption: row.media_encryption ?? "none",
		codecs: row.codecs ?? defaultCodecs,
		label: spelling.text(row.label),
		reconciling: current.reconciling || isApplying(service, store.trunks, current),
		numbers_count: numbersCount,
	};
};

export const webhookRecord = (service: Service, row: WebhookRow): z.input<typeof WebhookRecord> => {
	const spelling = spellingOf(service.settings);
	const secret = spelling.secret(row.secret);
	const until = row.previous_secret_expires_at;
	return {
		...webhookOf(service, row),
		url: spelling.url(row.url),
		events: turner(service, row.id)(row.events),
		description: spelling.text(row.description),
		...(secret === undefined ? {} : { secret }),
		secret_hint: row.secret.slice(-4),
		previous_secret_expires_at: until !== null && Date.parse(until) > service.clock.now() ? until : null,
	};
};

export const kycProfileRecord = (service: Service, row: KycProfileRow): z.input<typeof KycProfileRecord> => ({
	...profileOf(service, row),
	name: spellingOf(service.settings).text(row.name) ?? "",
	id_number_set: row.id_number !== null,
	document_ids: turner(service, row.id)(row.document_ids),
});

export const kycDocumentRecord = recordOf(KycDocumentRecord);

export const portOrderRecord = (service: Service, row: PortOrderRow): z.input<typeof PortOrderRecord> => {
	const turn = turner(service, row.id);
	const { phone, text } = spellingOf(service.settings);
	const { pin, ...carrier } = row.carrier;
	return {
		...portOrderOf(service, row),
		numbers: turn(row.numbers.map(phone)),
		carrier: { ...carrier, name: text(carrier.name) ?? "", pin_set: pin !== null },
		subscriber: { ...row.subscriber, name: text(row.subscriber.name) ?? "" },
		document_ids: turn(row.document_ids),
	};
};
