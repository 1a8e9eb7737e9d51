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
/** Annotated, because otherwise the declarations would spell out all operations for each kind of rule. */
const operation: z.ZodType<Target, Target> = z.enum([...(Object.keys(operations) as OperationName[]), "*"]);

const when = {
	operation,
	/** Which matching requests it applies to, counted from 1 since the rule was set. Default: the next one, once. */
	nth: z.union([count, z.array(count).min(1)]).optional(),
	every: z.literal(true).optional(),
	probability: z.number().gt(0).max(1).optional(),
	/** Seed of the dice for `probability`; default 0. */
	seed: z.union([z.string(), z.number()]).optional(),
};
const beforeOrAfter = z.enum(["before", "after"]).default("before");
const anyPhase = z.enum(["before", "after", "mid"]).default("before");

/** What happens to a request held before its commit when its client disconnects: dropped, or carried out late. */
const whenGone = z.enum(["drop", "commit"]).default("drop");

const StatusRule = z.strictObject({
	...when,
	kind: z.literal("status"),
	phase: beforeOrAfter,
	/** Default: the status of the error's code, or 503. */
	status: status.optional(),
	/** Default: a code with that status. */
	error: z.string().min(1).optional(),
	message: z.string().optional(),
	/** Seconds, or the text of an HTTP date. */
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
	kind: z.enum(["drop_delivery", "duplicate_delivery", "reorder_deliveries", "bad_signature"]),
});

const deliveryKinds = new Set<string>([...DeliveryRule.shape.kind.options, "delay_delivery"]);

/** In ms of the emulator's clock. */
const DelayedDelivery = z.strictObject({
	...delivery,
	kind: z.literal("delay_delivery"),
	ms: count.max(30 * 86_400_000),
});

/** A fault of an event on its way to a receiver. */
export type DeliveryFault = z.output<typeof DeliveryRule> | z.output<typeof DelayedDelivery>;

const Kinds = z.discriminatedUnion("kind", [
	StatusRule,
	z.strictObject({ ...when, kind: z.literal("html"), phase: beforeOrAfter, status: status.default(502) }),
	z.strictObject({ ...when, kind: z.enum(["reset", "blackhole"]), phase: anyPhase }),
	/** In ms of real time, even if the clock is virtual. */
	z.strictObject({ ...when, kind: z.literal("delay"), phase: anyPhase, ms: count.max(600_000), whenGone }),
	z.strictObject({ ...when, kind: z.literal("hold"), phase: anyPhase, whenGone }),
	/** `drip`: a blank every 50 ms of real time, until the client gives up. */
	z.strictObject({ ...when, kind: z.enum(["truncated", "drip"]), phase: z.literal("mid").default("mid") }),
	z.strictObject({ ...when, kind: z.enum(["duplicate", "empty_page"]), phase: z.literal("after").default("after") }),
	z.strictObject({ ...when, kind: z.literal("expired_cursor"), phase: z.literal("before").default("before") }),
	DeliveryRule,
	DelayedDelivery,
]);

export const faultKinds: readonly string[] = Kinds.options.flatMap(({ shape: { kind } }) => [
	...("options" in kind ? kind.options : kind.values),
]);

const Rule = Kinds.refine(
	({ nth, every, probability }) => [nth, every, probability].filter((one) => one !== undefined).length < 2,
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
		error: "can't fail like this: only lists have pages, and only an answer with a body can be cut",
	});

/** Which requests fail, and how. */
export type FaultRule = z.output<typeof Rule>;

/** A rule as it may be given: `kind` is `status` by default, half-way `truncated`. */
export type FaultRequest = z.input<typeof Rule> | Omit<z.input<typeof StatusRule>, "kind">;

export const isOfDelivery = (rule: FaultRule): rule is DeliveryFault => "event" in rule;

/** Whether the operation has the kind of answer that the rule spoils. */
export const suits = ({ kind, phase }: { kind: string; phase: string }, name: OperationName): boolean => {
	const operation: Operation = operations[name];
	if (deliveryKinds.has(kind)) return false;
	if (kind === "duplicate" || kind === "empty_page" || kind === "expired_cursor") return operation.query !== undefined;
	return phase !== "mid" || (operation.response ?? operation.media) !== undefined;
};

export const parseRule = (sent: FaultRequest): FaultRule =>
	validate(Rule, {
		// A fault of deliveries is of no operation, so that nobody has to name one.
		...(deliveryKinds.has((sent as { kind?: string })?.kind ?? "") ? { operation: "*" } : {}),
		kind: sent?.phase === ("mid" as string) ? "truncated" : "status",
		...sent,
	});
