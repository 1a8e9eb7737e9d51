/**
 * The lifecycle of what is only configured, never bought: a trunk, a webhook. Everything changes in place, nothing
 * replaces one, and each may have one secret, which the service shows only in the answer that made it.
 */
import { isGone, nextStep, TelephonyError } from "../api/errors";
import type { Service, Session } from "../session";
import { isTaken, settleAdopt, takenTwice } from "./adopt";
import { sameMarker } from "./canonical";
import {
	type Claim,
	claimedByAnother,
	createOnce,
	goneBecause,
	leased,
	ownership,
	parseReference,
	type Referenced,
} from "./claim";
import { adoptedObject, letGo } from "./configured-adopt";
import type { Configured } from "./configured-definition";
import { lookup, lookupLost } from "./lookup";
import {
	allDeclared,
	changedProperties,
	createBody,
	declaredInputs,
	declaredOutputs,
	patchBody,
	type Values,
} from "./properties";
import { checkResource, claimFor, type Handler, handler, InitError, mayRemove, plannedClaim } from "./resource";
import { isLeftAlone, replacedWarning, wasReplaced } from "./secret";
import { applied, liveBefore, settled, settledRead, showsLess } from "./settled";
import { Attempt, attemptIn } from "./unfinished";
import { onceUnused } from "./unused";

export function configuredHandler<R extends Referenced>(session: Session, definition: Configured<R>): Handler {
	const { kind, properties, secret, live, nameOf } = definition;
	const [claimKind, secretOutputs] = [{ kind }, [secret.output, secret.marker]];

	return handler(session, {
		async check(olds, news) {
			const prepared = definition.prepare?.(news) ?? news;
			const { inputs, failures } = await checkResource(session, claimKind, properties, prepared);
			const adopting = settleAdopt(kind, properties.adopt, olds, inputs);
			return { inputs, failures: [...failures, ...adopting, ...(definition.failures?.(inputs) ?? [])] };
		},

		async diff(id, olds, news) {
			const claim = await plannedClaim(session, claimKind, news);
			const taken = isTaken(session, id, [claim?.token, olds.token]);
			if (claim !== undefined && !taken) session.memory.own(claim.token, id);
			const changes =
				changedProperties(properties, olds, news).length > 0 ||
				taken ||
				olds.lease === "" ||
				olds[secret.output] === "" ||
				(claim !== undefined && olds.token !== undefined && olds.token !== claim.token);
			return { changes, replaces: [], deleteBeforeReplace: false };
		},

		async create(inputs) {
			const service = await session.service();
			const area = definition.area(service);
			const claim = claimFor(claimKind, inputs, service);
			const wanted = createBody(properties, inputs);
			const before = await liveBefore(service, area.reads);
			if (inputs.adopt !== undefined) {
				const urn = String(inputs.resourceUrn ?? "");
				const record = await adoptedObject(definition, area, String(inputs.adopt), {
					session,
					claim,
					urn,
					live: before,
				});
				const start = { record, lease: "", known: undefined, left: inputs[secret.rotation] === undefined };
				return { id: record.id, outs: await write(service, claim, start, {}, inputs, true) };
			}
			const { record, lease, answer } = await createOnce(claim, {
				live: before,
				noun: kind,
				describe: nameOf,
				create: (reference, idempotencyKey) =>
					area.create(service.client.offers("reference") ? { ...wanted, reference } : wanted, {
						idempotencyKey,
					}),
				// A service may lag behind what it has just made.
				get: ({ id, created_at }) => settled(session, service, { createdAt: created_at }, () => area.get(id)),
			});
			session.memory.own(claim.token, record.id);
			if (answer !== undefined) warnOfOrphans(service, inputs, before);
			const known = answer && (secret.declared?.(inputs)?.value ?? secret.shown(answer));
			// What an earlier run may have declared, and this one doesn't, is cleared.
			const olds = answer === undefined ? allDeclared(properties) : {};
			const outs = await write(service, claim, { record, lease, known }, olds, inputs, answer === undefined);
			return { id: record.id, outs };
		},

		async read(id, props) {
			const service = await session.service();
			// Every create and update writes a token: without one this is a program's `get`.
			const managed = props.token !== undefined;
			const { reads } = definition.area(service);
			let record: R;
			try {
				record = await settledRead(session, service, props, reads, id);
				if (managed && showsLess(props, afterRead(record, props), live(record))) record = await reads.again(id);
			} catch (error) {
				if (!isGone(error)) throw error;
				if (!managed) return lookupLost(session, id, props, kind, error);
				const what = `${kind} ${nameOf({ ...props, id } as unknown as R)}`;
				const next =
					props.adopt === undefined
						? definition.lost
						: "fails, as `adopt` names it: remove `adopt` to create another one";
				session.progress.warn(
					String(props.resourceUrn ?? ""),
					`The ${what} ${goneBecause("removed")}. While this program declares it, \`pulumi up\` ${next}.`,
				);
				return {};
			}
			const found = { ...live(record), ...definition.computed(record), [secret.marker]: secret.markerOf(record) };
			if (!managed) return lookup(id, props, found);
			session.memory.own(String(props.token), id);
			const claim = claimFor(claimKind, props, service);
			const state = ownership(claim, props.lease, record, service.client.offers("reference"));
			if (state === "foreign") session.progress.warn(String(props.resourceUrn ?? ""), claimedElsewhere(record));
			const outs: Values = { ...afterRead(record, props), ...(state === "stale" ? { lease: "" } : {}) };
			// Told before it happens: this read may be a preview's.
			if (outs[secret.output] === "" && state !== "foreign" && !attemptIn(props)?.includes(secret.output))
				session.progress.warn(
					String(props.resourceUrn ?? ""),
					replacedWarning(secret, `${kind} ${nameOf(record)}`, outs),
				);
			return { id, props: outs, inputs: declaredInputs(properties, outs) };
		},

		async update(id, olds, news) {
			const service = await session.service();
			const claim = claimFor(claimKind, news, service);
			const record = await settled(session, service, olds, () => definition.area(service).reads.now(id));
			const state = ownership(claim, olds.lease, record, service.client.offers("reference"));
			if (state === "foreign") throw new TelephonyError("Claimed", `${claimedElsewhere(record)} Nothing was changed.`);
			if (isTaken(session, id, [claim.token, olds.token], parseReference(record.reference)?.token)) {
				throw takenTwice(`The ${kind} ${nameOf(record)}`, kind);
			}
			const reclaim = state === "stale" || olds.lease === "" || olds.token !== claim.token;
			const wanted = String(olds[secret.rotation] ?? "") !== String(news[secret.rotation] ?? "");
			const stale = wanted || olds[secret.output] === "" || wasReplaced(secret, record, olds);
			const valid = olds[secret.output] as string | undefined;
			const known = stale ? undefined : valid;
			// Until it is rotated, what is to be rotated goes on being valid.
			const previous = wasReplaced(secret, record, olds) ? undefined : valid;
			const start = {
				record,
				lease: String(olds.lease ?? ""),
				known,
				previous,
				left: !wanted && isLeftAlone(secret, olds),
			};
			return { outs: await write(service, claim, start, olds, news, reclaim) };
		},

		async delete(id, props) {
			const service = await session.service();
			const area = definition.area(service);
			try {
				const record = await settled(session, service, props, () => area.reads.now(id));
				const claim = claimFor(claimKind, props, service);
				const offered = service.client.offers("reference");
				const what = `${kind} ${nameOf(record)}`;
				// A service without references can't show that it was taken over: then a replacement is another object.
				const current = offered ? undefined : session.memory.idOf(String(props.token));
				const replaced = current !== undefined && current !== id;
				// Without references, only this run knows that another declaration has taken it over.
				const holder = session.memory.holderOf(id) ?? "";
				const token = session.declared.has(holder) ? holder : props.token;
				if (!replaced && !mayRemove(session, claim, { ...props, token }, record, offered, what)) return;
				if (props.adopt !== undefined) {
					await letGo(session, service, area, record, { what, urn: String(props.resourceUrn ?? "") });
					return;
				}
				await onceUnused(session, service, id, () => area.delete(id));
			} catch (error) {
				if (!isGone(error)) throw error;
			}
			area.reads.wrote(id);
		},
	});

	/** Brings an existing object to what is declared; whatever fails, its id and what is known of it are saved. */
	async function write(
		service: Service,
		claim: Claim,
		start: {
			readonly record: R;
			readonly lease: string;
			readonly known: string | undefined;
			readonly previous?: string | undefined;
			/** It has a secret that nobody here knows, and that is to stay. */
			readonly left?: boolean;
		},
		olds: Values,
		news: Values,
		reclaim: boolean,
	): Promise<Values> {
		const area = definition.area(service);
		const { id } = start.record;
		let { record, lease, known } = start;
		// A token that is not written yet must not count as written.
		let token = olds.token ?? claim.token;
		const attempt = new Attempt();
		const isLeft = () =>
			start.left === true &&
			known === undefined &&
			secret.exists(start.record) &&
			sameMarker(secret.markerOf(record), secret.markerOf(start.record));
		const outs = () => {
			if (!secret.exists(record)) return outputs(record, news, { token, lease });
			const marker = secret.markerOf(record);
			const previous = sameMarker(marker, secret.markerOf(start.record)) ? start.previous : undefined;
			const own = { [secret.output]: isLeft() ? undefined : (known ?? previous ?? ""), [secret.marker]: marker };
			// Not rotated yet: the old wish stands, so that the next update rotates.
			const wish = known === undefined && previous ? { [secret.rotation]: olds[secret.rotation] } : {};
			return outputs(record, news, { token, lease, ...own, ...wish });
		};
		try {
			const declared = secret.declared?.(news);
			const body = {
				...patchBody(properties, olds, news, live(record)),
				...(declared !== undefined && declared.value !== known ? declared.body : {}),
			};
			const referenced = reclaim && service.client.offers("reference");
			if (referenced || Object.keys(body).length > 0) {
				const request = leased(claim, body, referenced);
				const others = [referenced ? ["lease"] : [], declared === undefined ? [] : secretOutputs].flat();
				record = await attempt.send(properties, body, others, () => area.patch(id, request.body));
				lease = request.lease() || lease;
				token = claim.token;
				// What other answers show of a secret may be a mask.
				const isNew = !sameMarker(secret.markerOf(record), secret.markerOf(start.record));
				known = declared?.value ?? (isNew ? secret.shown(record) : undefined) ?? known;
			}
			// A secret that nobody here knows is of no use, and is replaced; not an adopted object's, which is in use elsewhere.
			if (secret.exists(record) && known === undefined && !isLeft()) {
				record = await attempt.send(properties, {}, secretOutputs, () => area.rotate(id));
				known = secret.shown(record);
			}
			record = await applied(session, service, record, () => area.get(id));
		} catch (error) {
			throw new InitError(id, attempt.mark(outs(), news, error), error);
		} finally {
			area.reads.wrote(id, record);
		}
		return outs();
	}

	function afterRead(record: R, props: Values): Values {
		const { token, lease } = props;
		if (!secret.exists(record)) return outputs(record, props, { token, lease });
		const valid = wasReplaced(secret, record, props) ? "" : props[secret.output];
		const [before, now] = [props[secret.marker], secret.markerOf(record)];
		// The same time may be spelled otherwise: that is no news.
		const marker = now === undefined || sameMarker(now, before) ? before : now;
		return outputs(record, props, { token, lease, [secret.output]: valid, [secret.marker]: marker });
	}

	/** `declared` are the inputs of a write, or a state's outputs: either holds just the declared properties. */
	function outputs(record: R, declared: Values, own: Values): Values {
		return {
			...declaredOutputs(properties, declared, live(record)),
			...definition.computed(record),
			...own,
			resourceUrn: declared.resourceUrn,
			organization: declared.organization,
		};
	}

	/** A service with neither keys nor references can't tell what a run that was cut short has left. */
	function warnOfOrphans(service: Service, inputs: Values, before: readonly R[]): void {
		const { client } = service;
		if (client.offers("reference") || (client.knows("idempotencyKey") && client.offers("idempotencyKey"))) return;
		const told = Object.fromEntries(Object.entries(properties).filter(([key]) => key === definition.toldBy));
		const alike = before.filter(
			(other) =>
				session.memory.holderOf(other.id) === undefined && changedProperties(told, live(other), inputs).length === 0,
		);
		if (alike.length === 0) return;
		session.progress.warn(
			String(inputs.resourceUrn ?? ""),
			`The account had a ${kind} like this one already: ${alike.map(nameOf).join(", ")}. An interrupted run may have left it behind: the service keeps nothing that would tell. If nobody needs it, delete it in the service's dashboard.`,
		);
	}

	function claimedElsewhere(record: R): string {
		return `The ${kind} ${nameOf(record)} ${claimedByAnother} since this one wrote it last. ${nextStep("Claimed")}`;
	}
}
