/** The features of a service, as a stack declares them. */
import { type Feature, features } from "./contract";
import { configError } from "./errors";

/** The features that the stack declares as offered, or not. The service shows the others. */
export type Stated = ReadonlyMap<Feature, boolean>;

/** Splits words separated by commas or whitespace, or a list in JSON (`pulumi config set --path`). */
export const wordsIn = (text: string): readonly string[] => text.split(/[\s,"[\]]+/).filter((word) => word !== "");

/** Parses names. A `-` in front means "not offered"; the last mention wins. @param where the source, for messages */
export function featuresIn(text: string, where: string): Stated {
	const stated = new Map<Feature, boolean>();
	const unknown: string[] = [];
	for (const word of wordsIn(text)) {
		const name = word.replace(/^-/, "");
		const feature = features.find((candidate) => candidate === name);
		if (feature === undefined) unknown.push(JSON.stringify(name));
		else stated.set(feature, !word.startsWith("-"));
	}
	if (unknown.length === 0) return stated;
	throw configError(
		`${where} names ${unknown.join(", ")}, which isn't a feature. The features are ${features.join(", ")}; a leading "-" declares that the service doesn't offer one.`,
	);
}
