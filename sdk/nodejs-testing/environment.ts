/** The variables by which programs, providers and commands find an account and the engine. They win over all configuration. */

export interface Service {
	readonly url: string;
	readonly apiKey: string;
}

type Variables = Readonly<Record<string, string>>;

/** An empty variable counts as not set, so the settings of a real account in the user's shell don't reach a test. */
export const environmentOf = ({ url, apiKey }: Service): Variables => ({
	TELEPHONY_API_KEY: apiKey,
	TELEPHONY_BASE_URL: url,
	TELEPHONY_ACCOUNT: "",
	TELEPHONY_ALLOW_HTTP: "",
	TELEPHONY_FEATURES: "",
	TELEPHONY_SERVICE: "",
	no_grpc_proxy: gRPCExceptions(process.env),
});

/**
 * Returns the hosts that gRPC reaches without a proxy: the user's own, and this machine, where the engine is. The gRPC
 * libraries of Node.js and Python don't trim the names, and don't spare this machine by themselves.
 */
const gRPCExceptions = ({ no_grpc_proxy, no_proxy, NO_PROXY }: NodeJS.ProcessEnv): string => {
	const hosts = (no_grpc_proxy || no_proxy || NO_PROXY || "").split(",").map((host) => host.trim());
	return [...new Set([...hosts, "127.0.0.1", "localhost"])].filter(Boolean).join();
};

/** Sets them in this process. @returns what puts back the ones before */
export function pretend(variables: Variables): () => void {
	const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
	Object.assign(process.env, variables);
	return () => {
		for (const [name, value] of before)
			if (value === undefined) delete process.env[name];
			else process.env[name] = value;
	};
}
