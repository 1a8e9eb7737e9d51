import { z } from "zod";
import { create, get, list, ofFeature, patch, post, remove } from "./operation";
import * as s from "./schema";

export const codecs = ["PCMU", "PCMA", "G729", "G722", "opus"] as const;

const cidr = () => z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], { error: "must be an IP address or CIDR" });

export const usernameRule = "1 to 64 characters, without colons, control characters, or spaces at the start or end";
export const authModes = {
	ip_acl: s.request(() => ({ mode: z.literal("ip_acl"), allowed_cidrs: z.array(cidr()).min(1).max(100) })),
	digest: s.request(() => ({
		mode: z.literal("digest"),
		// Digest separates its parts by colons. Phone systems use extensions, phone numbers and addresses as names.
		username: z
			.string()
			.regex(/^[ -9;-~\u00a0-\uffff]{1,64}$/, `must be ${usernameRule}`)
			.refine((name) => name.trim() === name, `must be ${usernameRule}`),
		password: s.secret(z.string().min(12).max(128).optional()),
	})),
};

export const AuthRequest = z.discriminatedUnion("mode", [authModes.ip_acl, authModes.digest]);
export type AuthRequest = z.infer<typeof AuthRequest>;

export const TargetRequest = s.request(() => ({
	host: z.string().min(1).max(253),
	port: z.number().int().min(1).max(65535).optional(),
	transport: z.enum(["udp", "tcp", "tls"]).optional(),
	priority: z.number().int().min(0).max(65535).optional(),
	weight: z.number().int().min(1).max(65535).optional(),
}));
export type TargetRequest = z.infer<typeof TargetRequest>;

export const CreateTrunk = s.request(() => ({
	name: z.string().min(1).max(64),
	auth: AuthRequest,
	/** Concurrent channels, both directions. */
	capacity: z.number().int().min(1).max(10_000),
	/** New calls per second; null = the account's limit. */
	cps: z.number().int().min(1).max(100).nullable().optional(),
	targets: z.array(TargetRequest).max(20).optional(),
	media_encryption: z.enum(["none", "srtp"]).optional(),
	/** In order of preference. */
	codecs: z.array(z.enum(codecs)).min(1).max(codecs.length).optional(),
	enabled: z.boolean().optional(),
	label: s.label.optional(),
	reference: s.reference.optional(),
	metadata: s.metadata.nullable().optional(),
}));
export type CreateTrunk = z.infer<typeof CreateTrunk>;

export const PatchTrunk = s.request(() => {
	const { targets, media_encryption, codecs } = CreateTrunk.shape;
	return CreateTrunk.partial().extend({
		targets: targets.unwrap().nullable().optional(),
		media_encryption: media_encryption.unwrap().nullable().optional(),
		codecs: codecs.unwrap().nullable().optional(),
	}).shape;
});
export type PatchTrunk = z.infer<typeof PatchTrunk>;

const PlainTrunkRecord = s.response(() => ({
	id: s.id,
	name: z.string().optional(),
	auth: s
		.response(() => ({
			mode: s.openEnum(["ip_acl", "digest"]),
			allowed_cidrs: z.array(z.string()).optional(),
			username: z.string().optional(),
			/** Only in the response that generated it. */
			password: s.secret(z.string().optional()),
			password_set: z.boolean().optional(),
			password_updated_at: s.time.nullable().optional(),
		}))
		.optional(),
	capacity: z.number().optional(),
	cps: z.number().nullable().optional(),
	targets: z
		.array(
			s.response(() => ({
				host: z.string(),
				port: z.number().optional(),
				transport: z.string().optional(),
				priority: z.number().optional(),
				weight: z.number().optional(),
			})),
		)
		.nullable()
		.optional(),
	media_encryption: z.string().nullable().optional(),
	codecs: z.array(z.string()).nullable().optional(),
	enabled: z.boolean().optional(),
	label: s.words.optional(),
	reference: s.words.optional(),
	metadata: z.record(z.string(), z.string()).nullable().optional(),
	sip_domain: z.string().optional(),
	status: s.openEnum(["provisioning", "active", "disabled", "failed"]).optional(),
	reconciling: z.boolean().optional(),
	numbers_count: z.number().optional(),
	...s.times,
}));
export type TrunkRecord = z.infer<typeof PlainTrunkRecord>;
export const TrunkRecord: s.Schema<TrunkRecord> = PlainTrunkRecord;

export const trunkOperations = ofFeature("trunks", {
	listTrunks: list("/trunks", TrunkRecord),
	createTrunk: create("/trunks", CreateTrunk, TrunkRecord),
	getTrunk: get("/trunks/{id}", TrunkRecord),
	patchTrunk: patch("/trunks/{id}", PatchTrunk, TrunkRecord),
	deleteTrunk: remove("/trunks/{id}"),
	rotatePassword: post("/trunks/{id}/rotate_password", TrunkRecord),
});
