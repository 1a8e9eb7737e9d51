/** The rules of plain prose. */

export interface Text {
	/** `message` is the text of an error or a warning; `string` is any other sentence in code. */
	readonly kind: "page" | "comment" | "message" | "string" | "title" | "name";
	readonly line: number;
	readonly text: string;
}

export interface Finding {
	readonly kind: Text["kind"];
	readonly rule: Rule;
	readonly line: number;
	readonly text: string;
}

export type Rule = "long sentence" | "headless sentence" | "phrase" | "long message" | "vague name" | "long title";

const maxWords = 30;
const maxMessage = 300;
const maxTitle = 70;

const headless = /^(what|which|whatever|whether|nobody|somebody|else|the same) (?!.*\?$)/i;

const vagueNames = new Set(
	"its one other said told heard shown left going again now own known twice somebody nobody whatever".split(" "),
);

/** The comment beside each phrase is its replacement. */
const phrases: readonly RegExp[] = [
	/\bas long as\b/, // while
	/\bany more\b/, // no longer
	/\b(goes|go|went|going) on\b/, // continue
	/\b(is|are|was|were) gone\b/, // deleted, not found
	/\bways? out\b/, // fix
	/\b(takes?|taken|took|taking) over\b/, // adopt, resume
	/(?<!\bthere )\b(is|are) no (?!longer\b)/, // isn't a
	/\bsomebody\b|\bnobody (has|had|knows|asked|said)\b/, // name the actor
	/\b(is|was|are|were) (told|heard)\b/, // is reported
	/\bhas it not\b/, // if it doesn't have
	/, else\b/, // otherwise
	/\b(papers|deeds?|untold)\b/, // documents; actions; unknown
	/\b(look|looks|looked) again\b/, // re-read
	/\bnames? (it|them) otherwise\b/, // uses other names
	/\blike numbers?\b(?! [+\d])/, // matching number
	/(?<!\bin )\bfronts?\b(?! (desk|door|matter|page|end)s?\b)/, // dynamic provider, plugin
];

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** Returns the rules that a text breaks. `isMessage` is true if its length counts. */
export function findingsOf({ kind, line, text }: Text, isMessage = false): Finding[] {
	const found = (rule: Rule, excerpt = text): Finding => ({ rule, kind, line, text: excerpt });
	if (kind === "name") return vagueNames.has(text) ? [found("vague name")] : [];
	if (kind === "title") return text.length > maxTitle ? [found("long title")] : [];
	return [
		...(isMessage && text.split("\n\n").some((paragraph) => paragraph.length > maxMessage)
			? [found("long message")]
			: []),
		...sentencesOf(text).flatMap((sentence) => [
			...(wordsIn(sentence) > maxWords ? [found("long sentence", sentence)] : []),
			...(headless.test(sentence) ? [found("headless sentence", sentence)] : []),
			...(phrases.some((phrase) => phrase.test(sentence.toLowerCase())) ? [found("phrase", sentence)] : []),
		]),
	];
}

/** A piece of code counts as one word. Paragraphs, items of a list and JSDoc tags end a sentence too. */
const sentencesOf = (text: string): string[] =>
	text
		.replaceAll(/`[^`]*`/g, "Code")
		.split(/\n\s*(?:\n|[-*] |@)/)
		.flatMap((part) => [...segmenter.segment(part.replaceAll(/\s+/g, " "))])
		.map(({ segment }) => segment.trim());

const wordsIn = (sentence: string): number => sentence.split(" ").filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
