/** The create and the delete of objects that cost nothing. */
import type { CreateOptions, ServiceResponse } from "../api/client";
import { isGone, TelephonyError } from "../api/errors";
import { pickBy } from "../api/json";
import type { DriftDefinition } from "../drift/definition";
import { createClaimed, type Identity, type Referenced } from "../ownership/claim";
import { parseReference } from "../ownership/reference";
import { displayed } from "../properties/display";
import { words } from "../properties/form";
import { changedProperties, createBody, fixedBody, type Outputs, type Values } from "../properties/table";
import type { Service } from "../session/session";
import { liveBefore, settled } from "../session/staleness";
import { adopted, adoptsAnother } from "./adopt";
import type { Acquired, Definition, Run } from "./definition";
import { leave, MustStay, removalOf } from "./removal";
import { gone, identityFor } from "./resource";
import * as secrets from "./secret";
import { resumedOutputs } from "./write";

interface Configured<R extends Referenced> {
	create(service: Service, body: Values, options: CreateOptions): Promise<ServiceResponse<R>>;
	remove(run: Run<R>, id: string, outs: Values): Promise<unknown>;
	/** Returns the warning of a delete that leaves an object, because the service can no longer remove it. */
	over?(record: R): string | undefined;
	/** True for an object that this declaration must not resume: it ends, or it ended for another declaration. */
	isPast?(record: R, inputs: Values): boolean;
}

/** Returns the create and the delete of such an object, for its definition. */
export const configured = <R extends Referenced>(
	definition: Configured<R>,
): Pick<Definition<R>, "verbs" | "replaces" | "acquire" | "release"> => ({
	verbs: { make: "create", made: "created", end: "delete", ended: "deleted" },
	replaces: (changed, _olds, news, id) =>
		changed.filter((key) => key === "adopt" && adoptsAnother(words, id, [], news)),
	acquire: (run, inputs) => acquire(run, definition, inputs),
	release: (run, id, props) => release(run, definition, id, props),
});

async function acquire<R extends Referenced>(
	run: Run<R>,
	configured: Configured<R>,
	inputs: Values,
): Promise<Acquired<R>> {
	const { session, service, memory, operations, definition } = run;
	const { noun, properties, secret, nameOf } = definition;
	const isOver = (record: R) =>
		definition.ended?.(record) !== undefined || configured.isPast?.(record, inputs) === true;
	const live = (await liveBefore(service, operations.reads)).filter((record) => !isOver(record));
	const claim = identityFor(definition.source, inputs, service);
	await service.account.assertOwn(claim, live);
	if (inputs.adopt !== undefined) return adopt(run, { claim, live }, inputs);
	const wanted = { ...fixedBody(properties, inputs), ...createBody(properties, inputs) };
	const { record, lease, answer } = await createClaimed<R>(claim, {
		live,
		noun,
		describe: nameOf,
		isOthers: (id) => memory.isOthers(claim.token, id),
		create: (reference, idempotencyKey) =>
			configured.create(service, service.client.offers("reference") ? { ...wanted, reference } : wanted, {
				idempotencyKey,
			}),
		get: async ({ id, created_at }) => {
			// A service may lag behind its own creation.
			const made = await settled(session, service, { createdAt: created_at }, () => operations.get(id));
			// The object of an earlier request may have ended since.
			if (isOver(made)) throw gone(`The ${noun} ${nameOf(made)}`);
			return made;
		},
	});
	const problem = contradiction(definition, record, inputs);
	if (problem !== undefined)
		throw new TelephonyError(
			"Invalid",
			`An earlier run created ${nameOf(record)}, which ${problem} Nothing was changed.`,
		);
	memory.acquire(claim.token, record.id);
	if (answer !== undefined) memory.made.add(record.id);
	const visible = answer && (secret?.declared?.(inputs)?.value ?? secret?.findValue(answer));
	return {
		claim,
		start: record,
		olds:
			answer === undefined ? resumedOutputs(parseReference(record.reference)?.lease) : { token: claim.token, lease },
		secret: secrets.secretOf(visible),
	};
}

/** @throws TelephonyError Invalid, Claimed; nothing is created or changed then */
async function adopt<R extends Referenced>(
	{ memory, operations, definition }: Run<R>,
	{ claim, live }: { claim: Acquired<R>["claim"]; live: readonly R[] },
	inputs: Values,
): Promise<Acquired<R>> {
	const { noun, verbs, nameOf, secret } = definition;
	const start = await adopted<R>({
		...{ memory, claim, live, noun, verbs, nameOf },
		wanted: String(inputs.adopt),
		get: (id) => operations.get(id),
		contradiction: (record) => contradiction(definition, record, inputs),
		hint: `Set \`adopt\` to the id of an existing ${noun}, or remove it to create one.`,
	});
	const isRotated = secret !== undefined && inputs[secret.rotation] !== undefined;
	return { claim, start, olds: {}, secret: isRotated ? secrets.lost : secrets.adopted };
}

/** Returns why the object can't become what the program declares, in words that follow its name. */
function contradiction<R extends Referenced>({ properties, live }: Definition<R>, record: R, inputs: Values) {
	const fixed = pickBy(properties, ({ fixed }) => fixed);
	const values = live(record);
	const key = changedProperties(fixed, values, inputs).find((each) => values[each] != null);
	return (
		key && `has the ${key} ${displayed(values[key])}, which can't be changed. Declare that value, or use another one.`
	);
}

async function release<R extends Referenced>(
	run: Run<R>,
	configured: Configured<R>,
	id: string,
	props: Values,
): Promise<void> {
	const { session, service, operations, definition } = run;
	const { noun, nameOf, source } = definition;
	try {
		const claim = identityFor(source, props, service);
		const read = () => settled(session, service, props, () => operations.reads.readCurrent(id));
		const record = await service.account.judge(id, claim, read);
		const target = { claim, record, outs: props, what: `${noun} ${nameOf(record)}` };
		const over = configured.over?.(record);
		const removal = removalOf(session, run.memory, target, props.onDelete === "retain" || over !== undefined);
		if (removal === "left") await leaveThis(run, target, over);
		if (removal === "removed")
			await configured.remove(run, id, props).catch(async (error) => {
				if (!(error instanceof MustStay)) throw error;
				await leaveThis(run, target, `Kept ${target.what} on the account: ${error.message}`);
			});
	} catch (error) {
		if (!isGone(error)) throw error;
	}
	operations.reads.wrote(id);
}

async function leaveThis<R extends Referenced>(
	{ session, memory, operations }: Run<R>,
	target: { readonly claim: Identity; readonly record: R; readonly outs: Values; readonly what: string },
	why = `Left ${target.what} on the account, because \`onDelete\` is \`retain\`. Any stack can adopt it.`,
): Promise<void> {
	const { reads, patch } = operations;
	await leave(memory, { ...target, reads, patch: (body) => patch(target.record.id, () => body) });
	session.progress.warn(String(target.outs.resourceUrn ?? ""), "kept", why);
}

interface ReportedDrift {
	readonly outputs: Outputs;
	/** How to put back a lost object. */
	readonly way: string;
	/** Outputs that the provider keeps for itself, besides the claim. */
	readonly kept?: readonly string[];
}

/** The drift of such an object. While `adopt` names a lost object, no new one can be created. */
export const configuredDrift = <R extends Referenced>(
	{ properties, secret, waitsIf, condition, lost: consequence }: Definition<R>,
	{ outputs, way, kept = [] }: ReportedDrift,
): DriftDefinition => ({
	properties,
	...(secret && { secret }),
	outputs,
	kept: ["token", "lease", ...kept],
	waitsIf,
	condition,
	lost: ({ adopt }) =>
		adopt === undefined
			? { consequence, way }
			: {
					consequence: `${consequence} after you remove \`adopt\`, which names the lost one`,
					way: `remove \`adopt\` from the program, then ${way}`,
				},
});
