/** The destination of calls: one tagged union, replaced whole, with one level of failover. */
import { z } from "zod";
import { isLoopback } from "../api/address";
import { CreateWebhook, destinations, ringTimeout, routeTypes } from "../api/contract";
import { canonicalSipUri, canonicalUrl, withCaselessNames } from "./canonical";
import { type Field, type Fields, text, unspaced, urlForm } from "./form";
import { boundsOf, whole } from "./limits";
import { unionOf } from "./object";
import { e164, e164Form } from "./phone";
import type { Property } from "./table";

const httpsUrl = () =>
	z
		.string()
		.max(boundsOf(destinations.webhook.url).most)
		.refine(isHttpsUrl, "must be an https URL without credentials, such as https://hooks.example.com/calls");
/** A URL that the service can deliver to. Loopback is allowed for the emulator. */
export const deliverableUrl = () =>
	z
		.string()
		.max(boundsOf(CreateWebhook.shape.url).most)
		.refine(
			isDeliverable,
			"must be an https URL without credentials or fragment, such as https://hooks.example.com/telephony (plain http for loopback only)",
		);
const sipUri = () =>
	z
		.string()
		.max(boundsOf(destinations.sip_uri.uri).most)
		.refine(
			(uri) => canonicalSipUri(uri) !== undefined,
			"must be a SIP URI without password or headers, such as sip:desk@pbx.example.com;transport=tls. Escape other characters of the user, such as a space as %20",
		);
/** The id of another object at the service. */
export const idOfOther = () => z.string().min(1, "must be an id, but is empty");

const ringTimeoutSeconds: Field = {
	type: () => whole(ringTimeout()),
	description: "Ringing time in seconds before the call goes to the failover.",
	serverDefault: true,
	otherwise: "the service's (assumed 30)",
};

/** The fields of each kind of destination. */
const kinds = {
	trunk: { trunkId: { type: idOfOther, required: true, description: "Id of a SipTrunk." } },
	sip_uri: {
		uri: {
			type: sipUri,
			required: true,
			description:
				"RFC 3261, such as `sip:desk@pbx.example.com;transport=tls`, without a password or headers. The provider sends it unchanged.",
			form: text(
				canonicalSipUri,
				"upper or lower case in scheme, host and names of parameters, punycode, escaped letters",
				{
					lenient: withCaselessNames,
					accepted: unspaced,
				},
			),
		},
	},
	forward: {
		to: {
			type: e164,
			required: true,
			takesOptional: true,
			description: "Phone number in E.164, with its `+`.",
			form: e164Form,
		},
	},
	webhook: {
		url: {
			type: httpsUrl,
			required: true,
			description: "https URL without credentials. The service requests instructions for each call from it.",
			form: urlForm,
		},
	},
	agent: { agentId: { type: idOfOther, required: true, description: "Id of a voice agent." } },
} satisfies Record<(typeof routeTypes)[number], Fields>;

const destination = {
	tag: "type",
	says: "Kind of the destination.",
	variants: { name: "Destination", description: "One destination; `type` selects its kind.", of: kinds },
	error: `must be one of ${routeTypes.join(", ")}`,
};
const failover = unionOf({
	...destination,
	common: { ringTimeoutSeconds },
	named: {
		name: "Failover",
		description: "Second destination, used if the first doesn't answer. A failover has no failover of its own.",
	},
});
const route = unionOf({
	...destination,
	common: { ringTimeoutSeconds, failover: { ...failover, description: "Second destination, used if nobody answers." } },
	named: {
		name: "Routing",
		description: "Destination of inbound calls. A change replaces the whole routing, so omitted fields are cleared.",
	},
});

export const routing: Property = {
	...route,
	description: "Destination of inbound calls. Without it, calls aren't delivered.",
	example: { type: "sip_uri", uri: "sip:desk@pbx.example.com" },
	wire: "routing",
	severity: "high",
};

/** Returns undefined for a URL with credentials. */
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
