/** A number that this run has bought, or goes on with since it was bought. */
export interface Bought {
	/** The part of its token that says which resource has it, whatever that asks for. */
	readonly declaration: string;
	readonly criteria: string;
	/** As the program calls the resource. */
	readonly resource: string;
	/** As messages name the number. */
	readonly number: string;
}

/**
 * What one provider process remembers of whose the numbers are: for services that can't keep that themselves, and for
 * purchases whose answer names no number. Cleared when the process is configured for another operation.
 */
export class Memory {
	/** Token to id, of the numbers that entries of the state or purchases of this process hold. */
	readonly #here = new Map<string, string>();
	/** Ids to tokens: the same the other way round. */
	readonly #holders = new Map<string, string>();
	/** Purchases under way, by criteria: so many new numbers in the list are ours. */
	readonly #underWay = new Map<string, number>();
	readonly #bought: Bought[] = [];

	/** A number has one holder: under a new token the old one is forgotten. */
	own(token: string, id: string): void {
		this.forget(id);
		this.#here.set(token, id);
		this.#holders.set(id, token);
	}

	forget(id: string): void {
		const token = this.#holders.get(id);
		if (token !== undefined && this.#here.get(token) === id) this.#here.delete(token);
		this.#holders.delete(id);
	}

	idOf(token: string): string | undefined {
		return this.#here.get(token);
	}

	/** Whose the number is, as far as this process has seen. */
	holderOf(id: string): string | undefined {
		return this.#holders.get(id);
	}

	buy(bought: Bought): void {
		this.#bought.push(bought);
	}

	/** What other resources have bought for the same criteria. */
	boughtBeside({ declaration, criteria }: Pick<Bought, "declaration" | "criteria">): readonly Bought[] {
		return this.#bought.filter((each) => each.criteria === criteria && each.declaration !== declaration);
	}

	clear(): void {
		this.#here.clear();
		this.#holders.clear();
		this.#bought.length = 0;
	}

	/** Answers how to end it. */
	startPurchase(criteria: string): () => void {
		this.#underWay.set(criteria, this.underWay(criteria) + 1);
		return () => this.#underWay.set(criteria, this.underWay(criteria) - 1);
	}

	underWay(criteria: string): number {
		return this.#underWay.get(criteria) ?? 0;
	}
}
