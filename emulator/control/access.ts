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

/** Headers that proxies, tunnels and content networks add. */
const ofProxy =
	/^(forwarded|via|cdn-loop|x-(forwarded|real|original|envoy|arr|azure|amzn)(-.*)?|(.*-)?(client|connecting)-?ip)$/;

/** True if a proxy forwards the request, perhaps of another host. */
const isForwarded = (headers: Headers): boolean => [...headers.keys()].some((name) => ofProxy.test(name));

/** Returns the hosts that were requested before a proxy forwarded the request. */
const requestedHosts = (headers: Headers): string[] => {
	const named = (headers.get("x-forwarded-host") ?? headers.get("x-original-host") ?? "").split(",");
	const forwarded = [...(headers.get("forwarded") ?? "").matchAll(/host="?([^";,]*)/gi)].map(([, host = ""]) => host);
	const hosts = [...named, ...forwarded].map((host) => host.trim()).filter((host) => host !== "");
	return hosts.length > 0 ? hosts : [headers.get("host") ?? ""];
};

const checkOrigin = (headers: Headers, isTrusted: boolean): void => {
	const site = headers.get("origin")?.toLowerCase();
	const host = headers.get("host")?.toLowerCase();
	if (site === undefined || site === `http://${host}` || (isTrusted && site === `https://${host}`)) return;
	throw forbidden("The control API refuses pages of other origins.");
};

const isAllowed = (host: string, allowedHosts: readonly HostPattern[]): boolean => {
	const named = hostOf(host);
	return named !== undefined && fitsHost(allowedHosts, named);
};

/** A proxy changes the host, and makes another machine's request look like one of this machine. */
const checkForwarded = (headers: Headers, allowedHosts: readonly HostPattern[]): void => {
	if (!isForwarded(headers) || requestedHosts(headers).every((host) => isAllowed(host, allowedHosts))) return;
	throw forbidden(
		"The control API refuses requests that a proxy forwards, unless --allowed-hosts names the requested host.",
	);
};

/** A web page could send the public default key under a host name of its own. */
const checkApi = ({ headers, remoteAddress }: Asker, allowedHosts: readonly HostPattern[]): boolean => {
	const host = headers.get("host") ?? "";
	const named = hostOf(host);
	const isAddress = named !== undefined && isIP(named.name) !== 0;
	if (!isAddress && !loopbackNames.test(host) && !isAllowed(host, allowedHosts))
		throw forbidden("The service accepts localhost, IP addresses and the names of --allowed-hosts only.");
	return loopbackAddresses.test(remoteAddress ?? "") && !isForwarded(headers);
};

export const createAccess = ({ controlToken, allowedHosts }: AccessOptions) => {
	/** Not the token: a browser sends cookies to every port of a host. */
	const session = randomBytes(32).toString("base64url");

	const checkHost = (host: string, isTrusted: boolean): void => {
		const named = hostOf(host);
		if (loopbackNames.test(host) || isAllowed(host, allowedHosts)) return;
		// DNS rebinding needs a name, not an address.
		if (isTrusted && named !== undefined && isIP(named.name) !== 0) return;
		throw forbidden(
			"The control API accepts the host names localhost, 127.0.0.1, [::1] and those of --allowed-hosts only.",
		);
	};

	const checkPage = (headers: Headers, isTrusted: boolean): void => {
		checkForwarded(headers, allowedHosts);
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
		/** True for a request to `/v1` of this machine. @throws ServiceError `forbidden` */
		checkApi: (asker: Asker): boolean => checkApi(asker, allowedHosts),
		/** Returns the console's cookie; undefined for a wrong token. @throws ServiceError for a wrong host or origin */
		signIn: ({ headers }: Asker, token: string): string | undefined => {
			const isRight = isToken(token);
			checkPage(headers, isRight);
			return isRight ? session : undefined;
		},
	};
};
