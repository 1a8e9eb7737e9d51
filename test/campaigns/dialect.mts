/** `--dialect NAME`: the whole campaign at a service that names things otherwise, of test/helpers/dialects.mts. */
import { dialects } from "../helpers/dialects.mts";

const given = process.argv.indexOf("--dialect");
export const dialectName = given === -1 ? undefined : (process.argv[given + 1] ?? "");
const described = dialectName === undefined ? {} : dialects[dialectName];
if (described === undefined) throw new RangeError(`--dialect must be one of ${Object.keys(dialects).join(", ")}.`);

/** Programs stay as they are, and declare metadata. */
const number = Object.fromEntries(
	Object.entries(described.records?.number ?? {}).filter(([field]) => field !== "metadata"),
);

/** The service's description; undefined for one that speaks the contract's words. */
export const dialect =
	dialectName === undefined ? undefined : { ...described, records: { ...described.records, number } };

/** What tells the provider of it. */
export const told: Readonly<Record<string, string>> =
	dialect === undefined ? {} : { TELEPHONY_SERVICE: JSON.stringify(dialect) };
