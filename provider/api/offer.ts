/**
 * The features of a service: declared by the stack, named by its header, shown by its responses, or promised by the contract.
 */
import { type Feature, features } from "./contract";
import { TelephonyError } from "./errors";

/** The features that the stack declares as offered, or not. The service shows the others. */
export type Stated = ReadonlyMap<Feature, boolean>;

/** The features of one service, as far as this process knows them. */
export class Offer {
	readonly #named = new Map<Feature, boolean>();
	readonly #shown = new Map<Feature, boolean>();

	/** Learns from a response's header, which names all features that the service offers. */
	name(header: string | undefined): void {
		if (header === undefined) return;
		const offered = new Set(header.split(",").map((feature) => feature.trim()));
		for (const feature of features) this.#named.set(feature, offered.has(feature));
	}

	/** Learns from a response that certainly shows it. The last one wins. */
	show(feature: Feature, offered: boolean): void {
		this.#shown.set(feature, offered);
	}

	findOffer(feature: Feature, stated: Stated): boolean | undefined {
		return stated.get(feature) ?? this.#named.get(feature) ?? this.#shown.get(feature);
	}
}

/** Splits words separated by commas or whitespace, or a list in JSON (`pulumi config set --path`). */
export const wordsIn = (text: string): readonly string[] => text.split(/[\s,"[\]]+/).filter((each) => each !== "");

/** Parses names. A `-` in front means "not offered"; the last mention wins. @param where the source, for messages */
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
