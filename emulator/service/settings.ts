import { z } from "zod";
import { type Feature, features } from "../../provider/api/contract";
import { merge } from "../request/merge";
import { validate } from "../request/validate";
import { longestLag } from "../store/past";

export type Profile = "full" | "seed";

const pageTroubles = ["moved", "duplicated", "short", "empty", "expired"] as const;
export type PageTrouble = (typeof pageTroubles)[number];

/** A setting with its initial value and the description in console and docs. */
const setting = <Type extends z.ZodType>(type: Type, initial: z.output<Type>, description: string): Type =>
	type.meta({ description, initial });

const off = (description: string) => setting(z.boolean(), false, description);
const on = (description: string) => setting(z.boolean(), true, description);
const whole = (min: number, max = Number.MAX_SAFE_INTEGER) => z.number().int().min(min).max(max);
const lag = (description: string) => setting(whole(0, longestLag), 0, description);
const limit = (min: number, description: string) => setting(whole(min).nullable(), null, description);
const choice = <const Words extends readonly [string, ...string[]]>(words: Words, description: string) =>
	setting(z.enum(words), words[0] as never, description);

export const Settings = z.strictObject({
	accountId: setting(
		z
			.string()
			.regex(/^[\w.:-]{1,255}$/, "must have letters, digits and _.:- only")
			.nullable(),
		null,
		"Id of the account in GET /account; null is the emulator's own.",
	),
	pageSize: setting(
		whole(1, 100).nullable(),
		null,
		"Highest number of items on a page; null is the service's own 100.",
	),
	features: z.strictObject(
		Object.fromEntries(features.map((feature) => [feature, z.boolean()])) as Record<Feature, z.ZodBoolean>,
	),
	readLagMs: lag("GETs return the state of this many milliseconds ago."),
	listLagMs: lag("Lists lag by this many milliseconds."),
	listHidesPending: off("Lists leave pending numbers out."),
	pageChaos: setting(
		z.array(z.enum(pageTroubles)),
		[],
		"Faults in list pages: moved (an item moves to an earlier page), duplicated, short, empty (pages without items before the last page) and expired (a cursor, in every other scan).",
	),
	shuffleArrays: off("Sets (events, allowed_cidrs, targets, capabilities) are in a different order on each read."),
	cidr: choice(
		["asGiven", "strip32", "add32"],
		"asGiven; strip32 returns 192.0.2.1/32 as 192.0.2.1, and add32 does the reverse.",
	),
	hostCase: choice(
		["asGiven", "lower", "upper"],
		"Letter case of hosts in returned targets, URLs and SIP URIs: asGiven, lower, upper.",
	),
	urlSlash: choice(["asGiven", "add", "strip"], "Slash at the end of a returned URL's path: asGiven, add, strip."),
	phonePlus: on("false: phone numbers are returned without the +."),
	trimText: off("Names, labels and descriptions are returned without surrounding spaces."),
	secretEcho: choice(
		["omit", "mask", "hash"],
		"A secret in later responses: omit leaves it out, mask shows asterisks, hash a hash.",
	),
	featuresHeader: on("Each response names the offered features and the account in headers."),
	purchaseId: on("false: the response to a purchase has only kyc_required."),
	latencyMs: setting(whole(0, 60_000), 0, "Each response under /v1 is delayed by this many milliseconds of real time."),
	capacityMax: limit(1, "Highest capacity of a trunk."),
	acceptAnyAddress: off("A trunk's allow list may have private ranges and the whole internet."),
	acceptUnknownProfiles: off("A number may refer to a KYC profile that is not on the account."),
	acceptNewWords: off("New events, codecs, transports and kinds are accepted, as by a newer service."),
	clampCapacity: off("A capacity above capacityMax is silently reduced to it."),
	numbersMax: limit(0, "Highest number of phone numbers on the account."),
	inventoryLeft: limit(0, "Phone numbers left to sell in all markets together, counting down."),
	exhausted: setting(
		z.array(z.string().regex(/^[A-Z]{2}(\/[a-z_]+(\/.{1,20})?)?$/, "must look like DE/geographic/30")).max(100),
		[],
		'Markets without stock, such as "DE", "DE/geographic" or "DE/geographic/30".',
	),
	stealOnBuy: setting(whole(0), 0, "Number of coming purchases that lose their phone number to another buyer."),
	refuseReleaseWhileRouted: off("The service refuses to release a number that has a routing."),
	softDelete: off("A released number is still returned, with the status released; lists show it too."),
	applyLagMs: lag("A change is reconciling for this many milliseconds."),
	echoIntent: on("false: responses show the previous values until a change is applied."),
	ignoreIdempotencyKey: off("A repeated request is carried out again, despite the feature idempotencyKey."),
	requestsPerSecond: setting(
		z.number().min(0.001).max(100_000).nullable(),
		null,
		"Allowed requests per second, by the emulator's clock; others get 429.",
	),
	requestBurst: setting(whole(1, 100_000), 10, "Largest burst of requests that the rate limit allows."),
	retryAfter: choice(["seconds", "date", "none"], "Form of Retry-After in a 429: seconds, date or none."),
	messageFate: choice(
		["delivered", "undelivered", "failed", "unconfirmed"],
		"Result of SMS: delivered, undelivered, failed (never sent), unconfirmed (stays sent).",
	),
	callFate: choice(["answered", "busy", "no_answer", "failed"], "Result of calls: answered, busy, no_answer, failed."),
	recordInbound: off("Inbound calls are recorded when they are answered."),
	callSeconds: setting(whole(1, 3600), 30, "Seconds after which an answered call ends."),
	blockedDestinations: setting(
		z.array(z.string().regex(/^\+\d{1,15}$/, "must be the beginning of an E.164 number")).max(100),
		[],
		'Prefixes of numbers that refuse calls and SMS, such as "+49900".',
	),
	deliveryTimeoutMs: setting(
		whole(1, 60_000),
		15_000,
		"Milliseconds of real time in which a receiver of webhooks must respond.",
	),
	webhookTimestamp: choice(["real", "clock"], "Time in the signature of a delivery: real, or clock, the emulator's."),
});
export type Settings = z.output<typeof Settings>;

const SettingsPatch = Settings.extend({ features: Settings.shape.features.partial() }).partial();
export type SettingsPatch = z.output<typeof SettingsPatch>;

/** @param lacking features that the imitated service doesn't have */
export const initialSettings = (profile: Profile, lacking: readonly Feature[] = []): Settings => ({
	...(Object.fromEntries(
		Object.entries(Settings.shape).map(([name, type]) => [name, (type as z.ZodType).meta()?.initial]),
	) as Settings),
	features: Object.fromEntries(
		features.map((feature) => [feature, profile === "full" && !lacking.includes(feature)]),
	) as Record<Feature, boolean>,
});

export const changeSettings = (settings: Settings, patch: unknown): Settings => {
	const { features: switches, ...rest } = validate(SettingsPatch, patch);
	return { ...merge(settings, rest), features: merge(settings.features, switches ?? {}) };
};
