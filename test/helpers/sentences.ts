/** Every sentence in our code that a person may read, as it stands there: `{name}` where a value goes, `{…}` for more. */
import { textsOfCode } from "../../scripts/prose/code.mts";
import { files, read } from "./repository";

export interface Sentence {
	readonly file: string;
	readonly text: string;
	/** True for the whole text of an error or a warning, but for its code. */
	readonly isMessage: boolean;
}

/** Files of `pulumi`, `telephony` and the emulator's API. The console is HTML, so it is tested in a browser. */
const roots = /^(provider\/|cli\/|sdk\/[\w-]+\.ts|emulator\/(?!console\/)|node-version\.ts)/;

export const sentencesOfCode = (): Sentence[] => files.filter((file) => roots.test(file)).flatMap(sentencesOf);

const sentencesOf = (file: string): Sentence[] =>
	textsOfCode(file, read(file))
		.filter(({ kind }) => kind === "string" || kind === "message")
		.map(({ kind, text }) => ({
			file,
			text: text.trim().replaceAll("\n", "\\n").replaceAll("\t", "\\t"),
			isMessage: kind === "message",
		}));
