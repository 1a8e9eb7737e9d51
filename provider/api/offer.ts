/**
 * The features of a service: stated by the stack, named by its header, shown by its answers, or promised by its description.
 */
import { type Feature, features, featureTable } from "./contract";
import { TelephonyError } from "./errors";

/** What the stack states; a feature that is missing is left to what the service shows. */
export type Stated = ReadonlyMap<Feature, boolean>;

/** What this process knows of one service. */
export class Offer {
	readonly #named = new Map<Feature, boolean>();
	readonly #shown = new Map<Feature, boolean>();

	/** Learns from an answer's header, which names all that is offered. */
	name(header: string | undefined): void {
		if (header === undefined) return;
		const offered = new Set(header.split(",").map((feature) => feature.trim()));
		for (const feature of features) this.#named.set(feature, offered.has(feature));
	}

	/** Learns from what an answer clearly says. The last one counts. */
	show(feature: Feature, offered: boolean): void {
		this.#shown.set(feature, offered);
	}

	known(feature: Feature, stated: Stated): boolean | undefined {
		return stated.get(feature) ?? this.#named.get(feature) ?? this.#shown.get(feature);
	}

	offers(feature: Feature, stated: Stated): boolean {
		return this.known(feature, stated) ?? featureTable[feature].promised;
	}
}

/** Words separated by commas or whitespace, or a list in JSON (`pulumi config set --path`). */
export const wordsIn = (text: string): readonly string[] => text.split(/[\s,"[\]]+/).filter((each) => each !== "");

/** Names. A `-` in front means "not offered"; the last mention counts. @param where how the user has given it */
export function featuresIn(text: string, where: string): Stated {
	const stated = new Map<Feature, boolean>();
	const unknown: string[] = [];
	for (const word of wordsIn(text)) {
		const name = word.replace(/^-/, "");
		const feature = features.find((each) => each === name);
		if (feature === undefined) unknown.push(JSON.stringify(name));
		else stated.set(feature, !word.startsWith("-"));
	}
	if (unknown.length === 0) return stated;
	throw new TelephonyError(
		"Config",
		`${where} names ${unknown.join(", ")}, which isn't a feature. The features are ${features.join(", ")}; a leading "-" declares that the service doesn't offer one.`,
	);
}
