/**
 * Programs that are made for no service in particular, at one that names things otherwise, of dialects.mts: a campaign by
 * `--dialect NAME`, and the stories on the engine by `DIALECT=NAME npx vitest run test/engine/…`.
 */
import { dialects } from "./dialects.mts";

const given = process.argv.indexOf("--dialect");
export const dialectName = given === -1 ? process.env.DIALECT : (process.argv[given + 1] ?? "");
const described = dialectName === undefined ? {} : dialects[dialectName];
if (described === undefined) throw new RangeError(`The dialect must be one of ${Object.keys(dialects).join(", ")}.`);

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
