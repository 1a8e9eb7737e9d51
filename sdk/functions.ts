/** Functions that read the account and the market. They change nothing, and run in previews too. */
import type * as pulumi from "@pulumi/pulumi";
import { call, type Inputs, later } from "./call";
import type { Country } from "./country";
import type { Kyc, Money, Routing } from "./number";
import type { SipTarget } from "./sip-trunk";
import type { WebhookEvent } from "./webhook";

// #region made by npm run generate: functions
export interface GetNumberArgs {
	/** The service's id, such as `num_01`, or the number in E.164. */
	id: string;
}

/** A number on the account, even if this stack doesn't manage it. */
export interface AccountNumber {
	/** The service's id. */
	id: string;
	/** ISO 3166-1 alpha-2 in upper case, such as `NL`. */
	country: string;
	/** The kind of number. */
	type: "geographic" | "mobile" | "toll_free" | "national";
	/** Area code within the country, such as `"20"`, with or without the trunk prefix (`"020"`). 1 to 20 characters. */
	area?: string;
	/** Destination of inbound calls. Without it, calls aren't delivered. */
	routing?: pulumi.Unwrap<Routing>;
	/**
	 * https URL that receives inbound SMS, without credentials or fragment (plain http for loopback only). The number
	 * must have the capability `sms`. At most 2048 characters.
	 */
	smsWebhookUrl?: string;
	/** Display name. At most 64 characters. */
	label?: string;
	/** Key-value pairs of your own. At most 20 keys of 1 to 40 characters, values of at most 500. */
	metadata?: Record<string, string>;
	/** Id of the KYC profile that regulated markets require. */
	kycProfileId?: string;
	/** True if the number is protected from release: a delete retains it, and the service refuses to release it. */
	releaseProtection?: boolean;
	/** E.164; undefined until the carrier assigns a number. */
	phoneNumber?: string;
	/**
	 * `pending`, `active`, `suspended`, `porting_out`, or the service's own value for active. For a number that
	 * `adopt` names: `porting` while a port order is in progress, `ported` until `up` adopts it, `not_porting` if no
	 * open order names it, `not_adoptable` if `up` refuses it.
	 */
	status: string;
	/** True in regulated markets. */
	kycRequired: boolean;
	/** State of the identity checks; undefined in open markets. */
	kyc?: Kyc;
	/** From voice, sms, mms, fax; sorted. A set. */
	capabilities?: string[];
	/** Price of the number. A changed price isn't drift. */
	price?: { setup: Money; monthly: Money };
	/** `purchase` or `port`. */
	source?: string;
	/** RFC 3339. */
	createdAt?: string;
	/** RFC 3339. */
	updatedAt?: string;
	/** RFC 3339; undefined while the number is pending. */
	activatedAt?: string;
}

export type GetNumberResult = AccountNumber;

/**
 * Reads one number on the account, even if this stack doesn't manage it.
 *
 * @example export const result = telephony.getNumber({ id: "+31201234567" });
 */
export const getNumber = (args: GetNumberArgs): Promise<GetNumberResult> => call("getNumber", args);

/** As {@link getNumber}; its arguments may be outputs of resources. */
export const getNumberOutput = (args: Inputs<GetNumberArgs>): pulumi.Output<GetNumberResult> => later(args, getNumber);

export interface GetNumbersArgs {
	/** ISO 3166-1 alpha-2 in upper case, such as `NL`. */
	country?: Country;
	/** Kind of number. */
	type?: "geographic" | "mobile" | "toll_free" | "national";
	/** Area code within the country, such as `"20"`. 1 to 20 characters. */
	area?: string;
	/** Status of the number. Default: every number that the account still has. */
	status?: "pending" | "active" | "suspended" | "porting_out" | "ported_out" | "releasing" | "released" | "failed";
	/** Exact label. */
	label?: string;
	/** Key-value pairs that the number must have. At most 20 keys of 1 to 40 characters, values of at most 500. */
	metadata?: Record<string, string>;
}

export interface GetNumbersResult {
	/** Numbers in the order of the account's list. */
	numbers: AccountNumber[];
}

/**
 * Lists the numbers on the account that match every filter, even if this stack doesn't manage them.
 *
 * @example export const result = telephony.getNumbers({ country: "NL", metadata: { team: "support" } });
 */
export const getNumbers = (args: GetNumbersArgs = {}): Promise<GetNumbersResult> => call("getNumbers", args);

/** As {@link getNumbers}; its arguments may be outputs of resources. */
export const getNumbersOutput = (args: Inputs<GetNumbersArgs> = {}): pulumi.Output<GetNumbersResult> =>
	later(args, getNumbers);

export interface GetTrunkArgs {
	/** The service's id, such as `trk_01`. */
	id: string;
}

/** Authentication: an IP access list, or a user name with a password. The mode can change in place. */
export type PublicSipTrunkAuth =
	/** Public addresses, or CIDRs without host bits. 1 to 100. A set. Example: `["198.51.100.0/24","203.0.113.9"]`. */
	| { mode: "ip_acl"; allowedCidrs: string[] }
	/** 1 to 64 characters, without colons, control characters, or spaces at the start or end. Example: `"office-pbx"`. */
	| { mode: "digest"; username: string };

export interface GetTrunkResult {
	/** The service's id. */
	id: string;
	/** Display name; it doesn't have to be unique. 1 to 64 characters. */
	name?: string;
	/** Authentication of your equipment. */
	auth: PublicSipTrunkAuth;
	/** Concurrent channels, inbound and outbound together. 1 to 10000. */
	capacity: number;
	/** New calls per second. 1 to 100. */
	callsPerSecond?: number;
	/** Targets of calls from the service. At most 20. A set. */
	targets?: pulumi.Unwrap<SipTarget>[];
	/** Encryption of the audio. */
	mediaEncryption?: "none" | "srtp" | (string & {});
	/** Codecs, in order of preference. At least 1. */
	codecs?: ("PCMU" | "PCMA" | "G729" | "G722" | "opus" | (string & {}))[];
	/** True if the trunk accepts calls. */
	enabled?: boolean;
	/** Key-value pairs of your own. At most 20 keys of 1 to 40 characters, values of at most 500. */
	metadata?: Record<string, string>;
	/** SIP domain to which your equipment registers and sends calls. */
	sipDomain: string;
	/** `provisioning`, `active`, `disabled`, `failed`, or the service's own value for active. */
	status: string;
	/** RFC 3339; time of the last password change. */
	passwordUpdatedAt?: string;
	/** Count of numbers routed to the trunk. A changed count isn't drift. */
	numbersCount: number;
	/** RFC 3339. */
	createdAt: string;
	/** RFC 3339. */
	updatedAt: string;
}

/**
 * Reads one trunk on the account, even if this stack doesn't manage it. The result doesn't include the password.
 *
 * @example export const result = telephony.getTrunk({ id: "trk_01" });
 */
export const getTrunk = (args: GetTrunkArgs): Promise<GetTrunkResult> => call("getTrunk", args);

/** As {@link getTrunk}; its arguments may be outputs of resources. */
export const getTrunkOutput = (args: Inputs<GetTrunkArgs>): pulumi.Output<GetTrunkResult> => later(args, getTrunk);

export interface GetWebhookArgs {
	/** The service's id, such as `whk_01`. */
	id: string;
}

export interface GetWebhookResult {
	/** The service's id. */
	id: string;
	/** https, without credentials or fragment; plain http for loopback only. At most 2048 characters. */
	url: string;
	/** Events that the webhook receives; `"*"` means all events. At least 1. A set. */
	events: WebhookEvent[];
	/** Description. At most 200 characters. */
	description?: string;
	/** True if the service sends events to the webhook. */
	enabled?: boolean;
	/** Last characters of the secret. */
	secretHint: string;
	/** Count of rotations. */
	secretVersion: number;
	/** `enabled`, `disabled`, or a value unknown to this version. */
	status: string;
	/** RFC 3339. */
	createdAt: string;
	/** RFC 3339. */
	updatedAt: string;
}

/**
 * Reads one webhook on the account, even if this stack doesn't manage it. The result doesn't include the secret.
 *
 * @example export const result = telephony.getWebhook({ id: "whk_01" });
 */
export const getWebhook = (args: GetWebhookArgs): Promise<GetWebhookResult> => call("getWebhook", args);

/** As {@link getWebhook}; its arguments may be outputs of resources. */
export const getWebhookOutput = (args: Inputs<GetWebhookArgs>): pulumi.Output<GetWebhookResult> =>
	later(args, getWebhook);

export interface GetAvailableNumbersArgs {
	/** ISO 3166-1 alpha-2 in upper case, such as `NL`. */
	country: Country;
	/** Kind of number. Default: all types, one after the other. */
	type?: "geographic" | "mobile" | "toll_free" | "national";
	/** Area code within the country, such as `"20"`. 1 to 20 characters. */
	area?: string;
	/** 1 to 15 consecutive digits of the number. */
	contains?: string;
	/** Capabilities that the number must have. A set. */
	capabilities?: ("voice" | "sms" | "mms" | "fax")[];
	/** Maximum count of numbers in the result. 1 to 1000. Default: `20`. */
	limit?: number;
}

/** An available number. */
export interface AvailableNumber {
	/** E.164. */
	phoneNumber: string;
	/** ISO 3166-1 alpha-2. */
	country?: string;
	/** Kind of number. */
	type?: string;
	/** Area code within the country. */
	area?: string;
	/** From voice, sms, mms, fax; sorted. A set. */
	capabilities?: string[];
	/** True in regulated markets. */
	kycRequired: boolean;
	/** Price. */
	price?: { setup: Money; monthly: Money };
}

export interface GetAvailableNumbersResult {
	/** Available numbers. The first is the next purchase. */
	numbers: AvailableNumber[];
}

/**
 * Lists available numbers, the next purchase first. Availability can change before you buy, and a purchase can't
 * select a number.
 *
 * @example export const result = telephony.getAvailableNumbers({ country: "NL", type: "mobile", limit: 5 });
 */
export const getAvailableNumbers = (args: GetAvailableNumbersArgs): Promise<GetAvailableNumbersResult> =>
	call("getAvailableNumbers", args);

/** As {@link getAvailableNumbers}; its arguments may be outputs of resources. */
export const getAvailableNumbersOutput = (
	args: Inputs<GetAvailableNumbersArgs>,
): pulumi.Output<GetAvailableNumbersResult> => later(args, getAvailableNumbers);

export interface GetKycRequirementsArgs {
	/** ISO 3166-1 alpha-2 in upper case, such as `NL`. */
	country: Country;
	/** Kind of number. */
	type: "geographic" | "mobile" | "toll_free" | "national";
}

/** A document or a text that a market requires. */
export interface KycRequirement {
	/** The kind of a document, or the name of a property of the profile. */
	code: string;
	/** `document` or `text`. */
	kind: string;
	/** Entity types whose profile needs the requirement: `individual`, `business`. A set. */
	entityTypes: string[];
	/** Human-readable text. */
	description: string;
}

export interface GetKycRequirementsResult {
	/** ISO 3166-1 alpha-2. */
	country: string;
	/** Kind of number. */
	type: string;
	/** True in regulated markets. */
	kycRequired: boolean;
	/** The documents to submit; empty in open markets. */
	requirements: KycRequirement[];
}

/**
 * Returns the KYC requirements of a market.
 *
 * @example export const result = telephony.getKycRequirements({ country: "DE", type: "geographic" });
 */
export const getKycRequirements = (args: GetKycRequirementsArgs): Promise<GetKycRequirementsResult> =>
	call("getKycRequirements", args);

/** As {@link getKycRequirements}; its arguments may be outputs of resources. */
export const getKycRequirementsOutput = (
	args: Inputs<GetKycRequirementsArgs>,
): pulumi.Output<GetKycRequirementsResult> => later(args, getKycRequirements);
// #endregion
