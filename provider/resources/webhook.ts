/** A webhook: where the service sends which events, signed with a secret that it shows once. */
import { z } from "zod";
import { type CreateWebhook, eventNames, type PatchWebhook, type WebhookRecord } from "../api/contract";
import { isGone, nextStep, TelephonyError } from "../api/errors";
import { isLoopback } from "../api/transport";
import type { Service, Session } from "../session";
import { canonicalText, canonicalUrl } from "./canonical";
import { type Claim, createOnce, leased, ownership } from "./claim";
import { scalar, setOf, text, urlForm } from "./form";
import {
	changedProperties,
	createBody,
	declaredInputs,
	declaredOutputs,
	liveValues,
	type Properties,
	patchBody,
	type Values,
} from "./properties";
import {
	type ClaimKind,
	checkResource,
	claimFor,
	type Handler,
	handler,
	InitError,
	mayRemove,
	plannedClaim,
} from "./resource";

// ---- Types and properties -------------------------------------------------------------------------------------------

const events = ["*", ...eventNames] as const;

export const webhookProperties: Properties = {
	url: {
		type: z
			.string()
			.max(2048)
			.refine(
				isDeliverable,
				"must be an https URL without credentials or fragment, such as https://hooks.example.com/telephony (plain http for loopback only)",
			),
		required: true,
		wire: "url",
		form: urlForm,
	},
	events: {
		type: z
			.array(z.enum(events, `must be one of ${events.join(", ")}`))
			.min(1, 'must name at least one event, or "*" for all'),
		required: true,
		wire: "events",
		form: setOf(scalar),
	},
	description: {
		type: z.string().max(200, "must have at most 200 characters"),
		wire: "description",
		form: text(canonicalText),
	},
	enabled: { type: z.boolean(), default: true, wire: "enabled" },
	secretRotation: { type: z.union([z.string(), z.number(), z.boolean()], "must be a text or a number") },
};

const claimKind: ClaimKind = { kind: "webhook" };

const nameOf = (record: WebhookRecord) => `${record.url ?? "webhook"} (${record.id})`;

export function webhookHandler(session: Session): Handler {
	return handler(session, {
		// ---- Check ------------------------------------------------------------------------------------------------------

		async check(_olds, news) {
			return checkResource(session, claimKind, webhookProperties, news);
		},

		// ---- Diff -------------------------------------------------------------------------------------------------------

		async diff(_id, olds, news) {
			const claim = await plannedClaim(session, claimKind, news);
			const changes =
				changedProperties(webhookProperties, olds, news).length > 0 ||
				olds.lease === "" ||
				olds.secret === "" ||
				(claim !== undefined && olds.token !== undefined && olds.token !== claim.token);
			return { changes, replaces: [], deleteBeforeReplace: false };
		},

		// ---- Create -----------------------------------------------------------------------------------------------------

		async create(inputs) {
			const service = await session.service();
			const claim = claimFor(claimKind, inputs, service);
			const wanted = createBody(webhookProperties, inputs) as CreateWebhook;
			const made = await createOnce(claim, {
				live: await service.webhooks.all(),
				noun: "webhook",
				describe: nameOf,
				create: (reference, idempotencyKey) =>
					service.client.webhooks.create(
						service.client.offers("reference") === false ? wanted : { ...wanted, reference },
						{ idempotencyKey },
					),
				get: (id) => service.client.webhooks.get(id),
			});
			const outs = await write(
				service,
				claim,
				made.record,
				made.lease,
				made.answer?.secret,
				{},
				inputs,
				made.answer === undefined,
			);
			return { id: made.record.id, outs };
		},

		// ---- Read -------------------------------------------------------------------------------------------------------

		async read(id, props) {
			const service = await session.service();
			const managed = props.token !== undefined;
			let record: WebhookRecord;
			try {
				record = await service.webhooks.read(id);
			} catch (error) {
				if (isGone(error) && managed) return {};
				throw error;
			}
			if (!managed) return { id, props: { ...liveValues(webhookProperties, record), ...computed(record) } };
			const state = ownership(
				claimFor(claimKind, props, service),
				props.lease,
				record,
				service.client.offers("reference"),
			);
			if (state === "foreign")
				session.progress.warn(
					String(props.resourceUrn ?? ""),
					`The webhook ${nameOf(record)} has been claimed by another stack. ${nextStep("Claimed")}`,
				);
			const outs = outputs(record, props, {
				token: props.token,
				lease: state === "stale" ? "" : props.lease,
				secret: wasRotated(record, props) ? "" : props.secret,
			});
			return { id, props: outs, inputs: declaredInputs(webhookProperties, outs) };
		},

		// ---- Update -----------------------------------------------------------------------------------------------------

		async update(id, olds, news) {
			const service = await session.service();
			const claim = claimFor(claimKind, news, service);
			const record = await service.client.webhooks.get(id);
			const state = ownership(claim, olds.lease, record, service.client.offers("reference"));
			if (state === "foreign") {
				throw new TelephonyError(
					"Claimed",
					`The webhook ${nameOf(record)} has been claimed by another stack since this one wrote it last. Nothing was changed. ${nextStep("Claimed")}`,
				);
			}
			const reclaim = state === "stale" || olds.lease === "" || olds.token !== claim.token;
			const rotate =
				olds.secret === "" ||
				wasRotated(record, olds) ||
				String(olds.secretRotation ?? "") !== String(news.secretRotation ?? "");
			const secret = rotate ? undefined : (olds.secret as string | undefined);
			return { outs: await write(service, claim, record, String(olds.lease ?? ""), secret, olds, news, reclaim) };
		},

		// ---- Delete -----------------------------------------------------------------------------------------------------

		async delete(id, props) {
			const service = await session.service();
			try {
				const record = await service.client.webhooks.get(id);
				const claim = claimFor(claimKind, props, service);
				if (!mayRemove(session, claim, props, record, service.client.offers("reference"), `webhook ${nameOf(record)}`))
					return;
				await service.client.webhooks.delete(id);
			} catch (error) {
				if (!isGone(error)) throw error;
			}
			service.webhooks.wrote(id);
		},
	});

	// ---- Helpers ------------------------------------------------------------------------------------------------------

	/** Brings an existing webhook to what is declared; whatever fails, its id and what is known of it are saved. */
	async function write(
		service: Service,
		claim: Claim,
		start: WebhookRecord,
		startLease: string,
		knownSecret: string | undefined,
		olds: Values,
		news: Values,
		reclaim: boolean,
	): Promise<Values> {
		let [record, token, lease, secret] = [start, olds.token ?? claim.token, startLease, knownSecret];
		const outs = () => outputs(record, news, { token, lease, secret: secret ?? "" });
		try {
			const body = patchBody(webhookProperties, olds, news, liveValues(webhookProperties, start)) as PatchWebhook;
			const referenced = reclaim && service.client.offers("reference") !== false;
			if (referenced || Object.keys(body).length > 0) {
				const attempt = leased(claim, body, referenced);
				record = await service.client.webhooks.patch(start.id, attempt.body);
				lease = attempt.lease() || lease;
			}
			token = claim.token;
			// The service shows a secret once: one that nobody here knows is of no use, and is replaced.
			if (secret === undefined) {
				record = await service.client.webhooks.rotateSecret(start.id);
				secret = record.secret;
			}
		} catch (error) {
			throw new InitError(start.id, { ...outs(), __provider: news.__provider }, error);
		} finally {
			service.webhooks.wrote(start.id, record);
		}
		return outs();
	}
}

/** Known by its version, never by its value: a secret that was rotated behind our back is no longer valid. */
const wasRotated = ({ secret_version }: WebhookRecord, { secretVersion }: Values): boolean =>
	secret_version !== undefined && secretVersion !== undefined && secret_version !== secretVersion;

function isDeliverable(value: string): boolean {
	if (canonicalUrl(value) === undefined) return false;
	const url = new URL(value.trim());
	return (
		(url.protocol === "https:" || isLoopback(url.hostname)) &&
		url.username === "" &&
		url.password === "" &&
		!value.includes("#")
	);
}

function computed(record: WebhookRecord): Values {
	return {
		secretHint: record.secret_hint ?? undefined,
		secretVersion: record.secret_version,
		status: record.status,
		createdAt: record.created_at ?? undefined,
		updatedAt: record.updated_at ?? undefined,
	};
}

function outputs(record: WebhookRecord, declared: Values, own: Values): Values {
	return {
		...declaredOutputs(webhookProperties, declared, liveValues(webhookProperties, record)),
		...computed(record),
		...own,
		resourceUrn: declared.resourceUrn,
		organization: declared.organization,
	};
}
