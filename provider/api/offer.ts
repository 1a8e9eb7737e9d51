/**
 * What a service offers: the stack states it, its header names it, its answers show it, or its description promises it.
 */
import { type Feature, features, featureTable } from "./contract";

/** What the stack states; a feature that is missing is left to what the service shows. */
export type Stated = ReadonlyMap<Feature, boolean>;

/** What one service has revealed in this process. */
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
