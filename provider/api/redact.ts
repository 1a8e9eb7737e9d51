/** Masks secrets that a service may repeat in its responses: no form of them appears in an error, a log or the state. */
import { secretFields } from "./contract";

/** One form of a secret, and what replaces it. */
interface SecretForm {
	readonly text: string;
	readonly label: string;
	/** A short secret may be part of any word, so it is masked only as a whole word. */
	readonly isWord: boolean;
}

/** Replaces a secret that isn't the key. */
const label = "[secret]";
/** Shorter values are not masked: that would make any text unreadable. */
const shortest = 4;
const short = 8;
/** Longer secrets, such as documents, are masked only in the response to their own request. */
const longest = 4096;
/** The shortest beginning of a secret, in characters, that is masked at the end of a text. */
const shortestCut = 6;

/** The known secrets: the key, and each value seen in a secret field of the contract. */
export class Secrets {
	readonly #values = new Set<string>();
	#keys: readonly SecretForm[] = [];
	/** All forms, made for the first text to mask: most runs have none. */
	#sorted: readonly SecretForm[] | undefined;

	addKey(key: string): void {
		this.#keys = [...this.#keys, ...formsOf(key, "[key]")];
		this.#sorted = undefined;
	}

	/** Remembers the secrets in a request, a response, or a resource's properties, and returns them. */
	note(value: unknown): readonly string[] {
		const found = secretsIn(value);
		for (const secret of found) {
			if (secret.length > longest || this.#values.has(secret)) continue;
			this.#values.add(secret);
			this.#sorted = undefined;
		}
		return found;
	}

	/** Masks all known secrets in the text, and those in `also`, which may be too long to be remembered. */
	mask(text: string, also: readonly string[] = []): string {
		this.#sorted ??= longestFirst([...this.#keys, ...[...this.#values].flatMap((secret) => formsOf(secret, label))]);
		const unknown = also.filter((secret) => !this.#values.has(secret));
		return without(this.#sorted, without(longestFirst(unknown.flatMap((secret) => formsOf(secret, label))), text));
	}

	/** Masks only the key and these secrets, which is fast enough for every request. */
	maskOnly(text: string, these: readonly string[]): string {
		return without(longestFirst([...this.#keys, ...these.flatMap((secret) => formsOf(secret, label))]), text);
	}
}

/** Runs several times for each of many resources, so it makes no objects on the way. */
function secretsIn(value: unknown, found: string[] = []): string[] {
	if (typeof value !== "object" || value === null) return found;
	for (const [name, item] of Object.entries(value)) {
		if (typeof item !== "string") secretsIn(item, found);
		else if (item.length >= shortest && isSecretField(name)) found.push(item);
	}
	return found;
}

/** Takes a name of the service or of a property. */
const isSecretField = (name: string): boolean =>
	secretFields.has(name) ||
	(upperCase.test(name) && secretFields.has(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)));

const upperCase = /[A-Z]/;

/** Sorts longer forms first, as one form may be part of another. */
const longestFirst = (forms: readonly SecretForm[]): SecretForm[] =>
	[...forms].sort((a, b) => b.text.length - a.text.length);

function without(forms: readonly SecretForm[], text: string): string {
	let rest = text;
	for (const { text: form, label, isWord } of forms) {
		if (!rest.includes(form)) continue;
		rest = isWord
			? rest.replace(new RegExp(`(?<![\\p{L}\\p{N}])${escaped(form)}(?![\\p{L}\\p{N}])`, "gu"), label)
			: rest.replaceAll(form, label);
	}
	return withoutCut(forms, rest);
}

/** Masks the beginning of a secret at the end of a text: services cut long values. */
function withoutCut(forms: readonly SecretForm[], text: string): string {
	const end = text.replace(/[.…"'\\\s)\]}]+$/u, "");
	for (const { text: form, label } of forms) {
		const from = form.length > shortestCut ? end.lastIndexOf(form.slice(0, shortestCut)) : -1;
		if (from >= 0 && form.startsWith(end.slice(from))) return `${end.slice(0, from)}${label}${text.slice(end.length)}`;
	}
	return text;
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** As it is, as JSON writes it (once, or within JSON), as URLs and forms do, and in base64, also among other bytes. */
function formsOf(secret: string, label: string): readonly SecretForm[] {
	const isWord = secret.length < short;
	const json = [inJson(secret)].flatMap((text) => [
		text,
		inAscii(text),
		inAscii(text).replace(/\\u[0-9a-f]{4}/g, upper),
	]);
	const slashed = json.map((text) => text.replaceAll("/", "\\/"));
	const url = encodeURIComponent(Buffer.from(secret).toString());
	const strict = url.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
	// Forms escape `~` too; some leave `*` as it is.
	const form = strict.replaceAll("~", "%7E");
	const escapes = [url, strict, form, form.replaceAll("%2A", "*")];
	const urls = [...escapes, ...escapes.map((text) => text.replaceAll("%20", "+"))];
	const texts =
		secret.length > longest
			? [secret, ...slashed, ...urls]
			: [
					secret,
					...json,
					...slashed,
					...[...json, ...slashed].map(inJson),
					...urls,
					...urls.map((text) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
					...inBase64(secret, isWord),
				];
	return [...new Set(texts)].map((text) => ({ text, label, isWord }));
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const inAscii = (text: string): string =>
	text.replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);

const upper = (code: string): string => `\\u${code.slice(2).toUpperCase()}`;

/** Among other bytes it begins at one of three offsets in a group. Characters that mix in a neighbour are left out. */
function inBase64(secret: string, isWord: boolean): string[] {
	const bytes = Buffer.from(secret);
	const whole = bytes.toString("base64");
	const amid = [0, 1, 2].map((before) => {
		const all = Buffer.concat([Buffer.alloc(before), bytes]);
		return all.toString("base64").slice(Math.ceil((before * 4) / 3), Math.floor((all.length * 4) / 3));
	});
	const forms = [whole, whole.replace(/=+$/, ""), ...(isWord ? [] : amid)];
	return [...forms, ...forms.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))];
}
