/** The steps of a preview for telephony resources. */
import type { Values } from "../../provider/properties/table";
import { resources } from "../../provider/resources";
import {
	type EngineEvent,
	findTelephonyType,
	isExplicitProvider,
	nameIn,
	type ResourceState,
	type Step,
	withoutSecrets,
} from "../engine/events";

/** The state of a resource, as the handlers get it. */
interface SavedState {
	readonly id: string;
	readonly inputs: Values;
	readonly outputs: Values;
	readonly parent?: string | undefined;
}

export interface PlanStep {
	readonly urn: string;
	readonly name: string;
	readonly type: keyof typeof resources;
	readonly op: "create" | "replace" | "update" | "same" | "delete";
	/** The properties that make it a replacement; empty after a taint or `--replace`. */
	readonly keys: readonly string[];
	readonly old?: SavedState | undefined;
	/** The declared inputs. */
	readonly news?: Values | undefined;
	/** True if the engine only forgets it (`retainOnDelete`). */
	readonly isForgotten: boolean;
	/** True if the refresh of this preview hasn't found it. */
	readonly isDeleted: boolean;
	/** The program's provider with settings of its own: it may use another account or another service. */
	readonly provider?: string | undefined;
	/** The program's provider, which is a process of its own. */
	readonly process?: ProviderProcess | undefined;
}

/** A provider that the program declares. It has limits and an owner of its own. */
export interface ProviderProcess {
	readonly name: string;
	readonly owner: string | undefined;
	/** As JSON; undefined if it has those of the stack. */
	readonly limits: string | undefined;
	/** See `PlanStep.provider`. */
	readonly isElsewhere: boolean;
}

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

/** Returns the steps in the order of their URNs: the engine's order differs each time. */
export function planStepsIn(events: readonly EngineEvent[]): PlanStep[] {
	const steps = events
		.flatMap(({ resourcePreEvent }) => resourcePreEvent?.metadata ?? [])
		.sort((a, b) => (a.urn === b.urn ? 0 : a.urn < b.urn ? -1 : 1));
	const refreshed = new Set(steps.flatMap(({ op, urn }) => (op === "refresh" ? [urn] : [])));
	const providers = explicitProviders(steps);
	return steps.flatMap((step): PlanStep[] => {
		const { op: given, urn, type: token, keys } = step;
		const type = findTelephonyType(token);
		const op = ops[given];
		if (!isResourceType(type) || op === undefined || step.old?.external === true) return [];
		const old = step.old == null ? undefined : savedState(step.old, urn);
		const news = op === "delete" || step.new == null ? undefined : valuesOf(step.new.inputs, urn, old?.inputs);
		const process = providers.get(String(step.provider).replace(/::[^:]*$/, ""));
		const provider = process?.isElsewhere === true ? process.name : undefined;
		const isForgotten = op === "delete" && step.old?.retainOnDelete === true;
		const isDeleted = op === "create" && refreshed.has(urn);
		return [
			{ urn, name: nameIn(urn), type, op, keys: keys ?? [], old, news, isForgotten, isDeleted, provider, process },
		];
	});
}

const isResourceType = (type: string | undefined): type is PlanStep["type"] => type !== undefined && type in resources;

function savedState({ id = "", urn: formerUrn, parent, inputs, outputs }: ResourceState, urn: string): SavedState {
	// After a rename with `aliases`, the state has the old URN.
	const savedUrn = formerUrn ?? urn;
	return { id, inputs: valuesOf(inputs, savedUrn), outputs: valuesOf(outputs, savedUrn), parent };
}

/** The plugin gets the URN from the engine, the dynamic provider's classes from the program. */
function valuesOf(given: Readonly<Record<string, unknown>> = {}, urn: string, from: Values = {}): Values {
	const { __resourceUrn: _, __provider: _text, ...values } = withoutSecrets(given) as Values;
	const { organization = from.organization } = values;
	return { ...values, __resourceUrn: urn, ...(organization === undefined ? {} : { organization }) };
}

/** The arguments that decide which account a provider uses, and how it reads the account. */
const accountArguments = ["apiKey", "baseUrl", "service", "features"];

/** Returns the program's providers by URN, also those that the program no longer has. */
function explicitProviders(steps: readonly Step[]): ReadonlyMap<string, ProviderProcess> {
	return new Map(
		steps.flatMap(({ type, urn, new: declared, old }) => {
			const inputs = (declared ?? old)?.inputs ?? {};
			const { owner, limits } = inputs;
			const isElsewhere = accountArguments.some((name) => (inputs[name] ?? "") !== "");
			const process: ProviderProcess = {
				name: nameIn(urn),
				owner: typeof owner === "string" && owner !== "" ? owner : undefined,
				limits: limits == null ? undefined : typeof limits === "string" ? limits : JSON.stringify(limits),
				isElsewhere,
			};
			return isExplicitProvider(type, urn) ? [[urn, process] as const] : [];
		}),
	);
}
