import { z } from "zod";
import { type Feature, features } from "../../provider/api/contract";
import { merge } from "../request/merge";
import { validate } from "../request/validate";
import { longestLag } from "../store/past";

export type Profile = "full" | "seed";

/**
 * An item that moves to a page already read, an item that comes twice, pages shorter than asked for, pages without
 * items that lead on, and a cursor that expires (in every other scan).
 */
const pageTroubles = ["moved", "duplicated", "short", "empty", "expired"] as const;
export type PageTrouble = (typeof pageTroubles)[number];

const lag = z.number().int().min(0).max(longestLag);

/** Each description is shown in the console and in docs/emulator.md. */
export const Settings = z.strictObject({
	pageSize: z
		.number()
		.int()
		.min(1)
		.max(100)
		.nullable()
		.describe("Most items on a page, whatever limit asks for; null is the service's own 100."),
	/** What the service offers; a feature switched off behaves as if it had never existed. */
	features: z.strictObject(
		Object.fromEntries(features.map((feature) => [feature, z.boolean()])) as Record<Feature, z.ZodBoolean>,
	),
	readLagMs: lag.describe(
		"GETs answer with the state as it was this many milliseconds ago: a new object is 404, a changed one shows its old values.",
	),
	listLagMs: lag.describe("Lists lag by that much, where it is more."),
	listHidesPending: z.boolean().describe("Lists leave pending numbers out."),
	pageChaos: z
		.array(z.enum(pageTroubles))
		.describe(
			"What goes wrong with the pages of every list, of moved (an item moves to a page already read), duplicated, short, empty (pages without items that lead on) and expired (a cursor, in every other scan).",
		),
	shuffleArrays: z
		.boolean()
		.describe("Sets (events, allowed_cidrs, targets, capabilities) come in another order on each read."),
	cidr: z
		.enum(["asGiven", "strip32", "add32"])
		.describe("asGiven; strip32 answers 192.0.2.1/32 as 192.0.2.1, add32 the other way round; /128 likewise."),
	maskHostBits: z.boolean().describe("198.51.100.7/24 is answered as 198.51.100.0/24."),
	mergeDuplicates: z.boolean().describe("What a set names twice is answered once, whichever way it is spelled."),
	hostCase: z
		.enum(["asGiven", "lower", "upper"])
		.describe("How hosts are answered in targets, URLs and SIP URIs: asGiven, lower, upper."),
	urlSlash: z
		.enum(["asGiven", "add", "strip"])
		.describe("Whether the path of a URL ends in a slash: asGiven, add, strip."),
	phonePlus: z.boolean().describe("false: phone numbers are answered as digits only."),
	trimText: z
		.boolean()
		.describe("Names, labels and descriptions are answered without surrounding blanks; nothing but blanks as null."),
	secretEcho: z
		.enum(["omit", "mask", "hash"])
		.describe(
			"A secret in answers other than the one that made it: omit leaves it out, mask shows asterisks, hash a hash.",
		),
	repriceOnRead: z.boolean().describe("Prices are different on each read."),
	injectDefaults: z.boolean().describe("Omitted optional properties are answered with the service's defaults."),
	featuresHeader: z.boolean().describe("Each answer names the offered features in a header."),
	purchaseId: z
		.boolean()
		.describe("false: a purchase answers nothing but kyc_required, as little as the public description shows."),
	assignNumberLate: z.boolean().describe("A number is null until it has been activated."),
	refuseOverlappingRotation: z.boolean().describe("A secret can't be rotated while the previous one is still valid."),
	latencyMs: z
		.number()
		.int()
		.min(0)
		.max(60_000)
		.describe("Each answer under /v1 is delayed by this many milliseconds of real time."),
	capacityMax: z.number().int().min(1).nullable().describe("Highest capacity of a trunk; null is no limit."),
	acceptAnyAddress: z
		.boolean()
		.describe("A trunk's allow list may name private ranges and the whole internet, which are refused otherwise."),
	acceptUnknownProfiles: z
		.boolean()
		.describe("A number may name a KYC profile that is not on the account, as if it had been made elsewhere."),
	clampCapacity: z.boolean().describe("A capacity above the highest is silently lowered to it instead of refused."),
	webhooksMax: z.number().int().min(0).nullable().describe("Most webhooks on the account; null is no limit."),
	numbersMax: z
		.number()
		.int()
		.min(0)
		.nullable()
		.describe("Most numbers on the account, pending ones too; null is no limit."),
	trunksMax: z.number().int().min(0).nullable().describe("Most trunks on the account; null is no limit."),
	churnLimit: z
		.number()
		.int()
		.min(1)
		.nullable()
		.describe("Nothing more is sold once this many numbers have been released within 180 days; null is no limit."),
	inventoryLeft: z
		.number()
		.int()
		.min(0)
		.nullable()
		.describe(
			"How many numbers are left to be sold, in all markets together; counts down. null is as many as a market has.",
		),
	exhausted: z
		.array(z.string().regex(/^[A-Z]{2}(\/[a-z_]+(\/.{1,20})?)?$/, "must look like DE/geographic/30"))
		.max(100)
		.describe('Where nothing is left to be sold, such as "DE", "DE/geographic" or "DE/geographic/30".'),
	stealOnBuy: z
		.number()
		.int()
		.min(0)
		.describe("How many of the next purchases lose their number to somebody else, with no_inventory; counts down."),
	refuseReleaseWhileRouted: z.boolean().describe("A number with a routing can't be released."),
	coolOffDays: z
		.number()
		.int()
		.min(0)
		.max(3650)
		.describe("A number can't be released within this many days of its purchase."),
	softDelete: z.boolean().describe("A released number is answered still, as released; lists show it too."),
	detachLagMs: lag.describe(
		"A trunk can't be deleted for this many milliseconds after its last number was routed elsewhere.",
	),
	applyLagMs: lag.describe("A change is reconciling for this many milliseconds."),
	echoIntent: z.boolean().describe("false: until a change is applied, answers show what was before."),
	enumDriftAfterCreate: z
		.boolean()
		.describe("For 10 seconds after the purchase, the type of a number is answered as longcode or tollfree."),
	kycDeadline: z.boolean().describe("A number whose KYC is not submitted by its deadline becomes failed."),
	ignoreIdempotencyKey: z
		.boolean()
		.describe("The feature idempotencyKey is offered, but each request is carried out again."),
	requestsPerSecond: z
		.number()
		.min(0.001)
		.max(100_000)
		.nullable()
		.describe(
			"How many requests per second are let through, by the emulator's clock; the rest are 429 rate_limited. null is no limit.",
		),
	requestBurst: z.number().int().min(1).max(100_000).describe("How many of them may come at once."),
	rateLimitHeaders: z.boolean().describe("Answers say what is allowed, in RateLimit and RateLimit-Policy."),
	retryAfter: z.enum(["seconds", "date", "none"]).describe("How a 429 says when to come again: seconds, date or none."),
	messageFate: z
		.enum(["delivered", "undelivered", "failed", "unconfirmed"])
		.describe(
			"What becomes of SMS sent from now on: delivered, undelivered, failed (never sent), unconfirmed (stays sent).",
		),
	callFate: z
		.enum(["answered", "busy", "no_answer", "failed"])
		.describe("What becomes of calls that ring from now on: answered, busy, no_answer, failed."),
	recordInbound: z.boolean().describe("Calls from outside are recorded once they are answered."),
	callSeconds: z
		.number()
		.int()
		.min(1)
		.max(3600)
		.describe("How many seconds an answered call lasts that nobody hangs up."),
	blockedDestinations: z
		.array(z.string().regex(/^\+\d{1,15}$/, "must be the beginning of an E.164 number"))
		.max(100)
		.describe('Numbers that begin like one of these can\'t be called or sent to, such as "+49900".'),
	outOfBalance: z
		.boolean()
		.describe("Nothing is left on the account: calls and SMS are refused with insufficient_balance."),
	deliveryTimeoutMs: z
		.number()
		.int()
		.min(1)
		.max(60_000)
		.describe("How many milliseconds of real time a receiver of webhooks may take to answer, whatever the clock."),
	webhookTimestamp: z
		.enum(["real", "clock"])
		.describe(
			"The time that a delivery is signed with: real, as receivers refuse another after minutes, or clock, the emulator's.",
		),
	duplicateDeliveries: z.boolean().describe("Each event is delivered twice to each webhook, with the same webhook-id."),
	reorderDeliveries: z
		.boolean()
		.describe("Every other delivery to a webhook sets out 2 seconds late, so that the next one overtakes it."),
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
	acceptAnyAddress: false,
	acceptUnknownProfiles: false,
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
	rateLimitHeaders: true,
	retryAfter: "seconds",
	messageFate: "delivered",
	callFate: "answered",
	recordInbound: false,
	callSeconds: 30,
	blockedDestinations: [],
	outOfBalance: false,
	deliveryTimeoutMs: 15_000,
	webhookTimestamp: "real",
	duplicateDeliveries: false,
	reorderDeliveries: false,
});

export const changeSettings = (settings: Settings, patch: unknown): Settings => {
	const { features: switches, ...rest } = validate(SettingsPatch, patch);
	return { ...merge(settings, rest), features: merge(settings.features, switches ?? {}) };
};
