/** Where calls go: one tagged union, replaced whole, with one level of failover. */
import { z } from "zod";
import { isLoopback } from "../api/address";
import { routeTypes } from "../api/contract";
import { canonicalE164, canonicalSipUri, canonicalUrl } from "./canonical";
import { type Form, scalar, text, urlForm } from "./form";
import type { Property } from "./table";

const e164 = z
	.string()
	.refine((value) => canonicalE164(value) !== undefined, "must be a phone number in E.164, such as +49301234567");
const httpsUrl = z
	.string()
	.max(2048)
	.refine(isHttpsUrl, "must be an https URL without credentials, such as https://hooks.example.com/calls");
/** An address that the service can deliver to. A laptop's is allowed too: it receives what its emulator sends. */
export const deliverableUrl = z
	.string()
	.max(2048)
	.refine(
		isDeliverable,
		"must be an https URL without credentials or fragment, such as https://hooks.example.com/telephony (plain http for loopback only)",
	);
const sipUri = z
	.string()
	.max(255)
	.refine(
		(value) => canonicalSipUri(value) !== undefined,
		"must be a SIP URI without a password, such as sip:desk@pbx.example.com;transport=tls",
	);
const ringTimeoutSeconds = z
	.int("must be a whole number of seconds from 5 to 300")
	.min(5, "must be at least 5 seconds")
	.max(300, "must be at most 300 seconds");
/** The id of another object at the service. */
export const idOfOther = z.string().min(1, "must be an id, and is empty");

const route = <F extends z.core.$ZodLooseShape>(rest: F) =>
	z.discriminatedUnion(
		"type",
		[
			z.strictObject({ type: z.literal("trunk"), trunkId: idOfOther, ...rest }),
			z.strictObject({ type: z.literal("sip_uri"), uri: sipUri, ...rest }),
			z.strictObject({ type: z.literal("forward"), to: e164, ...rest }),
			z.strictObject({ type: z.literal("webhook"), url: httpsUrl, ...rest }),
			z.strictObject({ type: z.literal("agent"), agentId: idOfOther, ...rest }),
		],
		{ error: `must be one of ${routeTypes.join(", ")}` },
	);
const failover = route({ ringTimeoutSeconds: ringTimeoutSeconds.optional() });

const routeFields = {
	type: { form: scalar },
	trunkId: { form: scalar },
	uri: { form: text(canonicalSipUri, "upper or lower case in scheme, host and parameters") },
	to: { form: text(canonicalE164, "spaces and punctuation, a missing `+`") },
	url: { form: urlForm },
	agentId: { form: scalar },
	ringTimeoutSeconds: { form: scalar, serverDefault: true },
} as const;
const failoverForm: Form = { kind: "object", tag: "type", variants: routeTypes, fields: routeFields };
const routingForm: Form = { ...failoverForm, fields: { ...routeFields, failover: { form: failoverForm } } };

export const routing: Property = {
	type: route({ ringTimeoutSeconds: ringTimeoutSeconds.optional(), failover: failover.optional() }),
	wire: "routing",
	form: routingForm,
	severity: "high",
};

/** Without credentials. */
function parsed(value: string): URL | undefined {
	const url = canonicalUrl(value) === undefined ? undefined : new URL(value.trim());
	return url?.username === "" && url.password === "" ? url : undefined;
}

function isHttpsUrl(value: string): boolean {
	return parsed(value)?.protocol === "https:";
}

function isDeliverable(value: string): boolean {
	const url = parsed(value);
	return url !== undefined && (url.protocol === "https:" || isLoopback(url.hostname)) && !value.includes("#");
}
