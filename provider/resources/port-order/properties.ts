/** A port order's properties: what is declared, and what is shown. */
import { z } from "zod";
import { CreatePortOrder } from "../../api/contract";
import { portPhaseOf } from "../../api/record";
import { documentIds, documentsProperty } from "../../documents/properties";
import { adoptFree } from "../../lifecycle/adopt";
import { onDeleteProperty } from "../../lifecycle/on-delete";
import { instantOf } from "../../properties/canonical";
import { canonical, sameDeclaration, setOf, text } from "../../properties/form";
import { aCountry, boundsOf, countryForm, unwrapped } from "../../properties/limits";
import { objectOf } from "../../properties/object";
import { reasons, stepTime, strings, times } from "../../properties/outputs";
import { e164, e164Form } from "../../properties/phone";
import { neverDrift, type Outputs, type Properties, type Values } from "../../properties/table";
import { byState, statusRow, waitLimit } from "../rows";

const carrier = () => CreatePortOrder.shape.carrier.shape;
const subscriber = () => CreatePortOrder.shape.subscriber.shape;
const requestedDate = () => unwrapped(CreatePortOrder.shape.requested_date);

/** Compares instants. */
const timeForm = text(
	(value) => {
		const ms = instantOf(value);
		return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
	},
	"time zone, zero fractions of a second",
	{ accepted: requestedDate },
);

const numbersForm = setOf(e164Form);

/** True if the numbers are the same, or the order has brought numbers and no longer shows all of them. */
function isSameOrder(olds: Values, news: Values): boolean {
	if (sameDeclaration(numbersForm, olds.numbers, news.numbers)) return true;
	const live = canonical(numbersForm, olds.numbers);
	const declared = canonical(numbersForm, news.numbers);
	const hasBrought = Array.isArray(olds.numberIds) && olds.numberIds.length > 0;
	if ((portPhaseOf(olds) !== "completed" && !hasBrought) || !Array.isArray(declared)) return false;
	return Array.isArray(live) ? live.every((number) => declared.includes(number)) : live === undefined;
}

export const portOrderProperties: Properties = {
	numbers: {
		type: () => {
			const { most } = boundsOf(CreatePortOrder.shape.numbers);
			return z
				.array(e164())
				.min(1, "must name at least one number")
				.max(most, `must name at most ${most} numbers: declare one more order for the rest`);
		},
		description: "Numbers to port to this account, in E.164; all from one country and one carrier.",
		example: ["+31201234567"],
		required: true,
		wire: "numbers",
		form: numbersForm,
		isSame: isSameOrder,
		severity: "high",
	},
	country: {
		type: aCountry,
		form: countryForm,
		description: "The country of the numbers, ISO 3166-1 alpha-2 in upper case, such as `NL`.",
		required: true,
		wire: "country",
		fixed: true,
		change: { does: "refused", words: "refused: declare another order" },
	},
	carrier: {
		...objectOf(
			{
				name: { type: () => carrier().name, description: "The carrier's name.", required: true },
				accountNumber: {
					type: () => unwrapped(carrier().account_number),
					description: "Your account number at that carrier, as on the carrier's bills.",
				},
				pin: {
					type: () => unwrapped(carrier().pin),
					description: "Code that authorizes the carrier to release the numbers.",
					secret: true,
					writeOnly: true,
					isKept: true,
				},
			},
			{ name: "PortCarrier", description: "The carrier that has the numbers now." },
		),
		description: "Carrier that has the numbers now. If you omit `pin` later, the order keeps it.",
		example: { name: "Old Carrier", accountNumber: "4711" },
		required: true,
		wire: "carrier",
		severity: "high",
	},
	subscriber: {
		...objectOf(
			{
				name: { type: () => subscriber().name, description: "Name of the subscriber.", required: true },
				address: {
					type: () => subscriber().address,
					description: "Address of the subscriber, in one text.",
					required: true,
				},
			},
			{ name: "PortSubscriber", description: "Subscriber, as the current carrier has them on record." },
		),
		description: "Subscriber of the numbers, exactly as the current carrier has them on record.",
		example: { name: "Example BV", address: "Damrak 1, 1012 LG Amsterdam" },
		required: true,
		wire: "subscriber",
		severity: "high",
	},
	requestedDate: {
		type: requestedDate,
		description: "RFC 3339; earliest time of the port.",
		example: "2027-01-31T08:00:00Z",
		otherwise: "as soon as the carriers agree",
		wire: "requested_date",
		form: timeForm,
	},
	documents: {
		...documentsProperty(
			() => CreatePortOrder.shape.document_ids,
			"Documents that the carriers require, such as the letter of authorization signed by the subscriber.",
		),
		severity: "medium",
	},
	waitForCompletion: {
		type: () => z.boolean(),
		description:
			"True if `pulumi up` waits until the port is complete. Ports take days; if you don't wait, `pulumi up --refresh` shows the order's progress.",
		default: false,
	},
	completionTimeoutSeconds: waitLimit,
	onDelete: onDeleteProperty("port order", "cancels"),
	adopt: adoptFree("port order"),
};

export const portOrderOutputs: Outputs = {
	status: statusRow(
		"`draft`, `submitted`, `in_review`, `exception`, `scheduled`, `completed`, `cancel_pending`, `cancelled`, or a value unknown to this version.",
		byState,
	),
	scheduledAt: stepTime("scheduled_at", "agreed time of the port. Undefined until the carriers agree."),
	exceptions: {
		...reasons,
		moves: true,
		description: "Objections of the carriers.",
		wire: "exceptions",
		drift: byState,
	},
	numberIds: {
		...strings,
		moves: true,
		description: "Ids of the numbers on this account; empty until the order is complete.",
		wire: "number_ids",
		drift: neverDrift,
	},
	documentIds,
	submittedAt: stepTime("submitted_at", "time of the last submission."),
	completedAt: stepTime("completed_at", "undefined until the port is complete."),
	...times,
};
