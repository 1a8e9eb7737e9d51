/** A phone number (DID): bought once by country, type and area, configured in place, never lost by accident. */
import type { NumberRecord, PatchNumber } from "../../api/contract";
import { isTelephonyError, TelephonyError } from "../../api/errors";
import { isReleasedOrFailed, nameOf, showsStatus, statusOf } from "../../api/record";
import type { DriftDefinition } from "../../drift/definition";
import { adoptsAnother } from "../../lifecycle/adopt";
import { configuredDrift } from "../../lifecycle/configured";
import type { Definition, ObjectOperations, Run, WriteTarget } from "../../lifecycle/definition";
import { lifecycleOf } from "../../lifecycle/lifecycle";
import { type Handler, handler, type Lifecycle } from "../../lifecycle/resource";
import type { Claimant } from "../../ownership/claim";
import { lossOf } from "../../ownership/ownership";
import { numberNameForm } from "../../properties/phone";
import { liveValues, unknownValue, type Values } from "../../properties/table";
import type { Service, Session } from "../../session/session";
import { foreignProfile } from "../kyc-profile/requirements";
import { candidatesIn, contradiction, idByName, isPartlyListed, matchesName, purchaseOf } from "./candidates";
import { assertBuyable, configureNumber, refuseUnoffered, withRegulation } from "./create";
import { numberCondition } from "./kyc";
import { foreseePurchases, refusedByLimits } from "./limits";
import { portingCondition, withPorts } from "./port";
import {
	changedCriteria,
	computed,
	criteriaOf,
	fixedCriteria,
	flat,
	isProtected,
	lookedUp,
	numberClaim,
	numberOutputs,
	numberProperties,
} from "./properties";
import { buyUnderKey } from "./purchase";
import { assertNotJustBought, releaseNumber, whenRetained } from "./release";

export const number: Definition<NumberRecord> = {
	noun: "number",
	source: numberClaim,
	properties: numberProperties,
	verbs: { make: "buy", made: "bought", end: "release", ended: "released" },
	ifDeleted: "buys a new number",
	operations,
	nameOf,
	labelOf: ({ label }) => label ?? undefined,
	subjectOf: nameOf,
	live: (record) => liveValues(numberProperties, flat(record)),
	computed,
	changedCriteria,
	failures: (_, inputs, { session }) => foreignProfile(session, inputs),
	refusedByRun: refusedByLimits,
	foresee: foreseePurchases,
	// An unknown value must not cause a replacement: the engine would delete the number.
	replaces: (changed, olds, news, id) =>
		changed.filter((key) =>
			key === "adopt"
				? adoptsAnother(numberNameForm, id, [olds.adopt, olds.phoneNumber], news)
				: ["generation", ...fixedCriteria(olds)].includes(key) && news[key] !== unknownValue,
		),
	isNamed: matchesName,
	contradiction: (record, inputs) => contradiction(criteriaOf(inputs), record),
	candidates: (run, target) => candidatesIn(purchaseOf(run, target), target.live),
	isPartlyListed,
	assertCreatable: assertBuyable,
	make: buyUnderKey,
	carryOut: configureNumber,
	explained,
	completed: withRegulation,
	refuseUpdate,
	isProtected,
	remove: releaseNumber,
	whenRetained,
	idOf: idByName,
	ended: (record) => (isReleasedOrFailed(record) ? statusOf(record) : undefined),
	lossOf: (status = "released") => ({ ...lossOf(status), wayBack: waysBack[status] }),
	assertNotJustBought,
	// Without KYC, nothing depends on a status that was never shown.
	saysTooLittle: (record, props) => !showsStatus(record) && (showsStatus(props) || props.kycRequired === true),
	lookedUp,
	// `pulumi import` prints it, so that the program declares it.
	imported: () => ({ onDelete: "retain" }),
	waitsIf: "waitForActive",
	condition: (outputs) => portingCondition(outputs) ?? numberCondition(outputs),
};

export const numberDrift: DriftDefinition = {
	...configuredDrift(number, {
		outputs: numberOutputs,
		fix: "ask the service to restore the deleted one; otherwise `pulumi up --refresh` buys a new number",
		kept: ["foundId"],
	}),
	isBought: true,
};

export const numberHandler = (session: Session): Handler =>
	handler(session, withPorts(session, lifecycleOf(session, number)), session.memory.number);

/** Returns the lifecycle of a number that belongs to another resource. `source` identifies its declaration. */
export const numberLifecycle = (session: Session, source: Claimant): Lifecycle =>
	lifecycleOf(session, { ...number, source });

const waysBack: Readonly<Record<string, string>> = {
	released: "To get it back, restore it at the service during its quarantine and before the next `pulumi up`.",
	ported_out: "Another carrier has it now.",
};

function operations({ client, numbers }: Service): ObjectOperations<NumberRecord> {
	return {
		reads: numbers,
		get: (id) => client.numbers.get(id),
		patch: (id, body) => client.numbers.patch(id, body as () => PatchNumber),
	};
}

function refuseUpdate({ service }: Run<NumberRecord>, record: NumberRecord, olds: Values, news: Values): void {
	const wrong = news.area === olds.area ? undefined : contradiction(criteriaOf(news), record);
	if (wrong !== undefined) throw new TelephonyError("Invalid", `area: ${nameOf(record)} ${wrong} Nothing was changed.`);
	refuseUnoffered(service, news);
}

function explained(error: unknown, { start: record }: WriteTarget<NumberRecord>): unknown {
	if (!isTelephonyError(error) || error.kind === "KycPending" || error.kind === "KycRefused") return error;
	const text = `${record.number ?? record.id} is saved, but not configured as declared: ${error.message}`;
	return new TelephonyError(error.kind, text, { cause: error });
}
