/**
 * The figures of a page that show chopped, defensive or passive text. Each has a limit, which no page may exceed. A line of
 * code has a limit too.
 */

export interface Finding {
	readonly file: string;
	readonly line: number;
	readonly rule: string;
	readonly text: string;
}

interface Passage {
	readonly line: number;
	readonly text: string;
	/** False for a cell of a table. */
	readonly isParagraph: boolean;
}

const shortWords = 8;
/** Cells with fewer words are names and values. */
const leastWords = 4;
/** Most negations in a hundred sentences. */
const mostNegations = 25;

/** The characters of a code block on the site, at a window of 1360 px: see site/src/styles/site.css. */
const codeWidth = 84;
/** The button that copies the block takes room from its first line. */
const buttonWidth = 4;
/** An item of a list takes room from its blocks. */
const itemWidth = 5;
const tab = "  ";

const negation = /\b(?:not|never|nothing|none|nobody|neither|nor|cannot|no)\b|n['’]t\b/gi;
const actions = "bought|released|adopted|resumed|retained|claimed|sold";
/** "is bought", unless its actor follows, or is unknown. */
const withoutActor = new RegExp(
	`\\b(?:is|are|was|were|be|been|isn't|aren't|wasn't) (?:${actions})\\b(?! (?:by|outside)\\b)`,
	"gi",
);
/** "the old one": the noun is clearer. */
const pronoun =
	/\b(?:an?|another|the|this|that|old|new|other|second|first|last|next|right|wrong|same|own|real|current|declared|live|earlier|later|extra|few|each) ones?\b(?!['’-])/gi;
/** A cell that begins with a verb has no subject. */
const headless =
	/^(?:is|are|was|were|may|might|can|cannot|can't|must|has|have|had|does|doesn't|do|don't|isn't|aren't|will|won't|should|would)\b/i;

const rules: readonly { readonly rule: string; find(passage: Passage): readonly string[] }[] = [
	{ rule: "no actor", find: ({ text }) => text.match(withoutActor) ?? [] },
	{ rule: "pronoun one", find: ({ text }) => text.match(pronoun) ?? [] },
	{ rule: "no subject", find: ({ text, isParagraph }) => (isParagraph ? [] : (text.match(headless) ?? [])) },
	{ rule: "chopped", find: ({ text, isParagraph }) => (isParagraph ? choppedIn(text) : []) },
];

/** The sentences and cells that break a rule, and a page with too many negations. */
export function findingsOfPage(file: string, content: string): readonly Finding[] {
	const passages = passagesOf(content);
	const found: Finding[] = passages.flatMap((passage) =>
		rules.flatMap(({ rule, find }) =>
			find(passage).map((part) => ({ file, line: passage.line, rule, text: `${part}: ${passage.text}` })),
		),
	);
	found.push(...wideCodeIn(content).map((finding) => ({ file, ...finding })));
	const share = negationsIn(passages);
	if (share <= mostNegations) return found;
	const text = `${share} negations in 100 sentences, and ${mostNegations} are allowed: say what happens instead`;
	return [...found, { file, line: 1, rule: "negations", text }];
}

/** Finds lines of code that are wider than their block. Output (`text`) is as the program prints it, so the site wraps it. */
function wideCodeIn(content: string): readonly Omit<Finding, "file">[] {
	const blocks = [...content.matchAll(/^( *)```(\w*).*\n([\s\S]*?)^ *```$/gm)];
	return blocks.flatMap(({ index, 1: indent = "", 2: language, 3: code = "" }) => {
		if (language === "text") return [];
		const line = content.slice(0, index).split("\n").length + 1;
		const width = codeWidth - (indent === "" ? 0 : itemWidth);
		return code.split("\n").flatMap((text, row) => {
			const { length } = text.slice(indent.length).replaceAll("\t", tab);
			const most = row === 0 ? width - buttonWidth : width;
			if (length <= most) return [];
			return { line: line + row, rule: "wide code", text: `${length} characters, and ${most} fit: ${text}` };
		});
	});
}

function negationsIn(passages: readonly Passage[]): number {
	const sentences = passages.flatMap(({ text }) => sentencesOf(text)).filter((text) => wordsIn(text) >= leastWords);
	const count = sentences.reduce((sum, sentence) => sum + (sentence.match(negation)?.length ?? 0), 0);
	return Math.round((100 * count) / Math.max(sentences.length, 1));
}

/** Returns three short sentences in a row. */
function choppedIn(text: string): readonly string[] {
	const sentences = sentencesOf(text);
	const isShort = (sentence = "") => wordsIn(sentence) <= shortWords;
	return sentences.flatMap((_, index) => {
		const row = sentences.slice(index, index + 3);
		return row.length === 3 && row.every(isShort) ? [row.join(" ")] : [];
	});
}

const wordsIn = (text: string): number => text.split(/\s+/).filter((word) => /\w/.test(word)).length;

/** A paragraph or an item ends its last sentence; an abbreviation or a code ends none. */
const sentencesOf = (text: string): readonly string[] =>
	text.split(/(?<=[.!?]["”)]?)\s+(?=["“(*[`]*[A-Z`])/).filter(Boolean);

/** The paragraphs, items and cells of a page, without fences, headings and comments. Inline code is a word. */
function passagesOf(content: string): readonly Passage[] {
	const lines = content
		.replace(/^---\n[\s\S]*?^---\n/, blank)
		.replaceAll(/^ *```[\s\S]*?^ *```$/gm, blank)
		// Output of a program: a real run, and quoted messages.
		.replaceAll(/<!-- a real [\s\S]*?<!-- its end -->/g, blank)
		.replaceAll(/^> .*\[telephony:.*$/gm, blank)
		.replaceAll(/<!--[\s\S]*?-->/g, blank)
		.split("\n");
	const passages: { line: number; text: string; isParagraph: boolean }[] = [];
	let open: { line: number; text: string; isParagraph: boolean } | undefined;
	for (const [index, line] of lines.entries()) {
		const text = plain(line);
		if (/^\s*\|/.test(line)) {
			open = undefined;
			if (!/^[|\s:-]+$/.test(line)) passages.push(...cellsOf(index + 1, line));
		} else if (/^\s*$/.test(line) || /^#|^\s*</.test(line)) open = undefined;
		else if (open === undefined || /^\s*(?:[-*]|\d+\.)\s/.test(line)) {
			open = { line: index + 1, text, isParagraph: true };
			passages.push(open);
		} else open.text += ` ${text}`;
	}
	return passages;
}

const cellsOf = (line: number, row: string): readonly Passage[] =>
	row
		.replaceAll("\\|", "/")
		.split("|")
		.map((cell) => ({ line, text: plain(cell), isParagraph: false }))
		.filter(({ text }) => text !== "");

const blank = (text: string): string => text.replaceAll(/[^\n]/g, "");

const plain = (line: string): string =>
	line
		.replaceAll(/`[^`]*`/g, "`x`")
		.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
		.replaceAll(/\*\*|^\s*(?:[-*>]|\d+\.)\s/g, "")
		.trim();
