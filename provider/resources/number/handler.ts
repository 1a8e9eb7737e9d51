/** A phone number (DID): bought once by country, type and area, configured in place, never lost by accident. */
import type { NumberRecord, PatchNumber, PurchaseRecord } from "../../api/contract";
import { isGone, isTelephonyError, TelephonyError } from "../../api/errors";
import { isReleasedOrFailed, nameOf, phaseOf, showsStatus, statusOf } from "../../api/record";
import { settleAdopt } from "../../lifecycle/adopt";
import { ownershipRead, refuseClaimed, warnOfClaim } from "../../lifecycle/claimed";
import { imported, refuseImport } from "../../lifecycle/import";
import { lookup, lookupLost } from "../../lifecycle/lookup";
import {
	type ClaimKind,
	checkResource,
	claimFor,
	gone,
	type Handler,
	handler,
	InitError,
	type Lifecycle,
	plannedClaim,
	type ReadResult,
} from "../../lifecycle/resource";
import { Write } from "../../lifecycle/write";
import type { Claim } from "../../ownership/claim";
import { claimOutputs, goneBecause, isToBeClaimed, lossOf } from "../../ownership/ownership";
import type { Bonds } from "../../ownership/reference";
import {
	allDeclared,
	changedProperties,
	createBody,
	declaredInputs,
	liveValues,
	unknownValue,
	type Values,
} from "../../properties/table";
import type { Service, Session } from "../../session/session";
import { applied, isPartial, settled, settledRead } from "../../session/staleness";
import type { Acquired } from "./acquisition";
import { contradiction, idByE164, numberAdopt } from "./adopt";
import { withoutMarks } from "./beside";
import { numberCondition, waitForActive, warnUnnamed, withStatus } from "./kyc";
import { capital } from "./kyc-action";
import {
	changedCriteria,
	computed,
	criteriaOf,
	fixedCriteria,
	flat,
	lookedUp,
	numberClaim,
	numberProperties,
	observedOutputs,
	refusedChanges,
} from "./properties";
import { acquire } from "./purchase";
import { assertNotJustBought, releaseNumber, releasePredecessor } from "./release";

export const numberHandler = (session: Session): Handler =>
	handler(session, numberLifecycle(session), session.memory.number);

/** `kind` says whose numbers they are, if not those of resources of their own. */
export function numberLifecycle(session: Session, kind: ClaimKind = numberClaim): Lifecycle {
	const memory = session.memory.number;
	const checking = { memory, source: kind, properties: numberProperties };
	return {
		// ---- Check ------------------------------------------------------------------------------------------------------

		async check(olds, news) {
			const { inputs, failures } = await checkResource(session, checking, olds, news);
			const refused = refusedChanges(olds, inputs);
			const adopting = settleAdopt(
				{ noun: "number", property: numberAdopt, changed: changedCriteria(olds, inputs) },
				olds,
				inputs,
			);
			if (inputs.adopt !== undefined) inputs.onDelete ??= "retain";
			return { inputs, failures: [...failures, ...(refused.length > 0 ? refused : adopting)] };
		},

		// ---- Diff -------------------------------------------------------------------------------------------------------

		async diff(id, olds, news) {
			const changed = changedProperties(numberProperties, olds, news);
			// An unknown value must not cause a replacement: the engine would delete the number.
			const replaces = changed.filter(
				(key) => (key === "generation" || fixedCriteria(olds).includes(key)) && news[key] !== unknownValue,
			);
			const claim = await plannedClaim(session, kind, news);
			// A replacement is another declaration. Until it is created, the number belongs to the old one.
			const holder = replaces.length === 0 ? (claim?.token ?? olds.token) : olds.token;
			const taken = memory.isTaken(id, [claim?.token, olds.token]);
			memory.found(id);
			if (typeof holder === "string" && holder !== "" && !taken) memory.setHolder(holder, id);
			const changes = changed.length > 0 || isToBeClaimed(olds, claim) || taken;
			return { changes, replaces, deleteBeforeReplace: false };
		},

		/** Nothing waits for a number that is only looked up. */
		awaited: (outs, { waitForActive }) =>
			outs.token === undefined || phaseOf(outs) !== "pending" || waitForActive === false
				? undefined
				: numberCondition(outs),

		// ---- Create -----------------------------------------------------------------------------------------------------

		async create(inputs) {
			const service = await session.service();
			// One list scan serves all resources. Its answer also shows what the service offers.
			await service.numbers.all();
			const claim = claimFor(kind, inputs, service);
			refuseUnoffered(service, inputs);
			const urn = String(inputs.resourceUrn ?? "");
			const criteria = criteriaOf(inputs);
			const { record, earlier, bonds } = await acquire({ session, service, claim, urn, criteria, inputs });
			await releasePredecessor(session, claim, urn);
			// An earlier run may have declared more properties.
			const olds = earlier ? allDeclared(numberProperties) : {};
			return fromHere(service, { start: record, claim, olds, news: inputs, bonds });
		},

		// ---- Read -------------------------------------------------------------------------------------------------------

		async read(asked, props) {
			const service = await session.service();
			// Every create, update and import leaves a token: without one this is `Number.get`.
			const managed = props.token !== undefined;
			const id = asked.startsWith("+") ? await idByE164(service, asked) : asked;
			let record: NumberRecord;
			const ownershipOf = (seen: NumberRecord) => ownershipRead(claimFor(kind, props, service), seen, props);
			const outsOf = (seen: NumberRecord) => ({
				...observedOutputs(seen, props),
				...claimOutputs(props, ownershipOf(seen)),
			});
			try {
				record = await settledRead(session, service, { id, known: props, reads: service.numbers });
				const live = liveValues(numberProperties, flat(record));
				const known = { ...props, claim: undefined };
				// Without KYC, nothing depends on a status that was never shown.
				const lacks = !showsStatus(record) && (showsStatus(props) || props.kycRequired === true);
				const isLess = lacks || isPartial(numberProperties, known, outsOf(record), live);
				if (managed && isLess && service.client.offers("getById")) record = await service.numbers.again(id);
				if (!managed && isReleasedOrFailed(record)) throw gone(`The number ${nameOf(record)} (${statusOf(record)})`);
			} catch (error) {
				if (!isGone(error)) throw error;
				if (managed) await assertNotJustBought(session, service, { id, props }, error);
				return managed ? lost(id, props) : lookupLost(session, { id, props, kind: "number" }, error);
			}
			// The engine keeps this id, but gives the program the one that it asked for.
			const found = id === asked && props.foundId === undefined ? {} : { foundId: id };
			if (!managed) return lookup(id, props, { ...lookedUp(record), ...found });
			if (isReleasedOrFailed(record)) return lost(id, props, statusOf(record));
			memory.setHolder(String(props.token), id);
			const claim = claimFor(kind, props, service);
			warnOfClaim(session, { claim, record, entry: props, what: nameOf(record) });
			const outs = outsOf(record);
			const condition = numberCondition(outs);
			if (condition?.kind === "problem") {
				session.progress.warn(
					String(props.resourceUrn ?? ""),
					condition.code,
					`${nameOf(record)} ${condition.consequence}. ${condition.ways.map((way) => `${capital(way)}.`).join(" ")}`,
				);
			}
			return { id, props: outs, inputs: declaredInputs(numberProperties, outs) };
		},

		// ---- Import -----------------------------------------------------------------------------------------------------

		async import(asked, props) {
			const service = await session.service();
			const id = asked.startsWith("+") ? await idByE164(service, asked) : asked;
			const record = await service.client.numbers.get(id);
			if (isReleasedOrFailed(record)) throw gone(`The number ${nameOf(record)} (${statusOf(record)})`);
			const live = liveValues(numberProperties, flat(record));
			const claim = claimFor(kind, { ...props, ...live }, service);
			refuseImport(session, props, { claim, record, what: nameOf(record) });
			// Nobody has said yet that it may be released.
			const kept = { onDelete: "retain" };
			return imported({ id, claim, properties: numberProperties, live, computed: computed(record), kept });
		},

		// ---- Update -----------------------------------------------------------------------------------------------------

		async update(id, olds, news) {
			const service = await session.service();
			const record = await settled(session, service, olds, () => service.numbers.now(id));
			const claim = claimFor(kind, news, service);
			if (isReleasedOrFailed(record)) throw gone(`The number ${nameOf(record)} (${statusOf(record)})`);
			refuseClaimed(memory, { claim, record, entry: olds, what: nameOf(record) });
			const wrong = news.area === olds.area ? undefined : contradiction(criteriaOf(news), record);
			if (wrong !== undefined)
				throw new TelephonyError("Invalid", `area: ${nameOf(record)} ${wrong} Nothing was changed.`);
			refuseUnoffered(service, news);
			return { outs: (await fromHere(service, { start: record, claim, olds, news })).outs };
		},

		// ---- Delete -----------------------------------------------------------------------------------------------------

		delete: (id, props) => releaseNumber(session, id, props, kind),
	};
	// ---- Helpers: the steps of create and update --------------------------------------------------------------------

	/** From here on the number exists. If anything fails, its id, its known outputs and the reason are saved. */
	async function fromHere(
		service: Service,
		{ start, ...attempted }: { start: Acquired; claim: Claim; olds: Values; news: Values; bonds?: Bonds },
	): Promise<{ id: string; outs: Values }> {
		const { id } = start;
		const { news, olds } = attempted;
		const write = new Write({
			...attempted,
			record: start,
			properties: numberProperties,
			live: (record) => liveValues(numberProperties, flat(record)),
			patch: async (body) => {
				const patched = await service.client.numbers.patch(id, body as () => PatchNumber);
				const record = await applied(session, service, patched, () => service.numbers.again(id));
				service.numbers.wrote(id, record);
				return record;
			},
		});
		// Later answers needn't repeat what the purchase has said of KYC.
		const isRegulated = start.kyc_required === true || olds.kycRequired === true;
		const known = () =>
			isRegulated && write.record.kyc_required === undefined ? { ...write.record, kyc_required: true } : write.record;
		const wait = async () => {
			write.record = await withStatus(session, known(), news, olds);
			await waitForActive(session, known(), news, (latest) => {
				write.record = latest;
			});
			warnUnnamed(session, news, write.record);
		};
		const outs = () => write.outputs(computed(known()));
		try {
			try {
				await write.send();
			} catch (error) {
				// Some services refuse to configure a number that is still pending.
				const isEarly = isTelephonyError(error) && error.errorCode === "number_not_active";
				if (!isEarly || news.waitForActive === false) throw error;
				await wait();
				await write.send();
			}
			withoutMarks(session, service, attempted.claim, id, write.outputs({}));
			await wait();
		} catch (error) {
			throw new InitError(
				id,
				{ ...outs(), ...write.unfinished(error), __provider: news.__provider },
				explained(error, start),
			);
		}
		return { id, outs: outs() };
	}

	/** Warns that a number is gone. No later message names it: the next `up` buys another one. */
	function lost(id: string, props: Values, status = "released"): ReadResult {
		const name = nameOf({ id, number: typeof props.number === "string" ? props.number : null });
		const back = {
			released:
				" To get it back, restore it at the service before its quarantine ends and before the next `pulumi up`.",
			ported_out: " It is with another carrier now.",
		}[status];
		const next =
			props.adopt === undefined
				? "buys another number instead"
				: "fails, because `adopt` names it: remove `adopt` to buy another one";
		const loss = lossOf(status);
		session.progress.warn(
			String(props.resourceUrn ?? ""),
			loss.code,
			`The number ${name} ${goneBecause(loss.word)}. While this program declares it, \`pulumi up\` ${next}.${back ?? ""}`,
		);
		return {};
	}
}

// ---- Helpers ----------------------------------------------------------------------------------------------------------

/** Refuses a program that declares what the service can't do, before anything is bought. */
function refuseUnoffered({ client }: Service, inputs: Values): void {
	const wanted = Object.keys(createBody(numberProperties, inputs));
	if (wanted.length === 0 || client.offers("patchNumber")) return;
	const names = Object.entries(numberProperties).flatMap(([key, { wire }]) =>
		wire !== undefined && wanted.includes(wire) ? [key] : [],
	);
	throw new TelephonyError(
		"NotOffered",
		`This service does not offer to configure numbers (feature patchNumber), so ${names.join(", ")} can't be set. Nothing was bought or changed. Remove ${names.length > 1 ? "these properties" : "this property"} from the program, or use a service that offers it.`,
		{ feature: "patchNumber" },
	);
}

function explained(error: unknown, record: PurchaseRecord): unknown {
	if (!isTelephonyError(error) || error.kind === "KycPending" || error.kind === "KycRefused") return error;
	return new TelephonyError(error.kind, `${nameOf(record)} is bought and saved, but not configured: ${error.message}`, {
		cause: error,
	});
}
