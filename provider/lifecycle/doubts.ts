/** Declared values that only the service can judge: unknown ones, and those beyond the limits of this version. */
import { TelephonyError } from "../api/errors";
import { closestName } from "../api/names";
import type { Memory } from "../ownership/memory";
import { code, listed } from "../properties/display";
import {
	type Accepted,
	type Checked,
	type CheckFailure,
	failuresOf,
	type Properties,
	type UnknownValue,
	type Values,
} from "../properties/table";
import type { Session } from "../session/session";
import { isAdopting } from "./adopt";

/** Warns once of each resource: the engine may check it several times. */
export function warnOfDoubts(
	{ session, memory }: { readonly session: Session; readonly memory: Pick<Memory, "doubted"> },
	urn: string,
	{ deferred, unknown }: Pick<Checked, "deferred" | "unknown">,
): void {
	if ((deferred.length === 0 && unknown.length === 0) || memory.doubted.has(urn)) return;
	memory.doubted.add(urn);
	const { warn } = session.progress;
	if (unknown.length > 0) warn(urn, "unknown-value", listed(unknown.map(unknownText), "\n", 3));
	if (deferred.length > 0)
		warn(
			urn,
			"beyond-limits",
			`${reasonsIn(deferred)}. \`pulumi up\` therefore reads the object that \`adopt\` names, and adopts it only if it already has this value.`,
		);
}

function unknownText({ path, value, knownValues }: UnknownValue): string {
	const meant = closestName(String(value), knownValues);
	const hint = meant === undefined ? `It knows ${listed(knownValues, ", ", 3)}.` : `Did you mean ${meant}?`;
	return `${path}: this version of the provider doesn't know the value ${code(value)}, and sends it to the service as it is. ${hint}`;
}

const reasonsIn = (failures: readonly CheckFailure[]): string =>
	listed(
		failures.map(({ reason }) => reason),
		"; ",
	);

interface JudgedValues {
	readonly live: Values;
	readonly olds: Values;
	readonly news: Values;
	readonly accepted: Accepted;
}

/**
 * Judges the values that check has deferred, by the object itself. `live` are its values as just read, and `olds` those of
 * the last write. @throws TelephonyError Invalid before anything is written
 */
export function assertNoneNew(
	properties: Properties,
	what: string,
	{ live, olds, news, accepted }: JudgedValues,
): void {
	if (!isAdopting(properties, olds, news)) return;
	const held = [live, olds];
	const failures = Object.keys(properties)
		.filter((key) => properties[key]?.wire !== undefined && news[key] != null)
		.flatMap((key) => failuresOf(properties, key, news, { held, accepted }));
	if (failures.length === 0) return;
	throw new TelephonyError(
		"Invalid",
		`${what} doesn't have values of this resource that are beyond the provider's limits: ${reasonsIn(failures)}. Nothing was changed.`,
		{ nextStep: "Declare a valid value, or the one that the object has.", messageCode: "beyond-limits" },
	);
}
