import Big from "big.js";

const plain = /^-?\d+(\.\d+)?$/;
const scientific = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,2})?$/i;
/** The decimal digits that a binary fraction is sure to keep. */
const certainDigits = 15;

/** True for a decimal as the contract writes it: `12`, `12.5`, `-3.25`. */
export const isDecimal = (amount: string): boolean => plain.test(amount);

/**
 * Returns an amount as a decimal, without the noise of a binary fraction: `0.3` for 0.1 + 0.2. Returns undefined for a
 * text that isn't a decimal. A thousands separator may also be a decimal one, so such a text isn't a decimal.
 */
export function decimalOf(amount: string | number): string | undefined {
	const text = typeof amount === "number" ? amount.toPrecision(certainDigits) : amount.trim();
	if (typeof amount === "string" && isDecimal(text)) return text;
	return scientific.test(text) ? new Big(text.replace(/^\+/, "")).toFixed() : undefined;
}
