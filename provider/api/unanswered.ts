/** Requests without an answer: whether they may have been carried out anyway, and what to do. */
import type { OperationName } from "./contract";
import { defined } from "./dialect/json";
import { isOwn, nextStep, TelephonyError } from "./errors";
import { ProxyError } from "./proxy";

// Failures before a byte of the request can have reached the service.
const unsentCodes = new Set([
	"ECONNREFUSED",
	"ENOTFOUND",
	"EAI_AGAIN",
	"EHOSTUNREACH",
	"ENETUNREACH",
	"UND_ERR_CONNECT_TIMEOUT",
]);

// The handshake failed, so that no byte of the request was sent; another try would fail the same way.
const untrusted =
	/^(CERT_|ERR_TLS_CERT_|UNABLE_TO_(VERIFY|GET|DECRYPT|DECODE)_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|HOSTNAME_MISMATCH|INVALID_CA$|INVALID_PURPOSE$|ERR_SSL_(WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS_AVAILABLE|PACKET_LENGTH_TOO_LONG|TLSV1_(UNRECOGNIZED_NAME|ALERT_PROTOCOL_VERSION)|(SSL\/TLS|SSLV3|TLS)_ALERT_HANDSHAKE_FAILURE))/;

interface Unanswered {
	readonly operation: OperationName;
	/** As messages call the request. */
	readonly doing: string;
	readonly origin: string;
	readonly error: unknown;
	redact(text: string): string;
}

/** The error for a request to `origin` that failed with this one; `sent` if the service may have received it. */
export function unanswered({ operation, doing, origin, error, redact }: Unanswered): {
	failed: TelephonyError;
	sent: boolean;
} {
	const code = errorCodeOf(error);
	const tunnel = proxyErrorIn(error);
	if (tunnel !== undefined) {
		const why = tunnel.status === undefined ? redact(causeOf(tunnel.cause)) : `HTTP ${tunnel.status}`;
		const message = `${doing} was not sent: the proxy ${tunnel.proxy} didn't connect to ${origin} (${why}).`;
		const messageCode = "proxy";
		return {
			failed: new TelephonyError("Unavailable", message, {
				operation,
				cause: error,
				messageCode,
				nextStep: proxyStep(tunnel),
			}),
			sent: false,
		};
	}
	if (untrusted.test(code)) {
		const message = `${doing} was not sent: no trusted TLS connection to ${origin} (${code}). Check telephony:baseUrl (or TELEPHONY_BASE_URL). For your own certificate authority or proxy, set NODE_EXTRA_CA_CERTS.`;
		return { failed: new TelephonyError("Config", message, { operation, cause: error }), sent: false };
	}
	const message = `${doing} got no response from ${origin}: ${redact(causeOf(error))}. Check your network and telephony:baseUrl (or TELEPHONY_BASE_URL), then run again.`;
	return {
		failed: new TelephonyError("Unavailable", message, { operation, cause: error }),
		sent: !unsentCodes.has(code),
	};
}

const proxyErrorIn = (error: unknown): ProxyError | undefined =>
	[error, (error as { cause?: unknown }).cause].find((each) => each instanceof ProxyError);

const proxyStep = ({ status }: ProxyError): string =>
	status === 407
		? "Add its user and password to HTTPS_PROXY, as http://USER:PASSWORD@HOST:PORT, then run again."
		: "Check HTTPS_PROXY and the proxy's rules, or add the service's host to NO_PROXY, then run again.";

/** Whether a request may have been carried out, after another failed try; `inDoubt` says so of the tries before. */
export function stillInDoubt(inDoubt: boolean, failed: TelephonyError, sent: boolean): boolean {
	const { kind, status, errorCode } = failed;
	// Another try of it may be under way at the service.
	if (errorCode === "idempotency_in_progress") return true;
	// This try was not carried out, which says nothing about earlier ones.
	if (!sent || status === 401 || status === 429) return inDoubt;
	const refused = isOwn(failed) && status !== undefined && status !== 408 && status < 500;
	return !refused && kind !== "Config" && kind !== "ContractMismatch";
}

export const outcomeUnknown = (failed: TelephonyError): TelephonyError => {
	const { operation, status, errorCode, requestId } = failed;
	return new TelephonyError("OutcomeUnknown", `${failed.message} The service may have carried out the request.`, {
		...defined({ operation, status, errorCode, requestId }),
		cause: failed,
	});
};

export function errorCodeOf(error: unknown): string {
	const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
	return String(code ?? cause?.code ?? "network");
}

function causeOf(error: unknown): string {
	// An AggregateError (all addresses refused) has no message of its own.
	const { message, errors } = error as { message?: string; errors?: { message: string }[] };
	return message || errors?.map((each) => each.message).join("; ") || errorCodeOf(error);
}

/** Nothing was sent: the service asks for a longer wait than a run makes. */
export function tooLong(operation: OperationName, doing: string, ms: number): TelephonyError {
	const message = `${doing} was not sent: the service requests a pause of ${Math.ceil(ms / 1000)} s. ${nextStep("RateLimited")}`;
	return new TelephonyError("RateLimited", message, { operation });
}
