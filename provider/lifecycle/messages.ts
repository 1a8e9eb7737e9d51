/** The actions of decide.ts in words: errors of refusals, and warnings of what a run did with an object. */
import { handOver, nextStep, TelephonyError } from "../api/errors";
import type { MessageCode } from "../api/message-codes";
import { type Identity, isSameStack, isSameState, ownerName, type Referenced } from "../ownership/claim";
import type { Ownership } from "../ownership/ownership";
import { parseReference } from "../ownership/reference";
import { capitalized, displayed, lines } from "../properties/display";
import { scalar } from "../properties/form";
import { differencesIn } from "../properties/spelling";
import { type Properties, urnOf, type Values } from "../properties/table";
import type { Session } from "../session/session";
import type { CreateRefusal, DeleteAction } from "./decide";

/** `buy`, `bought`, `release`, `released`. */
export interface Verbs {
	readonly make: string;
	readonly made: string;
	readonly end: string;
	readonly ended: string;
}

/** The words of a kind of object. */
interface Wording<R> {
	readonly noun: string;
	readonly verbs: Verbs;
	nameOf(record: R): string;
	/** Present if `adopt` may name an object otherwise than by its id. */
	readonly isNamed?: unknown;
}

// ---- Create -----------------------------------------------------------------------------------------------------------

const stateFixes: Readonly<Record<string, string>> = {
	number:
		"For one stack on several machines, name it in `adopt` and set one `telephony:owner`. After a taint, use `pulumi state untaint`.",
	other: "For one stack on several machines, set one `telephony:owner`. Two stacks need different ones.",
};

export function createRefusal<R extends Referenced>(
	refusal: CreateRefusal<R>,
	claim: Identity,
	kind: Wording<R>,
): TelephonyError {
	const { noun, verbs, nameOf } = kind;
	const records = "records" in refusal ? refusal.records : [];
	const record = "record" in refusal ? refusal.record : undefined;
	const named = record === undefined ? records : [record];
	const values = { ids: named.map(({ id }) => id) };
	const nothing = `Nothing was ${verbs.made} or changed.`;
	const adopting = (messageCode: MessageCode, text: string) =>
		new TelephonyError(messageCode === "adopt-refused" ? "Invalid" : "Claimed", `adopt: ${text} ${nothing}`, {
			messageCode,
			values,
		});
	switch (refusal.why) {
		case "adopt-absent":
			return adopting("adopt-refused", absentText(refusal.wanted, record, kind));
		case "adopt-contradicts":
			return adopting("adopt-refused", `${nameOf(refusal.record)} ${refusal.contradiction}`);
		case "adopt-shared":
			return adopting("shared-object", `${nameOf(refusal.record)} belongs to another resource of this program.`);
		case "adopt-claimed":
			return adopting(
				"claimed",
				`${nameOf(refusal.record)} is claimed by ${ownerName(refusal.record.reference, claim)}. To adopt it here, ${handOver}`,
			);
		case "several":
			return new TelephonyError(
				"Claimed",
				`Several ${noun}s on the account belong to this resource: ${records.map(nameOf).join(", ")}. Nothing was changed. ${capitalized(verbs.end)} all but one in the service's dashboard, then run \`pulumi up\` again.`,
				{ messageCode: "duplicate", values },
			);
		case "renamed":
			return new TelephonyError(
				"Claimed",
				`If this resource was renamed, and is replaced in the same run, its ${noun} may be ${records.map(nameOf).join(" or ")}. ${nothing} Undo what replaces it, such as a changed \`replacementTrigger\`, run \`pulumi up\` to rename it, and then replace it. If it wasn't renamed, its ${noun} no longer exists: run \`pulumi up --refresh\`.`,
				{ messageCode: "claimed", values },
			);
		case "another-state":
			return new TelephonyError(
				"Claimed",
				`The ${noun} ${nameOf(refusal.record)} belongs to the resource of this name in ${ownerName(refusal.record.reference, claim)}. ${nothing} ${stateFixes[noun] ?? stateFixes.other}`,
				{ messageCode: "another-state", values },
			);
		case "resume-contradicts":
			return new TelephonyError(
				"Invalid",
				`An earlier run ${verbs.made} ${nameOf(refusal.record)}, which ${refusal.contradiction} Nothing was changed.`,
				{ values },
			);
		case "uncertain":
			return uncertain(
				records,
				`No ${noun} was ${verbs.made}, because an interrupted run may have ${verbs.made} one of these, and this service isn't known to honor idempotency keys. If one is this resource's, adopt it. Label the others in the service's dashboard. Then run \`pulumi up\` again.`,
				kind,
			);
	}
}

function absentText<R>(wanted: string, record: R | undefined, { noun, verbs, nameOf, isNamed }: Wording<R>): string {
	const named = isNamed === undefined ? "" : ", or to the E.164 of a listed one";
	const hint = `Set \`adopt\` to the id of an existing ${noun}${named}, or remove it to ${verbs.make} one.`;
	if (record !== undefined)
		return `${nameOf(record)} can't be adopted: it was ${verbs.ended}, or has another name. ${hint}`;
	return `there is no ${noun} ${wanted} on the account, or it was ${verbs.ended}. ${hint}`;
}

/** Returns the error for a declaration to which one of these objects may belong. */
export const uncertain = <R extends { readonly id: string }>(
	records: readonly R[],
	text: string,
	{ nameOf }: Pick<Wording<R>, "nameOf">,
): TelephonyError =>
	new TelephonyError("OutcomeUnknown", `${text}${adoptLines(records, nameOf)}`, {
		messageCode: "purchase-unknown",
		values: { ids: records.map(({ id }) => id) },
	});

/** Names each object with the line that adopts it. */
export const adoptLines = <R extends { readonly id: string }>(
	records: readonly R[],
	nameOf: (record: R) => string,
): string => lines(records.map((record) => `${nameOf(record)}: \`adopt: ${JSON.stringify(record.id)}\``));

export function warnOfResume<R>(
	{ progress }: Session,
	{ record, why, urn }: { readonly record: R; readonly why: "retained" | "interrupted"; readonly urn: string },
	{ verbs, nameOf }: Wording<R>,
): void {
	const reason = why === "retained" ? "this stack had retained it" : `an earlier run ${verbs.made} it`;
	progress.warn(urn, "resumed", `Resumed ${nameOf(record)} for this resource: ${reason}. Nothing was ${verbs.made}.`);
}

export function warnOfSpellings(
	{ progress }: Session,
	{ properties, what, urn }: { readonly properties: Properties; readonly what: string; readonly urn: string },
	declared: Values,
	live: Values,
): void {
	const texts = Object.keys(live).flatMap((key) =>
		differencesIn(properties[key]?.form ?? scalar, key, declared[key], live[key]).map(
			({ path, ...values }) => `${path} ${displayed(values.live)} for ${displayed(values.declared)}`,
		),
	);
	progress.warn(
		urn,
		"respelled",
		`The service spells values of ${what} in another way. Both spellings count as equal from now on.${lines(texts)}`,
	);
}

// ---- Claims -----------------------------------------------------------------------------------------------------------

/** An object, and the resource that wants it. */
export interface Claimed {
	readonly claim: Identity;
	readonly record: Referenced;
	/** Outputs in the resource state. */
	readonly outs: Values;
	/** The object's name in messages. */
	readonly what: string;
}

/** Warns of a claim that a read has found. */
export function warnOfClaim({ progress }: Session, { claim, record, outs, what }: Claimed, owner: Ownership): void {
	const urn = urnOf(outs);
	if (owner === "vacant")
		progress.warn(
			urn,
			"reference-cleared",
			`The reference of ${what} was cleared outside Pulumi. Run \`pulumi up --refresh\` to write it again.`,
		);
	if (owner === "superseded")
		progress.warn(
			urn,
			"another-attempt",
			`${what} was last written by a run missing from this state: an interrupted one, or one with a newer state. Run \`pulumi up --refresh\` to write what the program declares.`,
		);
	if (owner === "foreign")
		progress.warn(
			urn,
			"claimed",
			`${what} was claimed by ${ownerName(record.reference, claim)}. ${nextStep("Claimed")}`,
		);
}

export function updateRefusal(
	why: "shared" | "claimed" | "overtaken",
	{ claim, record, what }: Claimed,
): TelephonyError {
	const values = { ids: [record.id] };
	const reference = parseReference(record.reference);
	const isOwnStack = reference !== undefined && isSameStack(claim, reference) && isSameState(claim, reference);
	const next = isOwnStack
		? "If an interrupted run gave this resource another name, restore that name, run `pulumi up`, and rename it again. Otherwise remove it from this program."
		: nextStep("Claimed");
	return why === "shared"
		? new TelephonyError(
				"Claimed",
				`Another resource of this program also has ${what}. Nothing was changed. Remove one of the two resources. To keep the object, use \`pulumi state delete\`.`,
				{ messageCode: "shared-object", values },
			)
		: new TelephonyError(
				"Claimed",
				`${what} was claimed by ${ownerName(record.reference, claim)}${why === "claimed" ? ". Nothing was changed" : " while this run changed it"}. ${next}`,
				{ values },
			);
}

/** Warns of an update that claims an object of another stack or state: the stack was renamed, or its state was copied. */
export const warnOfMove = ({ progress }: Session, { claim, record, outs, what }: Claimed): void =>
	progress.warn(
		urnOf(outs),
		"rename",
		`Claimed ${what} for this stack. ${capitalized(ownerName(record.reference, claim))} owned it before. This is expected after a rename. If this state is a copy, remove the resource from one of the two states with \`pulumi state delete\`.`,
	);

// ---- Delete -----------------------------------------------------------------------------------------------------------

/** Warns of an object that a delete doesn't end. `stays` says why the service can no longer end it. `next` may be empty. */
export function warnOfStay(
	{ progress }: Session,
	action: Exclude<DeleteAction, { do: "end" | "refuse" }>,
	{ claim, record, outs, what }: Claimed,
	{ stays, next }: { readonly stays?: string | undefined; readonly next: string },
): void {
	const urn = urnOf(outs);
	const owner = () => ownerName(record.reference, claim);
	const subject = capitalized(what);
	if (action.do === "keep")
		progress.warn(
			urn,
			"retained",
			`${subject} stays on the account: a resource of this program still declares it.${next}`,
		);
	else if (action.do === "forget")
		progress.warn(
			urn,
			"claimed",
			`${subject} stays on the account: ${owner()} claimed it after the last \`pulumi up\`. It was removed from this state.`,
		);
	else
		progress.warn(
			urn,
			"retained",
			stays ?? `Retained ${what} on the account, because ${retainReason[action.why]}. ${next}`,
		);
}

/** Returns the error for a replaced object whose replacement this run didn't finish. `stays` is such as `The number X stays`. */
export const notReplaced = (stays: string): TelephonyError =>
	new TelephonyError("Interrupted", `${stays} on the account, because this run didn't finish its replacement.`);

export const retainReason: Readonly<Record<Extract<DeleteAction, { do: "retain" }>["why"], string>> = {
	declared: "`onDelete` is `retain`",
	protected: "`releaseProtection` is set",
	replaced: "its resource replaced it and was set to retain it",
	stays: "the service can't remove it",
};
