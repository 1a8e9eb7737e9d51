import { z } from "zod";
import { eventNames, type Operation, type OperationName, operations } from "../../provider/api/contract";
import { validate } from "../request/validate";

const count = z.number().int().min(1);
const status = z
	.number()
	.int()
	.min(200)
	.max(599)
	.refine((code) => ![204, 205, 304].includes(code), "can't have a body");

type Target = OperationName | "*";
/** Annotated to keep all operations out of each rule's declaration. */
const operation: z.ZodType<Target, Target> = z.enum([...(Object.keys(operations) as OperationName[]), "*"]);

const when = {
	operation,
	/** Numbers of the matching requests, counted from 1. @default 1 */
	nth: z.union([count, z.array(count).min(1)]).optional(),
	every: z.literal(true).optional(),
	probability: z.number().gt(0).max(1).optional(),
	/** Seed of `probability`. @default 0 */
	seed: z.union([z.string(), z.number()]).optional(),
};
const beforeOrAfter = z.enum(["before", "after"]).default("before");
const anyPhase = z.enum(["before", "after", "mid"]).default("before");

/** A request held before its change whose client disconnects is dropped, or carried out late. */
const whenGone = z.enum(["drop", "commit"]).default("drop");

const StatusRule = z.strictObject({
	...when,
	kind: z.literal("status"),
	phase: beforeOrAfter,
	/** @default the status of the error code, or 503 */
	status: status.optional(),
	/** @default a code with that status */
	error: z.string().min(1).optional(),
	message: z.string().optional(),
	/** Seconds or an HTTP date. */
	retryAfter: z.union([z.number().min(0), z.string().regex(/^[\x20-\x7e]+$/, "must be printable ASCII")]).optional(),
});
export type StatusRule = z.output<typeof StatusRule>;

const delivery = {
	...when,
	event: z.enum([...eventNames, "*"]).default("*"),
	phase: z.literal("before").default("before"),
};

const DeliveryRule = z.strictObject({
	...delivery,
	kind: z.enum(["drop_delivery", "duplicate_delivery", "bad_signature"]),
});

const deliveryKinds = new Set<string>([...DeliveryRule.shape.kind.options, "delay_delivery"]);

const DelayedDelivery = z.strictObject({
	...delivery,
	kind: z.literal("delay_delivery"),
	/** Of the emulator's clock. */
	ms: count.max(30 * 86_400_000),
});

export type DeliveryFault = z.output<typeof DeliveryRule> | z.output<typeof DelayedDelivery>;

const Kinds = z.discriminatedUnion("kind", [
	StatusRule,
	z.strictObject({ ...when, kind: z.literal("html"), phase: beforeOrAfter, status: status.default(502) }),
	z.strictObject({ ...when, kind: z.enum(["reset", "blackhole"]), phase: anyPhase }),
	/** `ms` of real time, even with a virtual clock. */
	z.strictObject({ ...when, kind: z.literal("delay"), phase: anyPhase, ms: count.max(600_000), whenGone }),
	z.strictObject({ ...when, kind: z.literal("hold"), phase: anyPhase, whenGone }),
	z.strictObject({ ...when, kind: z.enum(["truncated", "drip"]), phase: z.literal("mid").default("mid") }),
	z.strictObject({ ...when, kind: z.enum(["duplicate", "empty_page"]), phase: z.literal("after").default("after") }),
	DeliveryRule,
	DelayedDelivery,
]);

export const faultKinds: readonly string[] = Kinds.options.flatMap(({ shape: { kind } }) => [
	...("options" in kind ? kind.options : kind.values),
]);

const Rule = Kinds.refine(
	({ nth, every, probability }) => [nth, every, probability].filter((value) => value !== undefined).length < 2,
	{
		path: ["nth"],
		error: "only one of nth, every and probability can be given",
	},
)
	.refine(({ seed, probability }) => seed === undefined || probability !== undefined, {
		path: ["seed"],
		error: "can only be given with probability",
	})
	.refine((rule) => rule.operation === "*" || suits(rule, rule.operation), {
		path: ["operation"],
		error: "can't fail like this: only lists have pages, and only a response with a body can be cut",
	});

export type FaultRule = z.output<typeof Rule>;

/** A rule as given. The default kind is `status`, or `truncated` in the phase `mid`. */
export type FaultRequest = z.input<typeof Rule> | Omit<z.input<typeof StatusRule>, "kind">;

export const isDeliveryFault = (rule: FaultRule): rule is DeliveryFault => "event" in rule;

/** True if the operation has a response that the rule can change. */
export const suits = ({ kind, phase }: { kind: string; phase: string }, name: OperationName): boolean => {
	const operation: Operation = operations[name];
	if (deliveryKinds.has(kind)) return false;
	if (kind === "duplicate" || kind === "empty_page") return operation.query !== undefined;
	return phase !== "mid" || (operation.response ?? operation.media) !== undefined;
};

export const parseRule = (sent: FaultRequest): FaultRule =>
	validate(Rule, {
		...(deliveryKinds.has((sent as { kind?: string })?.kind ?? "") ? { operation: "*" } : {}),
		kind: sent?.phase === ("mid" as string) ? "truncated" : "status",
		...sent,
	});
