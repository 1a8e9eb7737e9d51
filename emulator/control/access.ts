import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { ServiceError } from "../request/errors";
import { fitsHost, type HostPattern, hostOf } from "../service/hosts";
import { userAgent } from "../service/post";

/** Access to the control API and the console from other hosts. */
export interface AccessOptions {
	/** Admits other hosts that send it. */
	readonly controlToken: string | undefined;
	/** Accepted names in the header `Host`, besides those of loopback. */
	readonly allowedHosts: readonly HostPattern[];
}

export interface Asker {
	readonly headers: Headers;
	readonly remoteAddress: string | undefined;
	/** Value of the console's cookie. */
	readonly session?: string | undefined;
}

export type Access = ReturnType<typeof createAccess>;

const loopbackNames = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;
const loopbackAddresses = /^(127\.|::1$|::ffff:127\.)/;

/** Digests have equal lengths, so that comparing them takes the same time. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

/** Returns the key or token of a request. */
export const bearerOf = (headers: { get(name: string): string | null }): string | undefined =>
	/^bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];

const forbidden = (message: string) => new ServiceError("forbidden", message);

/** True if a proxy on this machine forwards the request of another host. */
const isForwarded = (headers: Headers): boolean =>
	["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"].some((name) => headers.has(name));

const checkOrigin = (headers: Headers, isTrusted: boolean): void => {
	const site = headers.get("origin")?.toLowerCase();
	const host = headers.get("host")?.toLowerCase();
	if (site === undefined || site === `http://${host}` || (isTrusted && site === `https://${host}`)) return;
	throw forbidden("The control API refuses pages of other origins.");
};

export const createAccess = ({ controlToken, allowedHosts }: AccessOptions) => {
	/** Not the token: a browser sends cookies to every port of a host. */
	const session = randomBytes(32).toString("base64url");

	const checkHost = (host: string, isTrusted: boolean): void => {
		const named = hostOf(host);
		if (loopbackNames.test(host) || (named !== undefined && fitsHost(allowedHosts, named))) return;
		// DNS rebinding needs a name, not an address.
		if (isTrusted && named !== undefined && isIP(named.name) !== 0) return;
		throw forbidden(
			"The control API accepts the host names localhost, 127.0.0.1, [::1] and those of --allowed-hosts only.",
		);
	};

	const checkPage = (headers: Headers, isTrusted: boolean): void => {
		checkHost(headers.get("host") ?? "", isTrusted);
		checkOrigin(headers, isTrusted);
	};

	const isToken = (sent: string): boolean => controlToken !== undefined && isSame(sent, controlToken);

	/** True if the request has the token or session; programs on this machine need neither. @throws ServiceError */
	const authenticate = ({ headers, session: sentSession }: Asker, isLocal: boolean): boolean => {
		const sent = bearerOf(headers);
		const isTrusted = sent === undefined ? sentSession !== undefined && isSame(sentSession, session) : isToken(sent);
		if (isTrusted || (sent === undefined && isLocal && !isForwarded(headers))) return isTrusted;
		throw new ServiceError(
			"unauthorized",
			`The control token is ${sent === undefined ? "missing" : "wrong"}: send it in the header Authorization: Bearer <CONTROL_TOKEN>.`,
			undefined,
			{ "WWW-Authenticate": "Bearer" },
		);
	};

	return {
		/** @throws ServiceError `unauthorized` if a token would give access, otherwise `forbidden` */
		check: (asker: Asker): void => {
			const { headers, remoteAddress } = asker;
			// A webhook to the control API could reset the account.
			if (headers.get("user-agent") === userAgent) throw forbidden("The control API doesn't accept webhooks.");
			const isLocal = loopbackAddresses.test(remoteAddress ?? "");
			if (controlToken === undefined && !isLocal)
				throw forbidden("The control API accepts this machine only. --control-token admits other hosts.");
			checkPage(headers, controlToken !== undefined && authenticate(asker, isLocal));
		},
		/** Returns the console's cookie; undefined for a wrong token. @throws ServiceError for a wrong host or origin */
		signIn: ({ headers }: Asker, token: string): string | undefined => {
			const isRight = isToken(token);
			checkPage(headers, isRight);
			return isRight ? session : undefined;
		},
	};
};
