import { z } from "zod";
import { type Feature, features } from "../provider/api/contract";
import { merge } from "./merge";
import { validate } from "./validate";

export type Profile = "full" | "seed";

/**
 * An item moved to a page that has been read already, one that comes twice, pages shorter than asked for, pages without
 * items that lead on, and a cursor that expires on the way (of every other scan).
 */
const pageTroubles = ["moved", "duplicated", "short", "empty", "expired"] as const;
export type PageTrouble = (typeof pageTroubles)[number];

/** Most that a read may lag behind, ms. */
export const longestLag = 60_000;
const lag = z.number().int().min(0).max(longestLag);

export const Settings = z.strictObject({
	/** Most items on a page, whatever `limit` asks for; null = the service's own 100. */
	pageSize: z.number().int().min(1).max(100).nullable(),
	/** What the service offers; a feature switched off behaves as if it had never existed. */
	features: z.strictObject(
		Object.fromEntries(features.map((feature) => [feature, z.boolean()])) as Record<Feature, z.ZodBoolean>,
	),
	/** GETs answer with the state of that long ago: what is just made is 404, what is just changed as it was. */
	readLagMs: lag,
	/** Lists lag by that much, where it is more. */
	listLagMs: lag,
	/** Lists leave pending numbers out. */
	listHidesPending: z.boolean(),
	/** What goes wrong with pages, in every list: see `pageTroubles`. */
	pageChaos: z.array(z.enum(pageTroubles)),
	/** Sets (events, allowed_cidrs, targets, capabilities) come in another order on each read. */
	shuffleArrays: z.boolean(),
	/** `strip32` answers 192.0.2.1/32 as 192.0.2.1, `add32` the other way round; /128 likewise. */
	cidr: z.enum(["asGiven", "strip32", "add32"]),
	/** 198.51.100.7/24 is answered as 198.51.100.0/24. */
	maskHostBits: z.boolean(),
	/** What a set names twice is answered once, whichever way it is spelled. */
	mergeDuplicates: z.boolean(),
	/** How hosts are answered: in a trunk's targets, in URLs and SIP URIs. */
	hostCase: z.enum(["asGiven", "lower", "upper"]),
	/** Whether the path of a URL ends in a slash. */
	urlSlash: z.enum(["asGiven", "add", "strip"]),
	/** false: phone numbers are answered as digits only. */
	phonePlus: z.boolean(),
	/** Names, labels and descriptions are answered without surrounding blanks; nothing but blanks as null. */
	trimText: z.boolean(),
	/** A secret in answers other than the one that made it: left out, as asterisks, or as a hash. */
	secretEcho: z.enum(["omit", "mask", "hash"]),
	/** Prices are others on each read. */
	repriceOnRead: z.boolean(),
	/** Omitted optional properties are answered with the service's defaults. */
	injectDefaults: z.boolean(),
	/** Each answer names the offered features in a header. */
	featuresHeader: z.boolean(),
	/** false: a purchase answers nothing but `kyc_required`, as little as the seed shows. */
	purchaseId: z.boolean(),
	/** A number is null until it has been activated. */
	assignNumberLate: z.boolean(),
	/** A secret can't be rotated while the previous one is still valid. */
	refuseOverlappingRotation: z.boolean(),
	/** Each answer under `/v1` is held back by that much real time. */
	latencyMs: z.number().int().min(0).max(60_000),
	/** Highest capacity of a trunk. */
	capacityMax: z.number().int().min(1).nullable(),
	/** A capacity above the highest is lowered to it without a word, not refused. */
	clampCapacity: z.boolean(),
	/** Most webhooks on the account. */
	webhooksMax: z.number().int().min(0).nullable(),
	/** Most numbers on the account, pending ones too. */
	numbersMax: z.number().int().min(0).nullable(),
	/** Most trunks on the account. */
	trunksMax: z.number().int().min(0).nullable(),
	/** Nothing more is sold once so many numbers have been released within 180 days. */
	churnLimit: z.number().int().min(1).nullable(),
	/** So many numbers are left to be sold, in all markets together: it counts down. */
	inventoryLeft: z.number().int().min(0).nullable(),
	/** Where nothing is left, such as `DE`, `DE/geographic` or `DE/geographic/30`. */
	exhausted: z
		.array(z.string().regex(/^[A-Z]{2}(\/[a-z_]+(\/.{1,20})?)?$/, "must look like DE/geographic/30"))
		.max(100),
	/** So many of the next purchases lose their number to somebody else: it counts down. */
	stealOnBuy: z.number().int().min(0),
	/** A number with a routing can't be released. */
	refuseReleaseWhileRouted: z.boolean(),
	/** A number can't be released within so many days after its purchase. */
	coolOffDays: z.number().int().min(0).max(3650),
	/** A released number is answered still, as released; lists show it too. */
	softDelete: z.boolean(),
	/** A trunk can't be deleted within that time after its last number was routed elsewhere. */
	detachLagMs: lag,
	/** For that long a change is `reconciling`. */
	applyLagMs: lag,
	/** false: until a change is applied, answers show what was before. */
	echoIntent: z.boolean(),
	/** For 10 seconds after the purchase, the type is answered as `longcode` or `tollfree`. */
	enumDriftAfterCreate: z.boolean(),
	/** A number whose KYC is not handed in until its deadline is failed. */
	kycDeadline: z.boolean(),
	/** The Idempotency-Key is offered, and yet each request is carried out anew. */
	ignoreIdempotencyKey: z.boolean(),
	/** Requests per second that are let through, by the service's clock. */
	requestsPerSecond: z.number().min(0.001).max(100_000).nullable(),
	/** So many may come at once. */
	requestBurst: z.number().int().min(1).max(100_000),
	/** What a 429 says of when to come again. */
	retryAfter: z.enum(["seconds", "date", "none"]),
	/** What becomes of SMS sent from now on: `failed` is never sent, `unconfirmed` stays `sent`. */
	messageFate: z.enum(["delivered", "undelivered", "failed", "unconfirmed"]),
	/** What becomes of calls that ring from now on. */
	callFate: z.enum(["answered", "busy", "no_answer", "failed"]),
	/** How long an answered call lasts that nobody hangs up. */
	callSeconds: z.number().int().min(1).max(3600),
	/** Numbers that begin so can't be called or sent to, such as `+49900`. */
	blockedDestinations: z.array(z.string().regex(/^\+\d{1,15}$/, "must be the beginning of an E.164 number")).max(100),
	/** Nothing is left on the account: calls and SMS are refused with `insufficient_balance`. */
	outOfBalance: z.boolean(),
	/** How long a receiver of webhooks may take to answer, in real time whatever the clock. */
	deliveryTimeoutMs: z.number().int().min(1).max(60_000),
	/** Each event is delivered twice to each webhook, with the same `webhook-id`. */
	duplicateDeliveries: z.boolean(),
	/** Every other delivery to a webhook sets out 2 seconds late, so that the next one overtakes it. */
	reorderDeliveries: z.boolean(),
});
export type Settings = z.output<typeof Settings>;

const SettingsPatch = Settings.extend({ features: Settings.shape.features.partial() }).partial();
export type SettingsPatch = z.output<typeof SettingsPatch>;

export const initialSettings = (profile: Profile): Settings => ({
	pageSize: null,
	features: Object.fromEntries(features.map((feature) => [feature, profile === "full"])) as Record<Feature, boolean>,
	readLagMs: 0,
	listLagMs: 0,
	listHidesPending: false,
	pageChaos: [],
	shuffleArrays: false,
	cidr: "asGiven",
	maskHostBits: false,
	mergeDuplicates: false,
	hostCase: "asGiven",
	urlSlash: "asGiven",
	phonePlus: true,
	trimText: false,
	secretEcho: "omit",
	repriceOnRead: false,
	injectDefaults: true,
	featuresHeader: true,
	purchaseId: true,
	assignNumberLate: false,
	refuseOverlappingRotation: false,
	latencyMs: 0,
	capacityMax: null,
	clampCapacity: false,
	webhooksMax: null,
	numbersMax: null,
	trunksMax: null,
	churnLimit: null,
	inventoryLeft: null,
	exhausted: [],
	stealOnBuy: 0,
	refuseReleaseWhileRouted: false,
	coolOffDays: 0,
	softDelete: false,
	detachLagMs: 0,
	applyLagMs: 0,
	echoIntent: true,
	enumDriftAfterCreate: false,
	kycDeadline: false,
	ignoreIdempotencyKey: false,
	requestsPerSecond: null,
	requestBurst: 10,
	retryAfter: "seconds",
	messageFate: "delivered",
	callFate: "answered",
	callSeconds: 30,
	blockedDestinations: [],
	outOfBalance: false,
	deliveryTimeoutMs: 15_000,
	duplicateDeliveries: false,
	reorderDeliveries: false,
});

export const changeSettings = (settings: Settings, patch: unknown): Settings => {
	const { features: switches, ...rest } = validate(SettingsPatch, patch);
	return { ...merge(settings, rest), features: merge(settings.features, switches ?? {}) };
};
