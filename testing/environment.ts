/** The variables by which programs, providers and commands find an account. They win over all configuration. */

export interface Service {
	readonly url: string;
	readonly apiKey: string;
}

type Variables = Readonly<Record<string, string>>;

/** An empty one counts as not set: what somebody's shell says of a real account must not reach a test. */
export const environmentOf = ({ url, apiKey }: Service): Variables => ({
	TELEPHONY_API_KEY: apiKey,
	TELEPHONY_BASE_URL: url,
	TELEPHONY_ALLOW_HTTP: "",
	TELEPHONY_FEATURES: "",
	TELEPHONY_SERVICE: "",
});

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
