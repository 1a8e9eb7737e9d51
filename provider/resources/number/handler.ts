/** A phone number (DID): bought once by country, type and area, configured in place, never lost by accident. */
import type { PatchNumber } from "../../api/contract";
import { isTelephonyError, TelephonyError } from "../../api/errors";
import { isReleasedOrFailed, nameOf, showsStatus, statusOf } from "../../api/record";
import { adoptsAnother, keepAdopt } from "../../lifecycle/adopt";
import type { Acquired, Definition, ObjectOperations, Run, WriteTarget } from "../../lifecycle/definition";
import { lifecycleOf } from "../../lifecycle/lifecycle";
import { type Claimant, type Handler, handler, identityFor, type Lifecycle } from "../../lifecycle/resource";
import { resumedOutputs, type Write } from "../../lifecycle/write";
import { lossOf } from "../../ownership/ownership";
import { numberNameForm } from "../../properties/phone";
import { type CheckFailure, createBody, liveValues, unknownValue, type Values } from "../../properties/table";
import type { Service, Session } from "../../session/session";
import { applied } from "../../session/staleness";
import { foreignProfile } from "../kyc-profile/countries";
import type { ShownNumber } from "./acquisition";
import { contradiction, idByE164 } from "./adopt";
import { numberCondition, waitForActive, warnUnnamed, withStatus } from "./kyc";
import { capital, needsAction, warnOfMarket } from "./kyc-action";
import { plannedNumber, refusedByLimits, showPrice } from "./limits";
import { withPorts } from "./port";
import {
	changedCriteria,
	computed,
	criteriaOf,
	fixedCriteria,
	flat,
	lookedUp,
	numberClaim,
	numberDrift,
	numberProperties,
} from "./properties";
import { acquire } from "./purchase";
import { assertNotJustBought, releaseNumber } from "./release";

export const number: Definition<ShownNumber> = {
	noun: "number",
	source: numberClaim,
	properties: numberProperties,
	verbs: { make: "buy", made: "bought", end: "release", ended: "released" },
	lost: "buys another number instead",
	operations,
	nameOf,
	subjectOf: nameOf,
	live: (record) => liveValues(numberProperties, flat(record)),
	computed,
	failures,
	refusedByRun: (session, olds, inputs) =>
		refusedByLimits(session, inputs.resourceUrn, () => plannedNumber(session, olds, inputs)),
	foresee: async (session, inputs) => {
		if (inputs.adopt !== undefined) return;
		await Promise.all([showPrice(session, inputs, 1), warnOfMarket(session, inputs)]);
	},
	// An unknown value must not cause a replacement: the engine would delete the number.
	replaces: (changed, olds, news, id) =>
		changed.filter((key) =>
			key === "adopt"
				? adoptsAnother(numberNameForm, id, [olds.adopt, olds.phoneNumber], news)
				: ["generation", ...fixedCriteria(olds)].includes(key) && news[key] !== unknownValue,
		),
	acquire: buy,
	carryOut,
	explained,
	completed: withRegulation,
	refuseUpdate,
	release: ({ session, definition }, id, props) => releaseNumber(session, id, props, definition.source),
	idOf: async (service, wanted) => (wanted.startsWith("+") ? idByE164(service, wanted) : wanted),
	ended: (record) => (isReleasedOrFailed(record) ? statusOf(record) : undefined),
	lossOf: (status = "released") => ({ ...lossOf(status), wayBack: waysBack[status] }),
	assertNotJustBought: ({ session, service }, entry, error) => assertNotJustBought(session, service, entry, error),
	// Without KYC, nothing depends on a status that was never shown.
	saysTooLittle: (record, props) => !showsStatus(record) && (showsStatus(props) || props.kycRequired === true),
	hasSingleReads: ({ client }) => client.offers("getById"),
	lookedUp,
	warn: warnOfProblem,
	// `pulumi import` prints it, so that the program declares it.
	imported: () => ({ onDelete: "retain" }),
	waitsIf: numberDrift.waitsIf,
	condition: numberDrift.condition,
};

export const numberHandler = (session: Session): Handler =>
	handler(session, withPorts(session, lifecycleOf(session, number)), session.memory.number);

/** The lifecycle of a number that is no resource of its own. `source` says whose it is. */
export const numberLifecycle = (session: Session, source: Claimant): Lifecycle =>
	lifecycleOf(session, { ...number, source });

const waysBack: Readonly<Record<string, string>> = {
	released: "To get it back, restore it at the service during its quarantine and before the next `pulumi up`.",
	ported_out: "Another carrier has it now.",
};

function operations(service: Service, session: Session): ObjectOperations<ShownNumber> {
	const { client, numbers } = service;
	return {
		reads: numbers,
		get: (id) => client.numbers.get(id),
		patch: async (id, body) => {
			const patched = await client.numbers.patch(id, body as () => PatchNumber);
			const record = await applied(session, service, patched, () => numbers.again(id));
			numbers.wrote(id, record);
			return record;
		},
	};
}

function failures(olds: Values, inputs: Values, { session }: { readonly session: Session }): CheckFailure[] {
	const adopting = keepAdopt({ noun: "number", changed: changedCriteria(olds, inputs) }, olds, inputs);
	return [...adopting, ...foreignProfile(session, inputs)];
}

async function buy({ session, service, definition }: Run<ShownNumber>, inputs: Values): Promise<Acquired<ShownNumber>> {
	// One list scan serves all resources. Its answer also shows what the service offers.
	await service.numbers.all();
	const claim = identityFor(definition.source, inputs, service);
	refuseUnoffered(service, inputs);
	const urn = String(inputs.resourceUrn ?? "");
	const criteria = criteriaOf(inputs);
	const { record, earlier } = await acquire({ session, service, claim, urn, criteria, inputs });
	// An earlier run may have declared more properties.
	return { claim, start: record, olds: earlier ? resumedOutputs() : {} };
}

/** Later answers needn't repeat what the purchase has said of KYC. */
function withRegulation(record: ShownNumber, { start, olds }: WriteTarget<ShownNumber>): ShownNumber {
	const isRegulated = start.kyc_required === true || olds.kycRequired === true;
	return isRegulated && record.kyc_required === undefined ? { ...record, kyc_required: true } : record;
}

async function carryOut(
	run: Run<ShownNumber>,
	write: Write<ShownNumber>,
	target: WriteTarget<ShownNumber>,
): Promise<void> {
	const { session } = run;
	const { news } = target;
	try {
		await write.send();
	} catch (error) {
		// Some services refuse to configure a number that is still pending.
		const isEarly = isTelephonyError(error) && error.errorCode === "number_not_active";
		if (!isEarly || news.waitForActive === false) throw error;
		await waitFor(session, write, target);
		await write.send();
	}
	await waitFor(session, write, target);
	if (news.waitForActive === false) warnOfProblem(session, write.record, write.outputs(computed(write.record, news)));
}

async function waitFor(session: Session, write: Write<ShownNumber>, target: WriteTarget<ShownNumber>): Promise<void> {
	const { olds, news } = target;
	const known = () => withRegulation(write.record, target);
	write.record = await withStatus(session, known(), news, olds);
	await waitForActive(session, known(), news, (latest) => {
		write.record = latest;
	});
	warnUnnamed(session, news, write.record);
}

function refuseUpdate({ service }: Run<ShownNumber>, record: ShownNumber, olds: Values, news: Values): void {
	const wrong = news.area === olds.area ? undefined : contradiction(criteriaOf(news), record);
	if (wrong !== undefined) throw new TelephonyError("Invalid", `area: ${nameOf(record)} ${wrong} Nothing was changed.`);
	refuseUnoffered(service, news);
}

/** Warns of a problem, and of a wait that needs a person or has a deadline. */
function warnOfProblem({ progress }: Session, record: ShownNumber, outs: Values): void {
	const condition = numberCondition(outs);
	if (condition === undefined) return;
	const { kyc } = outs as ShownNumber;
	if (condition.kind === "waiting" && !needsAction({ kyc }) && !kyc?.deadline) return;
	const ways = condition.ways.map((way) => `${capital(way)}.`).join(" ");
	progress.warn(String(outs.resourceUrn ?? ""), condition.code, `${nameOf(record)} ${condition.consequence}. ${ways}`);
}

/** Refuses a program that declares what the service can't do, before anything is bought. */
function refuseUnoffered({ client }: Service, inputs: Values): void {
	const wanted = Object.keys(createBody(numberProperties, inputs));
	if (wanted.length === 0 || client.offers("patchNumber")) return;
	const names = Object.entries(numberProperties).flatMap(([key, { wire }]) =>
		wire !== undefined && wanted.includes(wire) ? [key] : [],
	);
	throw new TelephonyError(
		"NotOffered",
		`This service can't configure numbers (feature patchNumber), so ${names.join(", ")} can't be set. Nothing was bought or changed. Remove ${names.length > 1 ? "these properties" : "this property"} from the program, or use a service that offers it.`,
		{ feature: "patchNumber" },
	);
}

function explained(error: unknown, record: ShownNumber): unknown {
	if (!isTelephonyError(error) || error.kind === "KycPending" || error.kind === "KycRefused") return error;
	return new TelephonyError(
		error.kind,
		`${nameOf(record)} is saved, but not configured as declared: ${error.message}`,
		{
			cause: error,
		},
	);
}
