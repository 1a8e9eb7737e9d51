/** The errors of requests without a response. */
import { type OperationName, operations } from "./contract";
import { TelephonyError } from "./errors";
import { largestHeaders } from "./wire";

// Failures before a byte of the request can have reached the service.
const unsent =
	/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|UND_ERR_(PRX|SOCKS5)\w*)$/;
/** Node has no code of its own for a connection that ended in the handshake. */
const neverSecure = /before secure TLS connection was established/;
/** Undici has no code of its own for a proxy that refuses to connect. */
const refusedByProxy = /Proxy response \((\d+)\)/;

// The handshake failed, so that no byte of the request was sent. Another try would fail in the same way.
const untrusted =
	/^(CERT_|ERR_TLS_CERT_|UNABLE_TO_(VERIFY|GET|DECRYPT|DECODE)_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|HOSTNAME_MISMATCH|INVALID_CA$|INVALID_PURPOSE$|ERR_SSL_(WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS_AVAILABLE|PACKET_LENGTH_TOO_LONG|TLSV1_(UNRECOGNIZED_NAME|ALERT_PROTOCOL_VERSION)|(SSL\/TLS|SSLV3|TLS)_ALERT_HANDSHAKE_FAILURE))/;

interface NoResponse {
	readonly operation: OperationName;
	/** The request in messages, such as `GET /numbers`. */
	readonly doing: string;
	readonly baseUrl: string;
	readonly proxy: string | undefined;
	readonly error: unknown;
	redact(text: string): string;
}

/** Makes the error of a failed request; `sent` is true if the service may have received it. */
export function noResponse({ operation, doing, baseUrl, proxy, error, redact }: NoResponse): {
	failed: TelephonyError;
	sent: boolean;
} {
	const { origin } = new URL(baseUrl);
	const code = errorCodeOf(error);
	const [, status] = refusedByProxy.exec(String(error)) ?? [];
	const sent = !unsent.test(code) && !neverSecure.test(String(error)) && status === undefined;
	if (proxy !== undefined && !sent && !untrusted.test(code)) {
		const why = status === undefined ? redact(causeOf(error)) : `HTTP ${status}`;
		const message = `${doing} was not sent: the proxy ${proxy} didn't connect to ${origin} (${why}).`;
		const nextStep =
			status === "407"
				? "Add its user and password to HTTPS_PROXY, as http://USER:PASSWORD@HOST:PORT, then run again."
				: "Check HTTPS_PROXY, or add the host to NO_PROXY.";
		const details = { operation, cause: error, messageCode: "proxy", nextStep } as const;
		return { failed: new TelephonyError("Unavailable", message, details), sent: false };
	}
	if (untrusted.test(code)) {
		const message = `${doing} was not sent: no trusted TLS connection to ${origin} (${code}). Check telephony:baseUrl (or TELEPHONY_BASE_URL). For your own certificate authority or proxy, set NODE_EXTRA_CA_CERTS.`;
		return { failed: new TelephonyError("Config", message, { operation, cause: error }), sent: false };
	}
	const message = `${doing} got no response from ${origin}: ${redact(causeOf(error))}.`;
	const isWrite = sent && operations[operation].method !== "GET";
	const next = isWrite ? "run `pulumi up --refresh`, because the change may have been made" : "run again";
	const nextStep = `Check your network and telephony:baseUrl (or TELEPHONY_BASE_URL), then ${next}.`;
	const failed = new TelephonyError("Unavailable", message, { operation, cause: error, nextStep });
	return { failed, sent };
}

export function errorCodeOf(error: unknown): string {
	const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
	return String(code ?? cause?.code ?? "network");
}

function causeOf(error: unknown): string {
	if (errorCodeOf(error) === "UND_ERR_HEADERS_OVERFLOW")
		return `the headers of its response exceed the limit of ${largestHeaders / 1024} KiB`;
	// An AggregateError (all addresses refused) has no message of its own.
	const { message, errors } = error as { message?: string; errors?: { message: string }[] };
	return message || errors?.map((cause) => cause.message).join("; ") || errorCodeOf(error);
}
