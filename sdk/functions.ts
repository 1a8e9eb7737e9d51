/** Functions: they read the account, or what the service sells, and change nothing. They run in previews too. */
import type * as pulumi from "@pulumi/pulumi";
import { call, type Inputs, later } from "./call";
import type { Country } from "./country";
import type { Kyc, Money, Routing } from "./number";
import type { SipTarget } from "./sip-trunk";

// #region made by npm run generate: functions
export interface GetNumberArgs {
	/** The service's id, such as `num_01`, or the number in E.164. */
	id: string;
}

/** A number as the account has it, whoever manages it. */
export interface AccountNumber {
	/** The service's id. */
	id: string;
	/** ISO 3166-1 alpha-2 in upper case, such as `NL`. */
	country: string;
	/** The kind of number. */
	type: string;
	/** Area code within the country, such as `"20"`, with or without the trunk prefix (`"020"`). 1 to 20 characters. */
	area?: string;
	/** Where calls go. Without it, they go nowhere. */
	routing?: pulumi.Unwrap<Routing>;
	/**
	 * https URL that gets inbound SMS, without credentials or fragment (plain http for loopback only). The number's
	 * `capabilities` must include sms. At most 2048 characters.
	 */
	smsWebhookUrl?: string;
	/** A name for people. At most 64 characters. */
	label?: string;
	/** Notes for people and programs. At most 20 keys of 1 to 40 characters, values of at most 500. */
	metadata?: Record<string, string>;
	/** The identity for regulated markets. */
	kycProfileId?: string;
	/** True if nothing may release the number: a delete leaves it on the account, and the service refuses a release. */
	releaseProtection?: boolean;
	/** E.164; undefined until the carrier has assigned one. */
	phoneNumber?: string;
	/**
	 * `pending`, `active`, `suspended`, `porting_out`, or the service's own word for active. Of a number that `adopt`
	 * names: `porting` while a port order is to bring it, `ported` until `up` takes it over, `not_porting` if no open
	 * order names it.
	 */
	status: string;
	/** True in regulated markets. */
	kycRequired: boolean;
	/** The state of the identity checks; undefined in open markets. */
	kyc?: Kyc;
	/** From voice, sms, mms, fax; sorted. A set. */
	capabilities?: string[];
	/** What it costs. Never compared: prices change. */
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
 * Reads a number that the account has, whoever manages it. It changes nothing.
 *
 * @example export const answer = telephony.getNumber({ id: "+31201234567" });
 */
export const getNumber = (args: GetNumberArgs): Promise<GetNumberResult> => call("getNumber", args);

/** As {@link getNumber}; its arguments may be outputs of resources. */
export const getNumberOutput = (args: Inputs<GetNumberArgs>): pulumi.Output<GetNumberResult> => later(args, getNumber);

export interface GetNumbersArgs {
	/** ISO 3166-1 alpha-2 in upper case, such as `NL`. */
	country?: Country;
	/** What kind of number. */
	type?: "geographic" | "mobile" | "toll_free" | "national";
	/** Area code within the country, such as `"20"`. 1 to 20 characters. */
	area?: string;
	/** Where it stands. Default: every number of the account that was not released or ported out and has not failed. */
	status?: "pending" | "active" | "suspended" | "porting_out" | "ported_out" | "releasing" | "released" | "failed";
	/** The whole label. */
	label?: string;
	/** Entries that it has, perhaps among others. At most 20 keys of 1 to 40 characters, values of at most 500. */
	metadata?: Record<string, string>;
}

export interface GetNumbersResult {
	/** In the order of the account's list. */
	numbers: AccountNumber[];
}

/**
 * Lists the account's numbers, whoever manages them: all of them, or the ones that match every filter.
 *
 * @example export const answer = telephony.getNumbers({ country: "NL", metadata: { team: "support" } });
 */
export const getNumbers = (args: GetNumbersArgs = {}): Promise<GetNumbersResult> => call("getNumbers", args);

/** As {@link getNumbers}; its arguments may be outputs of resources. */
export const getNumbersOutput = (args: Inputs<GetNumbersArgs> = {}): pulumi.Output<GetNumbersResult> =>
	later(args, getNumbers);

export interface GetTrunkArgs {
	/** The service's id, such as `trk_01`. */
	id: string;
}

/** Who may use the trunk: an IP access list, or a user with a password. The mode changes in place. */
export type PublicSipTrunkAuth =
	/** Public addresses or CIDRs without host bits. 1 to 100. A set. Example: `["198.51.100.0/24","203.0.113.9"]`. */
	| { mode: "ip_acl"; allowedCidrs: string[] }
	/** 4 to 32 letters, digits, dots, dashes or underscores. Example: `"office-pbx"`. */
	| { mode: "digest"; username: string };

export interface GetTrunkResult {
	/** The service's id. */
	id: string;
	/** What people call it; another trunk may have the same. 1 to 64 characters. */
	name?: string;
	/** Who may use it. */
	auth: PublicSipTrunkAuth;
	/** Concurrent channels, both directions. 1 to 10000. */
	capacity: number;
	/** New calls per second. 1 to 100. */
	callsPerSecond?: number;
	/** Where calls from the service are sent. At most 20. A set. */
	targets?: pulumi.Unwrap<SipTarget>[];
	/** How audio is encrypted. */
	mediaEncryption?: string;
	/** In order of preference. At least 1. */
	codecs?: string[];
	/** Whether calls go through. */
	enabled?: boolean;
	/** Notes for people and programs. At most 20 keys of 1 to 40 characters, values of at most 500. */
	metadata?: Record<string, string>;
	/** Where your equipment registers, and where it sends calls. */
	sipDomain: string;
	/** `provisioning`, `active`, `disabled`, `failed`, or the service's own word for active. */
	status: string;
	/** RFC 3339; shows when somebody else changed the password. */
	passwordUpdatedAt?: string;
	/** How many numbers point to the trunk; never compared. */
	numbersCount: number;
	/** RFC 3339. */
	createdAt: string;
	/** RFC 3339. */
	updatedAt: string;
}

/**
 * Reads a trunk that the account has, whoever manages it. Its password is not shown. It changes nothing.
 *
 * @example export const answer = telephony.getTrunk({ id: "trk_01" });
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
	/** The events that it receives; `"*"` stands for all. At least 1. A set. */
	events: string[];
	/** A note for people. At most 200 characters. */
	description?: string;
	/** Whether the service sends to it. */
	enabled?: boolean;
	/** The secret's last characters. */
	secretHint: string;
	/** Counts rotations; shows when somebody else rotated it. */
	secretVersion: number;
	/** `enabled`, `disabled`, or one that this version doesn't know. */
	status: string;
	/** RFC 3339. */
	createdAt: string;
	/** RFC 3339. */
	updatedAt: string;
}

/**
 * Reads a webhook that the account has, whoever manages it. Its secret is not shown. It changes nothing.
 *
 * @example export const answer = telephony.getWebhook({ id: "whk_01" });
 */
export const getWebhook = (args: GetWebhookArgs): Promise<GetWebhookResult> => call("getWebhook", args);

/** As {@link getWebhook}; its arguments may be outputs of resources. */
export const getWebhookOutput = (args: Inputs<GetWebhookArgs>): pulumi.Output<GetWebhookResult> =>
	later(args, getWebhook);

export interface GetAvailableNumbersArgs {
	/** ISO 3166-1 alpha-2 in upper case, such as `NL`. */
	country: Country;
	/** What kind of number. Default: all types, one after the other. */
	type?: "geographic" | "mobile" | "toll_free" | "national";
	/** Area code within the country, such as `"20"`. 1 to 20 characters. */
	area?: string;
	/** 1 to 15 digits that follow each other somewhere in the number. */
	contains?: string;
	/** What the number must be able to do. A set. */
	capabilities?: ("voice" | "sms" | "mms" | "fax")[];
	/** How many to list. 1 to 1000. Default: `20`. */
	limit?: number;
}

/** A number that is free now. */
export interface AvailableNumber {
	/** E.164. */
	phoneNumber: string;
	/** ISO 3166-1 alpha-2. */
	country?: string;
	/** What kind of number. */
	type?: string;
	/** Area code within the country. */
	area?: string;
	/** From voice, sms, mms, fax; sorted. A set. */
	capabilities?: string[];
	/** True in regulated markets. */
	kycRequired: boolean;
	/** What it costs. */
	price?: { setup: Money; monthly: Money };
}

export interface GetAvailableNumbersResult {
	/** The next purchase first. */
	numbers: AvailableNumber[];
}

/**
 * Lists numbers that are free now, the next purchase first. Others look too: a purchase gets the first that is
 * still free then, and no purchase can ask for a certain one.
 *
 * @example export const answer = telephony.getAvailableNumbers({ country: "NL", type: "mobile", limit: 5 });
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
	/** What kind of number. */
	type: "geographic" | "mobile" | "toll_free" | "national";
}

/** A document or a fact that a market asks for. */
export interface KycRequirement {
	/** The kind of a document, or the name of a property of the profile. */
	code: string;
	/** `document` or `text`. */
	kind: string;
	/** Whose profile needs it: `individual`, `business`. A set. */
	holders: string[];
	/** For people. */
	description: string;
}

export interface GetKycRequirementsResult {
	/** ISO 3166-1 alpha-2. */
	country: string;
	/** What kind of number. */
	type: string;
	/** True in regulated markets. */
	kycRequired: boolean;
	/** The documents to submit; empty in open markets. */
	requirements: KycRequirement[];
}

/**
 * Says what a market asks for before a number of the type becomes active there.
 *
 * @example export const answer = telephony.getKycRequirements({ country: "DE", type: "geographic" });
 */
export const getKycRequirements = (args: GetKycRequirementsArgs): Promise<GetKycRequirementsResult> =>
	call("getKycRequirements", args);

/** As {@link getKycRequirements}; its arguments may be outputs of resources. */
export const getKycRequirementsOutput = (
	args: Inputs<GetKycRequirementsArgs>,
): pulumi.Output<GetKycRequirementsResult> => later(args, getKycRequirements);
// #endregion
