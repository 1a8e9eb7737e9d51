/**
 * The lifecycle of objects that are configured but never bought: trunks and webhooks. Everything changes in place,
 * nothing causes a replacement, and each may have one secret, shown only in the answer that made it.
 */
import { isGone } from "../api/errors";
import { type Claim, createClaimed, type Referenced } from "../ownership/claim";
import { bondsOf, claimOutputs, goneBecause, isToBeClaimed, losses } from "../ownership/ownership";
import type { Bonds } from "../ownership/reference";
import { sameMarker } from "../properties/canonical";
import { allDeclared, changedProperties, createBody, declaredInputs, type Values } from "../properties/table";
import { attemptIn, readOutputs } from "../properties/unfinished";
import type { Service, Session } from "../session/session";
import { applied, isKeyed, isPartial, liveBefore, settled, settledRead } from "../session/staleness";
import { settleAdopt } from "./adopt";
import { isHeldByAnother, ownershipRead, refuseClaimed, warnOfClaim } from "./claimed";
import { adoptedObject, isToBeRemoved, letGo } from "./configured-adopt";
import type { Configured } from "./configured-definition";
import { imported, refuseImport } from "./import";
import { lookup, lookupLost } from "./lookup";
import { checkResource, claimFor, type Handler, handler, InitError, plannedClaim } from "./resource";
import { isLeftAlone, replacedWarning, wasReplaced } from "./secret";
import { onceUnused } from "./unused";
import { Write } from "./write";

/** What is known about an object's secret before a write. */
interface Before {
	/** The secret that is to stay. */
	readonly known?: string | undefined;
	/** The secret that stays valid until it is rotated. */
	readonly previous?: string | undefined;
	/** True if the secret isn't known here and is to stay. */
	readonly left?: boolean;
}

export function configuredHandler<R extends Referenced>(session: Session, definition: Configured<R>): Handler {
	const { kind, properties, secret, live, nameOf } = definition;
	const [claimKind, secretOutputs] = [{ kind }, [secret.output, secret.marker]];
	const memory = session.memory[kind];
	const named = (record: R) => `The ${kind} ${nameOf(record)}`;

	const lifecycle: Omit<Handler, "configure"> = {
		async check(olds, news) {
			const prepared = definition.prepare?.(news) ?? news;
			const { inputs, failures } = await checkResource(
				session,
				{ memory, source: claimKind, properties },
				olds,
				prepared,
			);
			const adopting = settleAdopt({ noun: kind, property: properties.adopt }, olds, inputs);
			return { inputs, failures: [...failures, ...adopting, ...(definition.failures?.(inputs) ?? [])] };
		},

		async diff(id, olds, news) {
			const claim = await plannedClaim(session, claimKind, news);
			const taken = memory.isTaken(id, [claim?.token, olds.token]);
			if (claim !== undefined && !taken) memory.setHolder(claim.token, id);
			const changes =
				changedProperties(properties, olds, news).length > 0 ||
				taken ||
				olds[secret.output] === "" ||
				isToBeClaimed(olds, claim);
			return { changes, replaces: [], deleteBeforeReplace: false };
		},

		async create(inputs) {
			const service = await session.service();
			const operations = definition.operations(service);
			const wanted = createBody(properties, inputs);
			const before = await liveBefore(service, operations.reads);
			const claim = claimFor(claimKind, inputs, service);
			const account = await service.presence.refuseStrange(claim, before);
			if (inputs.adopt !== undefined) {
				const urn = String(inputs.resourceUrn ?? "");
				const run = { session, memory, claim, urn, live: before };
				const record = await adoptedObject(definition, operations, String(inputs.adopt), run);
				const left = inputs[secret.rotation] === undefined;
				return {
					id: record.id,
					outs: await write(
						service,
						{ claim, start: record, olds: {}, news: inputs, bonds: { account, beside: "" } },
						{ left },
					),
				};
			}
			const { record, lease, answer } = await createClaimed(claim, {
				live: before,
				noun: kind,
				describe: nameOf,
				isHeldByAnother: (id) => isHeldByAnother(session, memory, claim, id),
				create: (reference, idempotencyKey) =>
					operations.create(service.client.offers("reference") ? { ...wanted, reference } : wanted, {
						idempotencyKey,
					}),
				// A service may lag behind what it has just made.
				get: ({ id, created_at }) => settled(session, service, { createdAt: created_at }, () => operations.get(id)),
			});
			memory.acquire(claim.token, record.id);
			if (answer !== undefined) {
				memory.made.add(record.id);
				warnOfOrphans(service, inputs, before);
			}
			const known = answer && (secret.declared?.(inputs)?.value ?? secret.shown(answer));
			// Clears what an earlier run may have declared and this one doesn't.
			const olds = answer === undefined ? allDeclared(properties) : { token: claim.token, lease };
			// A creation sends no word, so a run that is killed here must not add another than its entry has.
			const bonds = lease === "" && record.reference ? bondsOf(record, {}) : { account, beside: "" };
			const outs = await write(service, { claim, start: record, olds, news: inputs, bonds }, { known });
			return { id: record.id, outs: { account, ...outs } };
		},

		async read(id, props) {
			const service = await session.service();
			// Every create, update and import leaves a token, so without one this is a program's `get`.
			const managed = props.token !== undefined;
			const { reads } = definition.operations(service);
			let record: R;
			try {
				record = await settledRead(session, service, { id, known: props, reads });
				const known = { ...props, claim: undefined };
				if (managed && isPartial(properties, known, afterRead(service, record, props), live(record)))
					record = await reads.again(id);
			} catch (error) {
				if (!isGone(error)) throw error;
				if (!managed) return lookupLost(session, { id, props, kind }, error);
				const what = `${kind} ${nameOf({ ...props, id } as unknown as R)}`;
				const next =
					props.adopt === undefined
						? definition.lost
						: "fails, because `adopt` names it: remove `adopt` to create another one";
				session.progress.warn(
					String(props.resourceUrn ?? ""),
					losses.removed.code,
					`The ${what} ${goneBecause(losses.removed.word)}. While this program declares it, \`pulumi up\` ${next}.`,
				);
				return {};
			}
			const found = { ...live(record), ...definition.computed(record), [secret.marker]: secret.markerOf(record) };
			if (!managed) return lookup(id, props, found);
			memory.setHolder(String(props.token), id);
			const claim = claimFor(claimKind, props, service);
			const state = ownershipRead(claim, record, props);
			warnOfClaim(session, { claim, record, entry: props, what: named(record) }, state);
			const outs = afterRead(service, record, props);
			const isKnown = attemptIn(props)?.includes(secret.output) || state === "somebody else's";
			// Warns before it happens, as this read may be part of a preview.
			if (outs[secret.output] === "" && !isKnown)
				session.progress.warn(
					String(props.resourceUrn ?? ""),
					"secret-replaced",
					replacedWarning(secret, `${kind} ${nameOf(record)}`, outs),
				);
			return { id, props: outs, inputs: declaredInputs(properties, outs) };
		},

		async import(id, props) {
			const service = await session.service();
			const record = await definition.operations(service).get(id);
			const claim = claimFor(claimKind, props, service);
			refuseImport(session, props, { claim, record, what: named(record) });
			const computed = { ...definition.computed(record), [secret.marker]: secret.markerOf(record) };
			// It was there before the program, so `destroy` leaves it there.
			return imported({ id, claim, properties, live: live(record), computed, kept: { adopt: id } });
		},

		async update(id, olds, news) {
			const service = await session.service();
			const record = await settled(session, service, olds, () => definition.operations(service).reads.now(id));
			const claim = claimFor(claimKind, news, service);
			refuseClaimed(memory, { claim, record, entry: olds, what: named(record) });
			const wanted = String(olds[secret.rotation] ?? "") !== String(news[secret.rotation] ?? "");
			const stale = wanted || olds[secret.output] === "" || wasReplaced(secret, record, olds);
			const valid = olds[secret.output] as string | undefined;
			// A secret that is to be rotated stays valid until then.
			const previous = wasReplaced(secret, record, olds) ? undefined : valid;
			const before = { known: stale ? undefined : valid, previous, left: !wanted && isLeftAlone(secret, olds) };
			return { outs: await write(service, { claim, start: record, olds, news }, before) };
		},

		async delete(id, props) {
			const service = await session.service();
			const operations = definition.operations(service);
			try {
				const look = () => settled(session, service, props, () => operations.reads.now(id));
				const record = await service.presence.judge(id, String(props.account ?? ""), look);
				const claim = claimFor(claimKind, props, service);
				const going = { claim, record, entry: props, what: `${kind} ${nameOf(record)}` };
				if (!isToBeRemoved(session, memory, going)) return;
				if (props.adopt !== undefined) return await letGo(session, memory, operations, going);
				await onceUnused(session, service, id, () => operations.delete(id));
			} catch (error) {
				if (!isGone(error)) throw error;
			}
			operations.reads.wrote(id);
		},
	};
	return handler(session, lifecycle, memory);

	/** Brings an existing object to what is declared. If anything fails, its id and its known outputs are saved. */
	async function write(
		service: Service,
		{ start, ...attempted }: { claim: Claim; start: R; olds: Values; news: Values; bonds?: Bonds },
		before: Before,
	): Promise<Values> {
		const operations = definition.operations(service);
		const { id } = start;
		const { olds, news } = attempted;
		const attempt = new Write<R>({
			...attempted,
			record: start,
			properties,
			live,
			patch: (body) => operations.patch(id, body),
		});
		const markerBefore = secret.markerOf(start);
		let secretNow = before.known;
		const isLeft = () =>
			before.left === true &&
			secretNow === undefined &&
			secret.exists(start) &&
			sameMarker(secret.markerOf(attempt.record), markerBefore);
		const outs = () => {
			const { record } = attempt;
			const outputs = attempt.outputs(definition.computed(record));
			if (!secret.exists(record)) return outputs;
			const marker = secret.markerOf(record);
			const still = sameMarker(marker, markerBefore) ? before.previous : undefined;
			const own = { [secret.output]: isLeft() ? undefined : (secretNow ?? still ?? ""), [secret.marker]: marker };
			// Not rotated yet: keep the old rotation value, so that the next update rotates.
			const wish = secretNow === undefined && still ? { [secret.rotation]: olds[secret.rotation] } : {};
			return { ...outputs, ...own, ...wish };
		};
		try {
			const declared = secret.declared?.(news);
			const isNewest = declared === undefined || declared.value === before.known;
			await attempt.send(isNewest ? {} : declared.body, declared === undefined ? [] : secretOutputs);
			// Other answers may show only a mask of the secret.
			const isNew = !sameMarker(secret.markerOf(attempt.record), markerBefore);
			secretNow = declared?.value ?? (isNew ? secret.shown(attempt.record) : before.known);
			// Replaces a secret that isn't known here, as it is useless. An adopted object's is used elsewhere and stays.
			if (secret.exists(attempt.record) && secretNow === undefined && !isLeft()) {
				attempt.record = await attempt.request(secretOutputs, () => operations.rotate(id));
				secretNow = secret.shown(attempt.record);
			}
			attempt.record = await applied(session, service, attempt.record, () => operations.get(id));
		} catch (error) {
			throw new InitError(id, { ...outs(), ...attempt.unfinished(error), __provider: news.__provider }, error);
		} finally {
			operations.reads.wrote(id, attempt.record);
		}
		return outs();
	}

	/** `props` hold only the declared properties. */
	function afterRead(service: Service, record: R, props: Values): Values {
		const outputs = {
			...readOutputs(properties, props, live(record)),
			...definition.computed(record),
			...claimOutputs(props, ownershipRead(claimFor(claimKind, props, service), record, props)),
			resourceUrn: props.resourceUrn,
			organization: props.organization,
		};
		if (!secret.exists(record)) return outputs;
		const valid = wasReplaced(secret, record, props) ? "" : props[secret.output];
		const [before, now] = [props[secret.marker], secret.markerOf(record)];
		// The same time may be spelled differently, which is no change.
		const marker = now === undefined || sameMarker(now, before) ? before : now;
		return { ...outputs, [secret.output]: valid, [secret.marker]: marker };
	}

	/** Without keys and references, a service can't tell what an interrupted run has left behind. */
	function warnOfOrphans(service: Service, inputs: Values, before: readonly R[]): void {
		if (service.client.offers("reference") || isKeyed(service)) return;
		const told = Object.fromEntries(Object.entries(properties).filter(([key]) => key === definition.toldBy));
		const alike = before.filter(
			(other) => memory.holderOf(other.id) === undefined && changedProperties(told, live(other), inputs).length === 0,
		);
		if (alike.length === 0) return;
		session.progress.warn(
			String(inputs.resourceUrn ?? ""),
			"duplicate",
			`The account had a ${kind} like this one already: ${alike.map(nameOf).join(", ")}. An interrupted run may have left it behind: the service keeps nothing that would show it. If nobody needs it, delete it in the service's dashboard.`,
		);
	}
}
