/** A SIP trunk: who may send and receive calls (IP access list or digest), and how many at once. */
import { z } from "zod";
import { CreateTrunk, codecs, type PatchTrunk, type TrunkRecord } from "../api/contract";
import { isGone, nextStep, TelephonyError } from "../api/errors";
import type { Service, Session } from "../session";
import { canonicalCidr, canonicalText, parseCidr, unroutablePart } from "./canonical";
import { type Claim, createOnce, leased, ownership, parseUrn } from "./claim";
import { type Form, scalar, setOf, text } from "./form";
import {
	type CheckFailure,
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

const cidr = z.string().superRefine((value, context) => {
	const problem = cidrProblem(value);
	if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
});

const auth = z.discriminatedUnion(
	"mode",
	[
		z.strictObject({
			mode: z.literal("ip_acl"),
			allowedCidrs: z.array(cidr).min(1, "must name at least one address or CIDR").max(100, "must name at most 100"),
		}),
		z.strictObject({
			mode: z.literal("digest"),
			username: z
				.string()
				.regex(/^[A-Za-z0-9._-]{4,32}$/, "must be 4 to 32 letters, digits, dots, dashes or underscores"),
			password: z
				.string()
				.min(12, "must have 12 to 128 characters")
				.max(128, "must have 12 to 128 characters")
				.optional(),
		}),
	],
	{ error: "must be ip_acl or digest" },
);

const authForm: Form = {
	kind: "object",
	tag: "mode",
	variants: ["ip_acl", "digest"],
	fields: {
		mode: { form: scalar },
		allowedCidrs: { form: setOf(text(canonicalCidr)) },
		username: { form: scalar },
		password: { form: scalar, writeOnly: true },
	},
};

const target = z.strictObject({
	host: z
		.string()
		.regex(
			/^(?=.{1,253}$)(([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*\.?|\[[0-9a-f:.]+\])$/i,
			"must be a host name or IP address",
		),
	port: whole(1, 65_535).optional(),
	transport: z.enum(["udp", "tcp", "tls"], "must be udp, tcp or tls").optional(),
	priority: whole(0, 65_535).optional(),
	weight: whole(1, 65_535).optional(),
});

const targetForm: Form = {
	kind: "object",
	fields: {
		host: { form: text((host) => host.trim().toLowerCase().replace(/\.$/, "")) },
		port: { form: scalar, serverDefault: true },
		transport: { form: scalar, serverDefault: true },
		priority: { form: scalar, serverDefault: true },
		weight: { form: scalar, serverDefault: true },
	},
};

export const sipTrunkProperties: Properties = {
	name: {
		type: z.string().min(1, "must not be empty").max(64, "must have at most 64 characters"),
		wire: "name",
		form: text(canonicalText),
	},
	auth: { type: auth, required: true, wire: "auth", form: authForm },
	capacity: { type: whole(1, 10_000), required: true, wire: "capacity" },
	cps: { type: whole(1, 100), wire: "cps" },
	targets: { type: z.array(target).max(20, "must name at most 20"), wire: "targets", form: setOf(targetForm) },
	mediaEncryption: { type: z.enum(["none", "srtp"], "must be none or srtp"), wire: "media_encryption" },
	codecs: {
		type: z
			.array(z.enum(codecs, `must be one of ${codecs.join(", ")}`))
			.min(1, "must name at least one")
			.refine((list) => new Set(list).size === list.length, "must name each codec once"),
		wire: "codecs",
		form: { kind: "list" },
	},
	enabled: { type: z.boolean(), default: true, wire: "enabled" },
	label: { type: CreateTrunk.shape.label.unwrap().unwrap(), wire: "label", form: text(canonicalText) },
	metadata: { type: CreateTrunk.shape.metadata.unwrap().unwrap(), wire: "metadata", form: { kind: "map" } },
	passwordRotation: { type: z.union([z.string(), z.number(), z.boolean()], "must be a text or a number") },
};

const claimKind: ClaimKind = { kind: "trunk" };

const nameOf = (record: TrunkRecord) => `${record.name ?? "trunk"} (${record.id})`;

export function sipTrunkHandler(session: Session): Handler {
	return handler(session, {
		// ---- Check ------------------------------------------------------------------------------------------------------

		async check(_olds, news) {
			const named =
				news.name == null && typeof news.resourceUrn === "string"
					? { ...news, name: parseUrn(news.resourceUrn).name.slice(0, 64) }
					: news;
			const { inputs, failures } = await checkResource(session, claimKind, sipTrunkProperties, named);
			return { inputs, failures: [...failures, ...misplacedRotation(inputs)] };
		},

		// ---- Diff -------------------------------------------------------------------------------------------------------

		async diff(_id, olds, news) {
			const claim = await plannedClaim(session, claimKind, news);
			const changes =
				changedProperties(sipTrunkProperties, olds, news).length > 0 ||
				olds.lease === "" ||
				olds.password === "" ||
				(claim !== undefined && olds.token !== undefined && olds.token !== claim.token);
			return { changes, replaces: [], deleteBeforeReplace: false };
		},

		// ---- Create -----------------------------------------------------------------------------------------------------

		async create(inputs) {
			const service = await session.service();
			const claim = claimFor(claimKind, inputs, service);
			const wanted = createBody(sipTrunkProperties, inputs) as CreateTrunk;
			const made = await createOnce(claim, {
				live: await service.trunks.all(),
				noun: "trunk",
				describe: nameOf,
				create: (reference, idempotencyKey) =>
					service.client.trunks.create(
						service.client.offers("reference") === false ? wanted : { ...wanted, reference },
						{ idempotencyKey },
					),
				get: (id) => service.client.trunks.get(id),
			});
			// Which password a trunk of an earlier run has, nobody here knows.
			const password = made.answer && (made.answer.auth?.password ?? declaredPassword(inputs));
			const outs = await write(
				service,
				claim,
				made.record,
				made.lease,
				password,
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
			let record: TrunkRecord;
			try {
				record = await service.trunks.read(id);
			} catch (error) {
				if (isGone(error) && managed) return {};
				throw error;
			}
			if (!managed) return { id, props: { ...liveValues(sipTrunkProperties, record), ...computed(record) } };
			const state = ownership(
				claimFor(claimKind, props, service),
				props.lease,
				record,
				service.client.offers("reference"),
			);
			if (state === "foreign")
				session.progress.warn(
					String(props.resourceUrn ?? ""),
					`The trunk ${nameOf(record)} has been claimed by another stack. ${nextStep("Claimed")}`,
				);
			const outs = outputs(record, props, {
				token: props.token,
				lease: state === "stale" ? "" : props.lease,
				...passwordAfterRead(record, props),
			});
			return { id, props: outs, inputs: declaredInputs(sipTrunkProperties, outs) };
		},

		// ---- Update -----------------------------------------------------------------------------------------------------

		async update(id, olds, news) {
			const service = await session.service();
			const claim = claimFor(claimKind, news, service);
			const record = await service.client.trunks.get(id);
			const state = ownership(claim, olds.lease, record, service.client.offers("reference"));
			if (state === "foreign") {
				throw new TelephonyError(
					"Claimed",
					`The trunk ${nameOf(record)} has been claimed by another stack since this one wrote it last. Nothing was changed. ${nextStep("Claimed")}`,
				);
			}
			const reclaim = state === "stale" || olds.lease === "" || olds.token !== claim.token;
			const rotate =
				olds.password === "" ||
				wasRotated(record, olds) ||
				String(olds.passwordRotation ?? "") !== String(news.passwordRotation ?? "");
			const password = rotate ? undefined : (olds.password as string | undefined);
			return { outs: await write(service, claim, record, String(olds.lease ?? ""), password, olds, news, reclaim) };
		},

		// ---- Delete -----------------------------------------------------------------------------------------------------

		async delete(id, props) {
			const service = await session.service();
			try {
				const record = await service.client.trunks.get(id);
				const claim = claimFor(claimKind, props, service);
				if (!mayRemove(session, claim, props, record, service.client.offers("reference"), `trunk ${nameOf(record)}`))
					return;
				await service.client.trunks.delete(id);
			} catch (error) {
				if (!isGone(error)) throw error;
			}
			service.trunks.wrote(id);
		},
	});

	// ---- Helpers ------------------------------------------------------------------------------------------------------

	/** Brings an existing trunk to what is declared; whatever fails, its id and what is known of it are saved. */
	async function write(
		service: Service,
		claim: Claim,
		start: TrunkRecord,
		startLease: string,
		knownPassword: string | undefined,
		olds: Values,
		news: Values,
		reclaim: boolean,
	): Promise<Values> {
		let [record, token, lease, password] = [start, olds.token ?? claim.token, startLease, knownPassword];
		const outs = () =>
			outputs(record, news, {
				token,
				lease,
				password: isDigest(record) ? (password ?? "") : undefined,
				passwordUpdatedAt: record.auth?.password_updated_at,
			});
		try {
			const body = patchBody(sipTrunkProperties, olds, news, liveValues(sipTrunkProperties, start)) as PatchTrunk;
			const declared = declaredPassword(news);
			if (declared !== undefined && declared !== password)
				body.auth = createBody(sipTrunkProperties, news).auth as NonNullable<PatchTrunk["auth"]>;
			const referenced = reclaim && service.client.offers("reference") !== false;
			if (referenced || Object.keys(body).length > 0) {
				const attempt = leased(claim, body, referenced);
				record = await service.client.trunks.patch(start.id, attempt.body);
				lease = attempt.lease() || lease;
				password = record.auth?.password ?? (body.auth === undefined ? password : (declared ?? password));
			}
			token = claim.token;
			// The service shows a password once: one that nobody here knows is of no use, and is replaced.
			if (isDigest(record) && password === undefined) {
				record = await service.client.trunks.rotatePassword(start.id);
				password = record.auth?.password;
			}
		} catch (error) {
			throw new InitError(start.id, { ...outs(), __provider: news.__provider }, error);
		} finally {
			service.trunks.wrote(start.id, record);
		}
		return outs();
	}
}

/** A whole number between two bounds, both included. */
function whole(least: number, most: number) {
	const message = `must be a whole number from ${least} to ${most}`;
	return z.int(message).min(least, message).max(most, message);
}

function cidrProblem(value: string): string | undefined {
	const block = parseCidr(value);
	if (block === undefined) return "must be an IP address or CIDR, such as 198.51.100.0/24";
	const range = `${block.network.toString()}/${block.length}`;
	if (block.length === 0) return `${range} lets everybody in: name the addresses of your own equipment`;
	if (block.hostBits) return `has bits set beyond its prefix length: write ${range}`;
	if (block.length < (block.network.kind() === "ipv4" ? 8 : 16))
		return `${range} is too wide: name the addresses of your own equipment`;
	const part = unroutablePart(block);
	return part === undefined
		? undefined
		: `${range} is not reachable from the internet (${part}): name public addresses`;
}

function misplacedRotation({ auth: declared, passwordRotation }: Values): CheckFailure[] {
	const { mode, password } = (declared ?? {}) as { mode?: unknown; password?: unknown };
	if (passwordRotation === undefined || (mode !== "ip_acl" && (mode !== "digest" || password === undefined))) return [];
	const reason =
		mode === "ip_acl"
			? "there is no password with auth.mode ip_acl"
			: "it rotates a password that the service generates; yours is changed in auth.password";
	return [{ property: "", reason: `passwordRotation: ${reason}` }];
}

const isDigest = (record: TrunkRecord) => record.auth?.mode === "digest";

function declaredPassword(inputs: Values): string | undefined {
	const { password } = (inputs.auth ?? {}) as { password?: unknown };
	return typeof password === "string" ? password : undefined;
}

/** A password that was rotated behind our back is known by its time, never by its value: ours is no longer valid. */
function wasRotated(record: TrunkRecord, props: Values): boolean {
	const updatedAt = record.auth?.password_updated_at ?? undefined;
	return updatedAt !== undefined && props.passwordUpdatedAt !== undefined && updatedAt !== props.passwordUpdatedAt;
}

function passwordAfterRead(record: TrunkRecord, props: Values): Values {
	if (!isDigest(record)) return {};
	return {
		password: wasRotated(record, props) ? "" : props.password,
		passwordUpdatedAt: props.passwordUpdatedAt ?? record.auth?.password_updated_at ?? undefined,
	};
}

function computed(record: TrunkRecord): Values {
	return {
		sipDomain: record.sip_domain,
		status: record.status,
		numbersCount: record.numbers_count,
		createdAt: record.created_at ?? undefined,
		updatedAt: record.updated_at ?? undefined,
	};
}

function outputs(record: TrunkRecord, declared: Values, own: Values): Values {
	return {
		...declaredOutputs(sipTrunkProperties, declared, liveValues(sipTrunkProperties, record)),
		...computed(record),
		...own,
		resourceUrn: declared.resourceUrn,
		organization: declared.organization,
	};
}
