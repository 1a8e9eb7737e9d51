/** Phone numbers that a service writes in another form than E.164. */
import { digitsOf, numberingPlans } from "../phone";

export const phoneForms = ["digits", "international", "national"] as const;
type PhoneForm = (typeof phoneForms)[number];

const e164 = /^\+[1-9]\d{6,14}$/;

/**
 * The E.164 in the service's form. A number stays in E.164 if its form would mean another number: nationally, only a number
 * of the record's own country can be written.
 */
export function phoneOut(ours: string, form: PhoneForm, country: string | undefined): string {
	const number = ours.trim();
	if (!e164.test(number)) return ours;
	if (form === "digits") return number.slice(1);
	if (form === "international") return `00${number.slice(1)}`;
	const national = numberingPlans().parsePhoneNumberFromString(number)?.nationalNumber;
	return national !== undefined && phoneIn(national, form, country) === number ? national : ours;
}

/** E.164 of a number in the service's form, as the service writes it if it can't be read. */
export function phoneIn(theirs: string, form: PhoneForm, country: string | undefined): string {
	const number = digitsOf(theirs)?.replace(/^00/, "+");
	if (number === undefined) return theirs;
	const international = form === "national" || number.startsWith("+") ? number : `+${number}`;
	if (e164.test(international)) return international;
	return (form === "national" && nationalIn(number, country)) || theirs;
}

function nationalIn(digits: string, country: string | undefined): string | undefined {
	const { getCountryCallingCode, isSupportedCountry, parsePhoneNumberFromString } = numberingPlans();
	if (country === undefined || !isSupportedCountry(country)) return undefined;
	const code = getCountryCallingCode(country);
	// Without a prefix that people dial before it, such as 0.
	const asWritten = parsePhoneNumberFromString(`+${code}${digits}`);
	if (asWritten?.isValid() && asWritten.nationalNumber === digits) return asWritten.number;
	// A number of an old plan is none that the library has.
	const parsed = parsePhoneNumberFromString(digits, country);
	return parsed?.countryCallingCode === code && e164.test(parsed.number) ? parsed.number : undefined;
}
