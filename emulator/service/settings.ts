import { z } from "zod";
import { type Feature, features } from "../../provider/api/contract";
import { merge } from "../request/merge";
import { validate } from "../request/validate";
import { longestLag } from "../store/past";

export type Profile = "full" | "seed";

/** The setting `pageChaos` says what each does. */
const pageTroubles = ["moved", "duplicated", "short", "empty", "expired"] as const;
export type PageTrouble = (typeof pageTroubles)[number];

/** A setting with its initial value; console and docs/emulator.md show its description. */
const setting = <Type extends z.ZodType>(type: Type, initial: z.output<Type>, description: string): Type =>
	type.meta({ description, initial });

const off = (description: string) => setting(z.boolean(), false, description);
const on = (description: string) => setting(z.boolean(), true, description);
const whole = (min: number, max = Number.MAX_SAFE_INTEGER) => z.number().int().min(min).max(max);
const lag = (description: string) => setting(whole(0, longestLag), 0, description);
const limit = (min: number, description: string) => setting(whole(min).nullable(), null, description);
/** One of these words; initially the first. */
const choice = <const Words extends readonly [string, ...string[]]>(words: Words, description: string) =>
	setting(z.enum(words), words[0] as never, description);

export const Settings = z.strictObject({
	pageSize: setting(
		whole(1, 100).nullable(),
		null,
		"Most items on a page, whatever limit asks for; null is the service's own 100.",
	),
	/** A feature switched off behaves as if it had never existed. */
	features: z.strictObject(
		Object.fromEntries(features.map((feature) => [feature, z.boolean()])) as Record<Feature, z.ZodBoolean>,
	),
	readLagMs: lag(
		"GETs answer with the state of this many milliseconds ago: a new object is 404, a changed one is as it was.",
	),
	listLagMs: lag("Lists lag by this much, where it is more."),
	listHidesPending: off("Lists leave pending numbers out."),
	pageChaos: setting(
		z.array(z.enum(pageTroubles)),
		[],
		"What goes wrong with the pages of every list, of moved (an item moves to a page already read), duplicated, short, empty (pages without items that lead on) and expired (a cursor, in every other scan).",
	),
	shuffleArrays: off("Sets (events, allowed_cidrs, targets, capabilities) come in another order on each read."),
	cidr: choice(
		["asGiven", "strip32", "add32"],
		"asGiven; strip32 answers 192.0.2.1/32 as 192.0.2.1, add32 the other way round; /128 likewise.",
	),
	maskHostBits: off("198.51.100.7/24 is answered as 198.51.100.0/24."),
	mergeDuplicates: off("What a set names twice is answered once, whichever way it is spelled."),
	hostCase: choice(
		["asGiven", "lower", "upper"],
		"How hosts are answered in targets, URLs and SIP URIs: asGiven, lower, upper.",
	),
	urlSlash: choice(["asGiven", "add", "strip"], "Whether the path of a URL ends in a slash: asGiven, add, strip."),
	phonePlus: on("false: phone numbers are answered as digits only."),
	trimText: off("Names, labels and descriptions are answered without surrounding blanks; nothing but blanks as null."),
	secretEcho: choice(
		["omit", "mask", "hash"],
		"A secret in answers other than the one that made it: omit leaves it out, mask shows asterisks, hash a hash.",
	),
	repriceOnRead: off("Prices are different on each read."),
	injectDefaults: on("Omitted optional properties are answered with the service's defaults."),
	featuresHeader: on("Each answer names the offered features in a header."),
	purchaseId: on("false: a purchase answers only kyc_required, as in the public description."),
	assignNumberLate: off("A number is null until it has been activated."),
	refuseOverlappingRotation: off("A secret can't be rotated while the previous one is still valid."),
	latencyMs: setting(whole(0, 60_000), 0, "Each answer under /v1 is held back by this many milliseconds of real time."),
	capacityMax: limit(1, "Highest capacity of a trunk; null is no limit."),
	acceptAnyAddress: off(
		"A trunk's allow list may name private ranges and the whole internet, which are refused otherwise.",
	),
	acceptUnknownProfiles: off(
		"A number may name a KYC profile that is not on the account, as if it had been made elsewhere.",
	),
	clampCapacity: off("A capacity above the highest is silently clamped, not refused."),
	webhooksMax: limit(0, "Most webhooks on the account; null is no limit."),
	numbersMax: limit(0, "Most numbers on the account, pending ones too; null is no limit."),
	trunksMax: limit(0, "Most trunks on the account; null is no limit."),
	churnLimit: limit(
		1,
		"Nothing more is sold once this many numbers have been released within 180 days; null is no limit.",
	),
	inventoryLeft: limit(
		0,
		"This many numbers are left to be sold, in all markets together, and it counts down; null is as many as a market has.",
	),
	exhausted: setting(
		z.array(z.string().regex(/^[A-Z]{2}(\/[a-z_]+(\/.{1,20})?)?$/, "must look like DE/geographic/30")).max(100),
		[],
		'Where nothing is left to be sold, such as "DE", "DE/geographic" or "DE/geographic/30".',
	),
	stealOnBuy: setting(
		whole(0),
		0,
		"This many of the next purchases lose their number to another buyer, with no_inventory, and it counts down.",
	),
	refuseReleaseWhileRouted: off("A number with a routing can't be released."),
	coolOffDays: setting(whole(0, 3650), 0, "A number can't be released within this many days after its purchase."),
	softDelete: off("A released number is still answered, as released; lists show it too."),
	detachLagMs: lag(
		"A trunk or KYC profile can't be deleted for this many milliseconds after its last number has been pointed elsewhere.",
	),
	applyLagMs: lag("For this many milliseconds a change is reconciling."),
	echoIntent: on("false: until a change is applied, answers show what was before."),
	enumDriftAfterCreate: off(
		"For 10 seconds after the purchase, the type of a number is answered as longcode or tollfree.",
	),
	kycDeadline: off("A number whose KYC is not submitted by its deadline is failed."),
	ignoreIdempotencyKey: off("The feature idempotencyKey is offered, but each request is carried out again."),
	requestsPerSecond: setting(
		z.number().min(0.001).max(100_000).nullable(),
		null,
		"How many requests per second are let through, by the emulator's clock; the rest are 429 rate_limited. null is no limit.",
	),
	requestBurst: setting(whole(1, 100_000), 10, "How many of them may come at once."),
	rateLimitHeaders: on("Answers say what is allowed, in RateLimit and RateLimit-Policy."),
	retryAfter: choice(["seconds", "date", "none"], "How a 429 says when to come again: seconds, date or none."),
	messageFate: choice(
		["delivered", "undelivered", "failed", "unconfirmed"],
		"What becomes of SMS sent from now on: delivered, undelivered, failed (never sent), unconfirmed (stays sent).",
	),
	callFate: choice(
		["answered", "busy", "no_answer", "failed"],
		"What becomes of calls that ring from now on: answered, busy, no_answer, failed.",
	),
	recordInbound: off("Calls from outside are recorded once they are answered."),
	callSeconds: setting(whole(1, 3600), 30, "How many seconds an answered call lasts that nobody hangs up."),
	blockedDestinations: setting(
		z.array(z.string().regex(/^\+\d{1,15}$/, "must be the beginning of an E.164 number")).max(100),
		[],
		'Numbers that begin like one of these can\'t be called or sent to, such as "+49900".',
	),
	outOfBalance: off("Nothing is left on the account: calls and SMS are refused with insufficient_balance."),
	deliveryTimeoutMs: setting(
		whole(1, 60_000),
		15_000,
		"How many milliseconds of real time a receiver of webhooks may take to answer, whatever the clock.",
	),
	webhookTimestamp: choice(
		["real", "clock"],
		"The time that a delivery is signed with: real, as receivers refuse another after minutes, or clock, the emulator's.",
	),
	duplicateDeliveries: off("Each event is delivered twice to each webhook, with the same webhook-id."),
	reorderDeliveries: off(
		"Every other delivery to a webhook sets out 2 seconds late, so that the next one overtakes it.",
	),
});
export type Settings = z.output<typeof Settings>;

const SettingsPatch = Settings.extend({ features: Settings.shape.features.partial() }).partial();
export type SettingsPatch = z.output<typeof SettingsPatch>;

export const initialSettings = (profile: Profile): Settings => ({
	...(Object.fromEntries(
		Object.entries(Settings.shape).map(([name, type]) => [name, (type as z.ZodType).meta()?.initial]),
	) as Settings),
	features: Object.fromEntries(features.map((feature) => [feature, profile === "full"])) as Record<Feature, boolean>,
});

export const changeSettings = (settings: Settings, patch: unknown): Settings => {
	const { features: switches, ...rest } = validate(SettingsPatch, patch);
	return { ...merge(settings, rest), features: merge(settings.features, switches ?? {}) };
};
