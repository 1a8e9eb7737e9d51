/** Secrets that a service may repeat in what it answers: they are in no error and no log. */

/** Takes the API key, and each password of the request's body, out of a text. */
export function redactor(apiKey: string, body: unknown): (text: string) => string {
	const passwords = passwordsIn(body);
	return (text) =>
		passwords.reduce((rest, password) => rest.replaceAll(password, "[secret]"), text.replaceAll(apiKey, "[key]"));
}

function passwordsIn(value: unknown): string[] {
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([name, item]) =>
		name === "password" && typeof item === "string" && item !== "" ? [item] : passwordsIn(item),
	);
}
