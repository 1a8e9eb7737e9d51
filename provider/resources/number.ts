/** A phone number (DID): bought once by country, type and area, configured in place, never lost by accident. */
import type { NumberRecord, PatchNumber, PurchaseRecord } from "../api/contract";
import { isGone, isTelephonyError, nextStep, TelephonyError } from "../api/errors";
import type { Service, Session } from "../session";
import { isTaken, settleAdopt, takenTwice } from "./adopt";
import { type Claim, claimedByAnother, freshLease, goneBecause, leased, ownership, parseReference } from "./claim";
import { numberStanding, waitForActive } from "./kyc";
import { lookup, lookupLost } from "./lookup";
import { contradiction, idByE164, numberAdopt } from "./number-adopt";
import {
	changedCriteria,
	criteriaOf,
	fixedCriteria,
	flat,
	lookedUp,
	numberClaim,
	numberProperties,
	outputs,
	refusals,
} from "./number-properties";
import {
	allDeclared,
	changedProperties,
	createBody,
	declaredInputs,
	liveValues,
	patchBody,
	type Values,
} from "./properties";
import { type Acquired, acquire } from "./purchase";
import { isOver, nameOf, statusOf } from "./record";
import { releaseNumber, rememberBought } from "./release";
import {
	checkResource,
	claimFor,
	gone,
	type Handler,
	handler,
	InitError,
	plannedClaim,
	type ReadResult,
} from "./resource";
import { applied, settled, settledRead, showsLess } from "./settled";
import { Attempt, attemptIn } from "./unfinished";

export function numberHandler(session: Session): Handler {
	const lifecycle = handler(session, {
		// ---- Check ------------------------------------------------------------------------------------------------------

		async check(olds, news) {
			const { inputs, failures } = await checkResource(session, numberClaim, numberProperties, news);
			const refused = refusals(olds, inputs);
			const adopting = settleAdopt("number", numberAdopt, olds, inputs, changedCriteria(olds, inputs));
			if (inputs.adopt !== undefined) inputs.onDelete ??= "retain";
			return { inputs, failures: [...failures, ...(refused.length > 0 ? refused : adopting)] };
		},

		// ---- Diff -------------------------------------------------------------------------------------------------------

		async diff(id, olds, news) {
			const changed = changedProperties(numberProperties, olds, news);
			const replaces = changed.filter((key) => key === "generation" || fixedCriteria(olds).includes(key));
			const claim = await plannedClaim(session, numberClaim, news);
			const reclaim =
				olds.lease === "" || (claim !== undefined && olds.token !== undefined && olds.token !== claim.token);
			// A replacement is another declaration; until it is created, the number is the old one's.
			const holder = replaces.length === 0 ? (claim?.token ?? olds.token) : olds.token;
			const taken = isTaken(session, id, [claim?.token, olds.token]);
			if (typeof holder === "string" && holder !== "" && !taken) session.memory.own(holder, id);
			const waits = olds.status === "pending" && news.waitForActive !== false;
			return { changes: changed.length > 0 || reclaim || waits || taken, replaces, deleteBeforeReplace: false };
		},

		// ---- Create -----------------------------------------------------------------------------------------------------

		async create(inputs) {
			const service = await session.service();
			const claim = claimFor(numberClaim, inputs, service);
			// One list scan for all resources; its answer also tells what the service offers.
			await service.numbers.all();
			refuseUnoffered(service, inputs);
			const urn = String(inputs.resourceUrn ?? "");
			const adopt = inputs.adopt as string | undefined;
			const criteria = criteriaOf(inputs);
			const { record, earlier } = await acquire({ session, service, claim, urn, criteria, adopt });
			if (adopt === undefined) rememberBought(session, claim, inputs, record);
			const olds = earlier ? allDeclared(numberProperties) : {};
			return fromHere(service, record, { token: claim.token, lease: "" }, claim, olds, inputs, true);
		},

		// ---- Read -------------------------------------------------------------------------------------------------------

		async read(asked, props) {
			const service = await session.service();
			// Every create and update writes a token: without one this is `Number.get`.
			const managed = props.token !== undefined;
			const id = asked.startsWith("+") ? await idByE164(service, asked) : asked;
			let record: NumberRecord;
			try {
				record = await settledRead(session, service, props, service.numbers, id);
				const live = liveValues(numberProperties, flat(record));
				const less = managed && showsLess(props, outputs(record, "", props, ""), live);
				if (less && service.client.offers("getById")) record = await service.numbers.again(id);
				if (!managed && isOver(record)) throw gone(`The number ${nameOf(record)} (${statusOf(record)})`);
			} catch (error) {
				if (!isGone(error)) throw error;
				return managed ? lost(id, props) : lookupLost(session, id, props, "number", error);
			}
			// The engine keeps this id, but gives the program the one that it asked for.
			const found = id === asked && props.foundId === undefined ? {} : { foundId: id };
			if (!managed) return lookup(id, props, { ...lookedUp(record), ...found });
			if (isOver(record)) return lost(id, props, statusOf(record));
			session.memory.own(String(props.token), id);
			const claim = claimFor(numberClaim, props, service);
			const outs = outputs(record, readLease(claim, props, record, service), props, String(props.token));
			const standing = numberStanding(outs);
			if (standing?.kind === "problem") {
				session.progress.warn(
					String(props.resourceUrn ?? ""),
					`${nameOf(record)} ${standing.consequence}. ${standing.ways.join("; ")}.`,
				);
			}
			return { id, props: outs, inputs: declaredInputs(numberProperties, outs) };
		},

		// ---- Update -----------------------------------------------------------------------------------------------------

		async update(id, olds, news) {
			const service = await session.service();
			const claim = claimFor(numberClaim, news, service);
			const record = await settled(session, service, olds, () => service.numbers.now(id));
			if (isOver(record)) throw gone(`The number ${nameOf(record)} (${statusOf(record)})`);
			const state = ownership(claim, olds.lease, record, service.client.offers("reference"));
			if (state === "foreign") {
				throw new TelephonyError(
					"Claimed",
					`${nameOf(record)} ${claimedByAnother} since this one wrote it last. Nothing was changed. ${nextStep("Claimed")}`,
				);
			}
			if (isTaken(session, id, [claim.token, olds.token], parseReference(record.reference)?.token)) {
				throw takenTwice(nameOf(record), "number");
			}
			const wrong = news.area === olds.area ? undefined : contradiction(criteriaOf(news), record);
			if (wrong !== undefined)
				throw new TelephonyError("Invalid", `area: ${nameOf(record)} ${wrong} Nothing was changed.`);
			refuseUnoffered(service, news);
			const written = { token: String(olds.token), lease: String(olds.lease ?? "") };
			const reclaim = state === "stale" || olds.lease === "" || olds.token !== claim.token;
			// The run that bought it ended before it was done, and so before it would have released anything.
			if (olds.status === "pending" || olds.lease === "") rememberBought(session, claim, news, record);
			return { outs: (await fromHere(service, record, written, claim, olds, news, reclaim)).outs };
		},

		// ---- Delete -----------------------------------------------------------------------------------------------------

		delete: (id, props) => releaseNumber(session, id, props),
	});
	let configured = false;
	return {
		...lifecycle,
		configure(request) {
			// Another operation in the same process: who has what may be different by now.
			if (configured) session.memory.clear();
			configured = true;
			return lifecycle.configure(request);
		},
	};

	// ---- Helpers: the steps of create and update --------------------------------------------------------------------

	/**
	 * From here on the number exists: whatever fails, its id, what is known of it and the reason are saved. `written` is
	 * the reference that the service has now: a token that was not written yet must not count as written.
	 */
	async function fromHere(
		service: Service,
		start: Acquired,
		written: { readonly token: string; readonly lease: string },
		claim: Claim,
		olds: Values,
		news: Values,
		reclaim: boolean,
	): Promise<{ id: string; outs: Values }> {
		const { id } = start;
		let [record, { token, lease }] = [start, written];
		const attempt = new Attempt();
		const outs = () => outputs(record, lease, news, token);
		const write = async () => {
			const configured = await configure(service, claim, record, olds, news, reclaim, attempt);
			[record, token, lease] = [configured.record, claim.token, configured.lease || lease];
			service.numbers.wrote(id, configured.record);
		};
		const wait = () =>
			waitForActive(session, record, news, (latest) => {
				record = latest;
			});
		try {
			try {
				await write();
			} catch (error) {
				// Some services configure no number that is still pending.
				const isEarly = isTelephonyError(error) && error.errorCode === "number_not_active";
				if (!isEarly || news.waitForActive === false) throw error;
				await wait();
				await write();
			}
			await wait();
		} catch (error) {
			throw new InitError(id, attempt.mark(outs(), news, error), explained(error, start));
		}
		return { id, outs: outs() };
	}

	/** Sends what differs, and the reference where the number is to be claimed; no request where nothing does. */
	async function configure(
		service: Service,
		claim: Claim,
		record: Acquired,
		olds: Values,
		news: Values,
		reclaim: boolean,
		attempt: Attempt,
	) {
		const body = patchBody(numberProperties, olds, news, liveValues(numberProperties, flat(record))) as PatchNumber;
		const referenced = reclaim && service.client.offers("reference") && service.client.offers("patchNumber");
		// Where the service has no references, a lease that it never sees: an entry without one asks to be claimed.
		const unwritten = reclaim ? freshLease() : "";
		if (!referenced && Object.keys(body).length === 0) return { record, lease: unwritten };
		const request = leased(claim, body, referenced);
		try {
			const patch = () => service.client.numbers.patch(record.id, request.body);
			const patched = await attempt.send(numberProperties, body, referenced ? ["lease"] : [], patch);
			const now = await applied(session, service, patched, () => service.numbers.again(record.id));
			return { record: now, lease: request.lease() || unwritten };
		} catch (error) {
			// Nothing was asked for but our own reference: a service without PATCH can do without.
			if (isTelephonyError(error, "NotOffered") && Object.keys(body).length === 0) return { record, lease: unwritten };
			throw error;
		}
	}

	/** A number that is gone is named here for the last time: the next `up` buys another one. */
	function lost(id: string, props: Values, status = "released"): ReadResult {
		const name = nameOf({ id, number: typeof props.number === "string" ? props.number : null });
		const back = {
			released: " To have it back, restore it at the service while its quarantine lasts, before the next `pulumi up`.",
			ported_out: " It is with another carrier now.",
		}[status];
		const next =
			props.adopt === undefined
				? "buys another number, not this one"
				: "fails, as `adopt` names it: remove `adopt` to buy another one";
		session.progress.warn(
			String(props.resourceUrn ?? ""),
			`The number ${name} ${goneBecause(status.replaceAll("_", " "))}. While this program declares it, \`pulumi up\` ${next}.${back ?? ""}`,
		);
		return {};
	}

	/** What a read makes of the lease: a foreign one is never stored, our own stale one is marked for the next update. */
	function readLease(claim: Claim, props: Values, record: NumberRecord, service: Service): string {
		const state = ownership(claim, props.lease, record, service.client.offers("reference"));
		const warn = (text: string) => session.progress.warn(String(props.resourceUrn ?? ""), text);
		if (state === "stale") {
			// Ours, from a write whose answer never came.
			if (attemptIn(props)?.includes("lease")) return "";
			warn(`The reference of ${nameOf(record)} was changed outside Pulumi; the next \`pulumi up\` writes it anew.`);
			return "";
		}
		if (state === "foreign") warn(`${nameOf(record)} ${claimedByAnother}. ${nextStep("Claimed")}`);
		return String(props.lease ?? "");
	}
}

// ---- Helpers ----------------------------------------------------------------------------------------------------------

/** A program that declares what the service can't do is refused before anything is bought. */
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
