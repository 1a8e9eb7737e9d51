/** Which errors a run may end with where nothing went wrong on its way. */
import { type Control, isLive, liveNumbers } from "./account.mts";
import { must } from "./campaign.mts";
import type { State } from "./engine.mts";
import { rowsOf } from "./kinds.mts";
import type { Promises } from "./promises.mts";

/** What a run may say where nothing went wrong but what others did, or the program asks for what it may not have. */
const expected = new RegExp(
	[
		"not active yet|will not become active|removed outside Pulumi|waits for|is gone:",
		"claimed|route them elsewhere first",
		"Several \\w+ on the account belong to this resource",
		// With `-p 1`, a new resource under an old name is made before the entry that has it by an alias is heard of.
		"belongs to another resource of this program too",
		"\\[telephony:(kyc-pending|kyc-rejected|port-pending|port-exception)\\]",
	].join("|"),
);

/** What the service refuses of papers and ports, whoever asks: it is said by its code. */
const refusedByService = /kyc_profile_locked|port_in_progress|number_not_portable|kyc_profile_in_use/;

/** What it may say at a service that can't tell whose a number is, or whether it was bought. */
const untold =
	/Nothing was bought: under this resource's key|number in \w+ was bought: an interrupted run|was bought is unknown/;

/** What only another generation helps against, or another owner. */
export const claimed = /claimed by (another|the stack|a stack|this stack)|another one has claimed it since/;

/** Whether an error asks if this is the right account, about nothing but what is gone, or proves nothing as it is theirs. */
export function isRightlyAsked(control: Control, error: string, isTheirs = (_id: string) => false): boolean {
	const asked = [...error.matchAll(/None of this stack's resources \(([^)]*)\) exist/g)].flatMap(
		([, ids = ""]) => ids.match(/\w+_\w+/g) ?? [],
	);
	return asked.length > 0 && asked.every((id) => !isLive(control, id) || isTheirs(id));
}

/** Whether an adopted number that is said to be nowhere is neither there nor to be brought. */
function isRightlyMissed(control: Control, error: string): boolean {
	const [e164] = /\+\d+(?= is neither on the account)|(?<=there is no number )\+\d+/.exec(error) ?? [];
	if (e164 === undefined) return false;
	const isPorting = rowsOf(control.state(), "portOrder").some(
		({ status, numbers }) => status !== "completed" && (numbers as string[]).includes(e164),
	);
	return !isPorting && !liveNumbers(control).some(({ number }) => number === e164);
}

/** A profile is kept only as long as a number names it. */
function mustBeNeeded(control: Control, error: string): void {
	const users = liveNumbers(control).map(({ kyc }) => kyc?.profile_id ?? "");
	const isNeeded = users.some((id) => id !== "" && error.includes(id));
	must(!error.includes("kyc_profile_in_use") || isNeeded, () => `no number needs it: ${error}`);
}

/** After a run in fair weather. */
export function judge(control: Control, promises: Promises, errors: readonly string[], state: State): void {
	// A killed run may have removed it: a refresh tells.
	const isTrunkGone = [...state.entries.values()].some(({ id }) => !isLive(control, id));
	for (const error of errors) {
		if (isTrunkGone && error.includes("The program names something that is not on the account")) continue;
		mustBeNeeded(control, error);
		must(!claimed.test(error) || promises.isClaimed(error), () => `nobody else has claimed it: ${error}`);
		const { idempotencyKey, reference } = control.settings().features;
		const isUntold = !(idempotencyKey && reference) && untold.test(error);
		must(
			expected.test(error) ||
				refusedByService.test(error) ||
				isUntold ||
				isRightlyMissed(control, error) ||
				isRightlyAsked(control, error, promises.isTheirs),
			() => `an error nobody asked for: ${error}`,
		);
	}
}
