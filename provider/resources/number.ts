/** A phone number (DID): bought once by country, type and area, configured in place, never lost by accident. */
import { isSupportedCountry } from "libphonenumber-js/max";
import { z } from "zod";
import { type BuyNumber, type NumberRecord, numberTypes, PatchNumber, type PurchaseRecord } from "../api/contract";
import { isGone, isTelephonyError, nextStep, TelephonyError } from "../api/errors";
import type { Service, Session } from "../session";
import { canonicalAdopt, settleAdopt } from "./adopt";
import { canonicalE164 } from "./canonical";
import { type Claim, claimedByAnother, freshLease, goneBecause, leased, ownership } from "./claim";
import type { DriftDefinition } from "./drift";
import { text, urlForm, words } from "./form";
import { numberStanding, waitForActive } from "./kyc";
import {
	allDeclared,
	type CheckFailure,
	changedProperties,
	createBody,
	declaredInputs,
	declaredOutputs,
	liveValues,
	neverDrift,
	type Properties,
	patchBody,
	unknownValue,
	type Values,
} from "./properties";
import { acquire } from "./purchase";
import { isOver, nameOf, statusOf } from "./record";
import {
	type ClaimKind,
	checkResource,
	claimFor,
	gone,
	type Handler,
	handler,
	InitError,
	mayRemove,
	plannedClaim,
	type ReadResult,
} from "./resource";
import { httpsUrl, idOfOther, routing } from "./routing";
import { applied, lagSays, settled, settledRead } from "./settled";

// ---- Types and properties -------------------------------------------------------------------------------------------

const seconds = z.int("must be a whole number of seconds").min(1, "must be at least 1 second");

export const numberProperties: Properties = {
	country: {
		type: z
			.string()
			.refine((code) => isSupportedCountry(code), "must be a two-letter ISO 3166 code in upper case, such as NL"),
		required: true,
		wire: "country",
		fixed: true,
	},
	type: {
		type: z.enum(numberTypes, `must be one of ${numberTypes.join(", ")}`),
		required: true,
		wire: "type",
		fixed: true,
	},
	area: {
		type: z.string().min(1).max(20, 'must be an area code of at most 20 characters, such as "20"'),
		wire: "area",
		fixed: true,
	},
	routing,
	smsWebhookUrl: { type: httpsUrl, wire: "sms_webhook_url", form: urlForm, severity: "high" },
	label: { type: PatchNumber.shape.label.unwrap().unwrap(), wire: "label", form: words, severity: "low" },
	metadata: {
		type: PatchNumber.shape.metadata.unwrap().unwrap(),
		wire: "metadata",
		form: { kind: "map" },
		severity: "low",
	},
	kycProfileId: { type: idOfOther, wire: "kyc_profile_id" },
	releaseProtection: { type: z.boolean(), wire: "release_protection", cleared: false },
	waitForActive: { type: z.boolean(), default: true },
	activationTimeout: { type: seconds, default: 600 },
	onDelete: { type: z.enum(["release", "retain"], "must be release or retain") },
	allowReplacement: { type: z.boolean(), default: false },
	generation: {
		type: z.int("must be a whole number").min(0, "must not be negative"),
		default: 0,
		change: "buys another number, releases this one",
	},
	adopt: {
		type: z.string().trim().min(1, "must be the id of a number, or its E.164").max(64),
		change: "refused once the number is there; removing it changes nothing",
		form: text(canonicalAdopt, "spelling of a phone number"),
	},
};

export const numberDrift: DriftDefinition = {
	properties: numberProperties,
	outputs: {
		number: "shown; it comes late where the carrier assigns it late",
		status:
			"`pending` becoming `active` is progress; `pending` and wanted active is an update that waits; `suspended`, `porting_out` or a word that this version doesn't know is a warning; `released`, `ported_out` and `failed` mean that the number is gone",
		kycRequired: neverDrift,
		kyc: "`rejected` and `expired` are a warning with the service's reasons; all else is progress",
		capabilities: neverDrift,
		price: neverDrift,
		source: neverDrift,
		createdAt: neverDrift,
		updatedAt: lagSays,
		activatedAt: neverDrift,
	},
	lost: {
		consequence: "buys a new number",
		way: "ask the service to restore the lost one; otherwise `pulumi up --refresh` buys a new number",
	},
	standing: numberStanding,
};

const criteriaKeys = ["country", "type", "area"] as const;

const claimKind: ClaimKind = {
	kind: "number",
	criteria: (inputs) => [...criteriaKeys.map((key) => inputs[key]), inputs.generation ?? 0],
};

export function numberHandler(session: Session): Handler {
	const lifecycle = handler(session, {
		// ---- Check ------------------------------------------------------------------------------------------------------

		async check(olds, news) {
			const { inputs, failures } = await checkResource(session, claimKind, numberProperties, news);
			const refused = refusals(olds, inputs);
			const named = new Set(refused.map(({ property }) => property));
			const adopting = settleAdopt(olds, inputs, criteriaKeys).filter(({ property }) => !named.has(property));
			return { inputs, failures: [...failures, ...refused, ...adopting] };
		},

		// ---- Diff -------------------------------------------------------------------------------------------------------

		async diff(id, olds, news) {
			const changed = changedProperties(numberProperties, olds, news);
			const replaces = changed.filter((key) => key === "generation" || isCriterion(key));
			const claim = await plannedClaim(session, claimKind, news);
			const reclaim =
				olds.lease === "" || (claim !== undefined && olds.token !== undefined && olds.token !== claim.token);
			// A replacement is another declaration; until it is created, the number is the old one's.
			const holder = replaces.length === 0 ? (claim?.token ?? olds.token) : olds.token;
			if (typeof holder === "string" && holder !== "") session.memory.own(holder, id);
			const waits = olds.status === "pending" && news.waitForActive !== false;
			return { changes: changed.length > 0 || reclaim || waits, replaces, deleteBeforeReplace: false };
		},

		// ---- Create -----------------------------------------------------------------------------------------------------

		async create(inputs) {
			const service = await session.service();
			const claim = claimFor(claimKind, inputs, service);
			// One list scan for all resources; its answer also tells what the service offers.
			await service.numbers.all();
			await refuseUnoffered(service, inputs);
			const urn = String(inputs.resourceUrn ?? "");
			const adopt = inputs.adopt as string | undefined;
			const criteria = criteriaOf(inputs);
			const { record, earlier } = await acquire({ session, service, claim, urn, criteria, adopt });
			return fromHere(record, { token: claim.token, lease: "" }, inputs, claim, async (keep) => {
				const olds = earlier ? allDeclared(numberProperties) : {};
				const configured = await configure(service, claim, record, olds, inputs, true);
				service.numbers.wrote(record.id, configured.record);
				keep(configured.record, configured.lease);
				await waitForActive(session, configured.record, inputs, (latest) => keep(latest, configured.lease));
			});
		},

		// ---- Read -------------------------------------------------------------------------------------------------------

		async read(id, props) {
			const service = await session.service();
			// Every create and update writes a token: without one this is `Number.get`.
			const managed = props.token !== undefined;
			let record: NumberRecord;
			try {
				record = await settledRead(session, service, props, service.numbers, id);
			} catch (error) {
				if (isGone(error) && managed) return lost(id, props);
				throw error;
			}
			if (isOver(record)) {
				if (managed) return lost(id, props, statusOf(record));
				throw gone(`The number ${nameOf(record)} (${statusOf(record)})`);
			}
			if (!managed)
				return { id, props: { ...withoutAbsent(liveValues(numberProperties, flat(record))), ...computed(record) } };
			session.memory.own(String(props.token), id);
			const claim = claimFor(claimKind, props, service);
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
			const claim = claimFor(claimKind, news, service);
			const record = await settled(session, service, olds, () => service.client.numbers.get(id));
			if (isOver(record)) throw gone(`The number ${nameOf(record)} (${statusOf(record)})`);
			const state = ownership(claim, olds.lease, record, service.client.offers("reference"));
			if (state === "foreign") {
				throw new TelephonyError(
					"Claimed",
					`${nameOf(record)} ${claimedByAnother} since this one wrote it last. Nothing was changed. ${nextStep("Claimed")}`,
				);
			}
			await refuseUnoffered(service, news);
			const written = { token: String(olds.token), lease: String(olds.lease ?? "") };
			const outcome = await fromHere(record, written, news, claim, async (keep) => {
				const reclaim = state === "stale" || olds.lease === "" || olds.token !== claim.token;
				const configured = await configure(service, claim, record, olds, news, reclaim);
				const lease = configured.lease || written.lease;
				service.numbers.wrote(id, configured.record);
				keep(configured.record, lease);
				await waitForActive(session, configured.record, news, (latest) => keep(latest, lease));
			});
			return { outs: outcome.outs };
		},

		// ---- Delete -----------------------------------------------------------------------------------------------------

		async delete(id, props) {
			const service = await session.service();
			const urn = String(props.resourceUrn ?? "");
			let record: NumberRecord;
			try {
				record = await settled(session, service, props, () => service.client.numbers.get(id));
			} catch (error) {
				if (isGone(error)) return;
				throw error;
			}
			if (isOver(record)) return;
			const what = `number ${nameOf(record)}`;
			const offered = service.client.offers("reference");
			const holder = session.memory.holderOf(id) ?? "";
			// Without references, only this run knows that another declaration has taken the number over.
			const token = session.declared.has(holder) ? holder : props.token;
			const claim = claimFor(claimKind, props, service);
			if (!mayRemove(session, claim, { ...props, token }, record, offered, what)) {
				// A replacement may delete first, and then create: it finds the number here.
				if (typeof token === "string" && session.declared.has(token)) session.memory.own(token, id);
				return;
			}
			if (props.onDelete === "retain") {
				if (offered !== false && record.reference != null) await service.client.numbers.patch(id, { reference: null });
				service.numbers.wrote(id);
				session.memory.forget(id);
				session.progress.warn(
					urn,
					`Kept ${what} on the account, as \`onDelete: "retain"\` asks. It goes on costing money.`,
				);
				return;
			}
			if (props.releaseProtection === true) {
				throw new TelephonyError(
					"Conflict",
					`The ${what} is protected by \`releaseProtection\` and was not released. To release it, set \`releaseProtection: false\` and run \`pulumi up\`; to keep it and only forget it, set \`onDelete: "retain"\`.`,
				);
			}
			try {
				await release(service, record);
			} catch (error) {
				if (!isGone(error)) throw notReleased(error, what);
			}
			service.numbers.wrote(id);
			session.memory.forget(id);
		},
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
		start: PurchaseRecord & { readonly id: string },
		written: { readonly token: string; readonly lease: string },
		inputs: Values,
		claim: Claim,
		steps: (keep: (record: PurchaseRecord, lease: string) => void) => Promise<void>,
	): Promise<{ id: string; outs: Values }> {
		let [record, token, lease]: [PurchaseRecord, string, string] = [start, written.token, written.lease];
		const outs = () => outputs(record, lease, inputs, token);
		try {
			await steps((nextRecord, nextLease) => {
				[record, token, lease] = [nextRecord, claim.token, nextLease];
			});
		} catch (error) {
			throw new InitError(start.id, { ...outs(), __provider: inputs.__provider }, explained(error, start));
		}
		return { id: start.id, outs: outs() };
	}

	/** Sends what differs, and the reference where the number is to be claimed; no request where nothing does. */
	async function configure(
		service: Service,
		claim: Claim,
		record: PurchaseRecord & { readonly id: string },
		olds: Values,
		news: Values,
		reclaim: boolean,
	) {
		const body = patchBody(numberProperties, olds, news, liveValues(numberProperties, flat(record))) as PatchNumber;
		const referenced =
			reclaim && service.client.offers("reference") !== false && service.client.offers("patchNumber") !== false;
		// Where the service has no references, a lease that it never sees: an entry without one asks to be claimed.
		const unwritten = reclaim ? freshLease() : "";
		if (!referenced && Object.keys(body).length === 0) return { record, lease: unwritten };
		const attempt = leased(claim, body, referenced);
		try {
			const patched = await service.client.numbers.patch(record.id, attempt.body);
			const now = await applied(session, service, patched, () => service.numbers.again(record.id));
			return { record: now, lease: attempt.lease() || unwritten };
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
			released:
				" To have it back, restore it at the service while its quarantine lasts, and refresh again before anything is bought.",
			ported_out: " It is with another carrier now.",
		}[status];
		session.progress.warn(
			String(props.resourceUrn ?? ""),
			`The number ${name} ${goneBecause(status.replaceAll("_", " "))}. While this program declares it, \`pulumi up\` buys another number, not this one.${back ?? ""}`,
		);
		return {};
	}

	/** What a read makes of the lease: a foreign one is never stored, our own stale one is marked for the next update. */
	function readLease(claim: Claim, props: Values, record: NumberRecord, service: Service): string {
		const state = ownership(claim, props.lease, record, service.client.offers("reference"));
		const urn = String(props.resourceUrn ?? "");
		if (state === "stale") {
			session.progress.warn(
				urn,
				`The reference of ${nameOf(record)} was changed outside Pulumi; the next \`pulumi up\` writes it anew.`,
			);
			return "";
		}
		if (state === "foreign")
			session.progress.warn(urn, `${nameOf(record)} ${claimedByAnother}. ${nextStep("Claimed")}`);
		return String(props.lease ?? "");
	}
}

// ---- Helpers ----------------------------------------------------------------------------------------------------------

/** Some services release no number that is still routed somewhere. */
async function release({ client }: Service, { id, routing }: NumberRecord): Promise<void> {
	try {
		await client.numbers.release(id);
	} catch (error) {
		const isRouted = isTelephonyError(error, "Conflict") && error.errorCode === "number_in_use" && routing;
		if (!isRouted) throw error;
		await client.numbers.patch(id, { routing: null });
		await client.numbers.release(id);
	}
}

/** A release that the service refuses: why, and how to go on without one. */
function notReleased(error: unknown, what: string): unknown {
	if (!isTelephonyError(error, "Conflict") && !isTelephonyError(error, "NotOffered")) return error;
	return new TelephonyError(
		error.kind,
		`The ${what} was not released: ${error.message} To keep it on the account and only forget it here, set \`onDelete: "retain"\` and run \`pulumi up\` before you remove it.`,
		{ cause: error },
	);
}

const isCriterion = (key: string) => (criteriaKeys as readonly string[]).includes(key);

function criteriaOf({ country, type, area }: Values): BuyNumber {
	return { country, type, ...(area === undefined ? {} : { area }) } as BuyNumber;
}

/** What would buy another number and lose this one is refused at preview; `olds` are the inputs of the last write. */
function refusals(olds: Values, inputs: Values): CheckFailure[] {
	if (olds.country === undefined) return [];
	const refused: CheckFailure[] = [];
	// What is not known yet is judged once it is.
	const changes = (key: string, otherwise?: unknown) =>
		inputs[key] !== unknownValue && (olds[key] ?? otherwise) !== (inputs[key] ?? otherwise);
	const isProtected = olds.releaseProtection === true;
	const isAllowed = !isProtected && (inputs.allowReplacement === true || inputs.allowReplacement === unknownValue);
	for (const key of criteriaKeys) {
		if (isAllowed || !changes(key)) continue;
		const wayOut = isProtected
			? "it is protected: set `releaseProtection: false` and run `pulumi up` first, then set `allowReplacement: true`"
			: "to do just that, set `allowReplacement: true`; otherwise put the old value back";
		refused.push({
			property: key,
			reason: `${key}: changing it from ${JSON.stringify(olds[key] ?? null)} to ${JSON.stringify(inputs[key] ?? null)} would buy another number and release this one: ${wayOut}`,
		});
	}
	if (isProtected && changes("generation", 0)) {
		refused.push({
			property: "generation",
			reason:
				"generation: a new one would buy another number and release this one, which is protected: set `releaseProtection: false` and run `pulumi up` first",
		});
	}
	return refused;
}

/** A program that declares what the service can't do is refused before anything is bought. */
async function refuseUnoffered({ client }: Service, inputs: Values): Promise<void> {
	const wanted = Object.keys(createBody(numberProperties, inputs));
	if (wanted.length === 0 || (await client.numbers.canPatch())) return;
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

/** The profile stands inside `kyc` in answers, and beside it in requests. */
const flat = (record: PurchaseRecord): Values => ({ ...record, kyc_profile_id: record.kyc?.profile_id });

const withoutAbsent = (values: Values) =>
	Object.fromEntries(Object.entries(values).filter(([, value]) => value != null));

function computed(record: PurchaseRecord): Values {
	const { kyc } = record;
	return withoutAbsent({
		number: record.number == null ? undefined : (canonicalE164(record.number) ?? record.number),
		status: statusOf(record),
		kycRequired: record.kyc_required ?? false,
		kyc:
			kyc == null
				? undefined
				: withoutAbsent({ status: kyc.status, reasons: kyc.reasons ?? [], deadline: kyc.deadline }),
		capabilities: record.capabilities === undefined ? undefined : [...record.capabilities].sort(),
		price: record.price,
		source: record.source,
		createdAt: record.created_at,
		updatedAt: record.updated_at,
		activatedAt: record.activated_at,
	});
}

/** `declared` are the inputs of a write, or a state's outputs: either holds just the declared properties. */
function outputs(record: PurchaseRecord, lease: string, declared: Values, token: string): Values {
	return {
		...declaredOutputs(numberProperties, declared, liveValues(numberProperties, flat(record))),
		...computed(record),
		token,
		lease,
		resourceUrn: declared.resourceUrn,
		organization: declared.organization,
	};
}
