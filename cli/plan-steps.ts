/** What the engine's preview says of each telephony resource. */
import type { Values } from "../provider/properties/table";
import { type EngineEvent, nameIn, type ResourceState } from "./engine";
import { shortType, withoutSecrets } from "./report";

/** An entry of the state, as the handlers know it. */
interface Entry {
	readonly id: string;
	readonly inputs: Values;
	readonly outputs: Values;
	readonly parent?: string;
}

export interface PlanStep {
	readonly urn: string;
	readonly name: string;
	/** The last part of its token, such as `Number`. */
	readonly type: string;
	readonly op: "create" | "replace" | "update" | "same" | "delete";
	/** The properties that make it a replacement. Without one, somebody asked for it: `--replace`, or a taint. */
	readonly keys: readonly string[];
	readonly old?: Entry;
	/** What the program declares. */
	readonly news?: Values;
	/** The engine only forgets it: `retainOnDelete`. */
	readonly isForgotten: boolean;
	/** A refresh of this very preview hasn't found it. */
	readonly isLost: boolean;
	/** The program's provider with a key or an address of its own: it may be another account's. */
	readonly provider?: string;
}

/** A replacement that a changed property causes. Without one, the user asked for it: `--replace`, or a taint. */
export const isReplacement = ({ op, keys }: PlanStep): boolean => op === "replace" && keys.length > 0;

type Step = NonNullable<EngineEvent["resourcePreEvent"]>["metadata"];

/** A replacement is two steps: what it makes, and what it deletes. */
const ops: Readonly<Record<string, PlanStep["op"]>> = {
	create: "create",
	"create-replacement": "replace",
	update: "update",
	same: "same",
	import: "same",
	delete: "delete",
	"delete-replaced": "delete",
};

/** In the order of their URNs: the engine's own is another each time. */
export function planStepsIn(events: readonly EngineEvent[]): PlanStep[] {
	const steps = events
		.flatMap(({ resourcePreEvent }) => resourcePreEvent?.metadata ?? [])
		.sort((one, other) => (one.urn === other.urn ? 0 : one.urn < other.urn ? -1 : 1));
	const lost = new Set(steps.flatMap(({ op, urn }) => (op === "refresh" ? [urn] : [])));
	const providers = ownProviders(steps);
	return steps.flatMap((step): PlanStep[] => {
		const { op: given, urn, type: token, keys } = step;
		const [type, op] = [shortType(token), ops[given]];
		if (type === token || op === undefined || step.old?.external === true) return [];
		const old = step.old == null ? undefined : entryOf(step.old, urn);
		const news = op === "delete" || step.new == null ? undefined : valuesOf(step.new.inputs, urn, old?.inputs);
		const provider = providers.get(String(step.provider).replace(/::[^:]*$/, ""));
		return [
			{
				...{ urn, name: nameIn(urn), type, op, keys: keys ?? [] },
				...(old && { old }),
				...(news && { news }),
				isForgotten: op === "delete" && step.old?.retainOnDelete === true,
				isLost: op === "create" && lost.has(urn),
				...(provider && { provider }),
			},
		];
	});
}

function entryOf({ id = "", urn: before, parent, inputs, outputs }: ResourceState, urn: string): Entry {
	// Of a resource that was renamed with `aliases`, the entry has the old name.
	const own = before ?? urn;
	return { id, inputs: valuesOf(inputs, own), outputs: valuesOf(outputs, own), ...(parent && { parent }) };
}

/** Whichever front the resource is of: the plugin learns the URN from the engine, the classes from the program. */
function valuesOf(given: Readonly<Record<string, unknown>> = {}, urn: string, from: Values = {}): Values {
	const { __resourceUrn: _, __provider: _text, ...values } = withoutSecrets(given) as Values;
	const { organization = from.organization } = values;
	return { ...values, resourceUrn: urn, ...(organization === undefined ? {} : { organization }) };
}

/** Their names, by URN. */
function ownProviders(steps: readonly Step[]): ReadonlyMap<string, string> {
	return new Map(
		steps.flatMap(({ type, urn, new: declared }) => {
			const { apiKey, baseUrl } = declared?.inputs ?? {};
			const isOwn = type === "pulumi:providers:telephony" && !/^default(_|$)/.test(nameIn(urn));
			return isOwn && (apiKey ?? baseUrl) !== undefined ? [[urn, nameIn(urn)] as const] : [];
		}),
	);
}
