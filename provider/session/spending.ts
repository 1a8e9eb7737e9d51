/** Counts the purchases and releases of one provider process, and refuses requests that exceed a limit of the run. */
import { nextStep, TelephonyError } from "../api/errors";
import { isDecimal } from "../api/money";
import type { Price } from "../reads/prices";
import { type Broken, brokenBy, type Charge, type Limits, limitsOf, nothing, type Total } from "./limits";

/** A counted request. It stays counted unless it is cancelled. */
export interface Reservation {
	/** The request was carried out, or may have been. `price` is the one in the response. */
	confirm(price?: Price | null): void;
	/** The request certainly had no effect. */
	cancel(): void;
}

interface PricedCharge {
	readonly charge: Charge;
	/** The highest price that it may have. */
	readonly price?: Price;
}

export class Spending {
	readonly #ending: AbortSignal;
	/** Requests that were carried out, or may have been. */
	#confirmed: PricedCharge[] = [];
	/** Requests without a response so far. */
	#pending = new Set<PricedCharge>();
	/** Requests that wait for the outcome of pending ones. */
	readonly #waiting: (() => void)[] = [];

	constructor(ending: AbortSignal) {
		this.#ending = ending;
	}

	/**
	 * Counts a request. Waits while only pending requests exceed the limit, as they may have no effect.
	 * @throws TelephonyError Invalid if the request would exceed a limit; Interrupted if the run ends while it waits
	 */
	async reserve(wanted: PricedCharge, limits: Limits): Promise<Reservation> {
		const ownLimits = limitsOf(wanted.charge, limits);
		for (;;) {
			const refused = brokenBy(totalOf([...this.#confirmed, wanted]), ownLimits);
			if (refused.length > 0) throw this.#refusal(wanted, refused);
			if (brokenBy(totalOf([...this.#confirmed, ...this.#pending, wanted]), ownLimits).length === 0)
				return this.#reservation(wanted);
			await new Promise<void>((resolve) => this.#waiting.push(resolve));
			if (this.#ending.aborted)
				throw new TelephonyError("Interrupted", `Nothing was bought or released: ${String(this.#ending.reason)}.`, {
					nextStep: nextStep("Interrupted"),
				});
		}
	}

	/** Starts from zero, for the next operation in the same process. */
	clear(): void {
		this.#confirmed = [];
		this.#pending = new Set();
	}

	#reservation(wanted: PricedCharge): Reservation {
		const pending = { ...wanted };
		this.#pending.add(pending);
		const settle = (confirmed?: PricedCharge) => {
			if (!this.#pending.delete(pending)) return;
			if (confirmed) this.#confirmed.push(confirmed);
			for (const proceed of this.#waiting.splice(0)) proceed();
		};
		return {
			confirm: (price) => settle(price != null && isReadable(price) ? { ...wanted, price } : wanted),
			cancel: () => settle(),
		};
	}

	#refusal({ charge, price }: PricedCharge, broken: readonly Broken[]): TelephonyError {
		const { purchases, releases, setup, monthly } = totalOf(this.#confirmed);
		const allowed = broken.map(({ name, limit }) => `${name} ${limit}`).join(" and ");
		const used =
			charge === "purchase" ? `bought ${purchases} (setup ${setup}, monthly ${monthly})` : `released ${releases}`;
		const cost =
			price && broken.some(({ name }) => name === "maxSetup" || name === "maxMonthly")
				? ` This number would cost ${priceText(price)}.`
				: "";
		return new TelephonyError(
			"Invalid",
			`Nothing was ${charge === "purchase" ? "bought" : "released"} for this resource. \`telephony:limits\` allows ${allowed}, and this run has ${used} so far.${cost} ${howToRaise(broken)}`,
			{ messageCode: "limit" },
		);
	}
}

/** Names the command that raises each exceeded limit. */
export const howToRaise = (broken: readonly Broken[]): string =>
	`To allow more, run ${[...new Map(broken.map(({ name, setting }) => [name, setting]))]
		.map(([name, setting]) => `\`pulumi config set --path telephony:limits.${name} ${setting}\``)
		.join(" and ")}, or raise the provider resource's \`limits\`.`;

const priceText = ({ setup, monthly }: Price): string =>
	`${setup.amount} ${setup.currency} setup, ${monthly.amount} ${monthly.currency} a month`;

const isReadable = ({ setup, monthly }: Price): boolean => isDecimal(setup.amount) && isDecimal(monthly.amount);

function totalOf(charges: readonly PricedCharge[]): Total {
	const total = nothing();
	for (const { charge, price } of charges) {
		if (charge === "release") {
			total.releases += 1;
			continue;
		}
		total.purchases += 1;
		if (price === undefined) continue;
		total.setup.add(price.setup);
		total.monthly.add(price.monthly);
	}
	return total;
}
