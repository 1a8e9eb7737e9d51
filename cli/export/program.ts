/** An account as a program: one resource with a unique name for each object. */
import { kinds, type UsedKind, usedKinds } from "../../provider/api/contract";
import { at, mergeAt } from "../../provider/api/json";
import { phaseOf } from "../../provider/api/record";
import { importedInputs } from "../../provider/lifecycle/import";
import { ownerName } from "../../provider/ownership/claim";
import { isRetained } from "../../provider/ownership/reference";
import { listed } from "../../provider/properties/display";
import { camel } from "../../provider/properties/form";
import { untypedPaths, type Values } from "../../provider/properties/table";
import { type ObjectDefinition, resources } from "../../provider/resources";
import { labelOf, nounOf, type Owned, types } from "../account/account";

export interface Declared {
	readonly type: Owned["type"];
	/** An identifier: also the name of its variable. */
	readonly name: string;
	readonly id: string;
	readonly inputs: Values;
}

/** The dynamic provider adopts the objects, and the plugin imports them. */
export const providers = ["dynamic", "plugin"] as const;
export type Provider = (typeof providers)[number];

export interface Program {
	readonly provider: Provider;
	readonly resources: readonly Declared[];
	/** Comments at the start of the program. */
	readonly notes: readonly string[];
}

/** The `id` of another resource of the program. */
export class Reference {
	readonly name: string;

	constructor(name: string) {
		this.name = name;
	}
}

/** Numbers come last, as they refer to trunks and profiles. */
const order = [...types.filter((type) => type !== "Number"), "Number"] as const;

/** Returns the program that declares these objects. */
export function programOf(objects: readonly Owned[], provider: Provider): Program {
	const taken = new Set<string>();
	const sorted = order.flatMap((type) => objects.filter((owned) => owned.type === type));
	const named = sorted.map((owned) => ({ owned, name: unique(nameFor(owned), taken) }));
	const names = new Map(named.map(({ owned, name }) => [`${nounOf(owned.type)} ${owned.record.id}`, name]));
	const nameOf = (kind: UsedKind, id: unknown) => names.get(`${kinds[kind].noun} ${id}`);
	const inputs = (owned: Owned) => {
		const values = inputsOf(owned, provider);
		return owned.type === "Number" ? linked(values, nameOf) : values;
	};
	const resources = named.map(({ owned, name }) => ({
		type: owned.type,
		name,
		id: owned.record.id,
		inputs: inputs(owned),
	}));
	const notes = [...(provider === "dynamic" ? adoptionNotes(resources) : []), ...hiddenNotes(resources)];
	return { provider, resources, notes };
}

/** Inputs that the service doesn't show. */
const hiddenInputs: Partial<Record<Owned["type"], string>> = {
	KycProfile: "`idNumber` and `documents`",
	PortOrder: "`pin` of `carrier`, and `documents`",
};

const hiddenNotes = (resources: readonly Declared[]): string[] =>
	types.flatMap((type) => {
		const what = hiddenInputs[type];
		const isThere = resources.some((declared) => declared.type === type);
		return what === undefined || !isThere
			? []
			: [`${type}: ${what} can't be exported: the service doesn't show them, and keeps them.`];
	});

function adoptionNotes(resources: readonly Declared[]): string[] {
	const notes = [
		"Each resource adopts an object that the account has: `pulumi up` claims it, and buys, creates and changes nothing.",
		'Adopted objects have `onDelete: "retain"` by default, so the account keeps them after `pulumi destroy`.',
	];
	const isPending = resources.some(({ inputs }) => inputs.waitForActive === false);
	return isPending ? [...notes, "Remove `waitForActive: false` to have `pulumi up` wait for a pending number."] : notes;
}

/** Returns the live values, and what makes the provider adopt or import the object. */
function inputsOf(owned: Owned, provider: Provider): Values {
	const { type, record } = owned;
	const { properties, live, imported }: ObjectDefinition = resources[type].definition;
	const kept = provider === "dynamic" ? adoptingInputs(owned) : (imported?.(record.id) ?? { adopt: record.id });
	return importedInputs(properties, live(record), kept);
}

function adoptingInputs({ type, record }: Owned): Values {
	const adopting = { adopt: record.id };
	return type === "Number" && phaseOf(record) === "pending" ? { ...adopting, waitForActive: false } : adopting;
}

/** Returns why the program can't declare the object, in words that follow "because"; undefined if it can. */
export function findObstacle(owned: Owned, provider: Provider): string | undefined {
	const { reference } = owned.record;
	// An import claims nothing, and a later write refuses an object that another stack has left.
	const isAdoptable = provider === "dynamic" && isRetained(reference);
	if (reference && !isAdoptable) return `${ownerName(reference)} has claimed it`;
	if (provider === "dynamic" && isDraft(owned)) return "it is a draft, which `pulumi up` would submit";
	const paths = untypedPaths(resources[owned.type].definition.properties, inputsOf(owned, provider));
	return paths.length === 0 ? undefined : `the types of programs don't have its ${listed(paths, ", ")}`;
}

/** True for an object that every write submits. A profile without a status may be a draft. */
function isDraft({ type, record }: Owned): boolean {
	if (type === "KycProfile") return (record.status ?? "draft") === "draft";
	return type === "PortOrder" && record.status === "draft";
}

/** Returns a number's inputs with references in place of the ids of the program's objects. */
function linked(inputs: Values, nameOf: (kind: UsedKind, id: unknown) => string | undefined): Values {
	const fields = usedKinds.flatMap((kind) =>
		kinds[kind].usedIn.map(({ request }) => {
			const path = camel(request);
			return { path, name: nameOf(kind, at(inputs, path)) };
		}),
	);
	return fields.reduce(
		(values, { path, name }) => (name === undefined ? values : mergeAt(values, path, new Reference(name))),
		inputs,
	);
}

// ---- Names ------------------------------------------------------------------------------------------------------------

/** Reserved words of all languages, so that names are the same in all of them. */
const reserved = new Set(
	"and as assert async ctx def defer del elif err except fallthrough from func global go goto is lambda main map nil none nonlocal not or pass print raise range select struct type chan exec await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public pulumi return static super switch telephony this throw true try typeof var void while with yield arguments eval undefined module exports require".split(
		" ",
	),
);

function nameFor(owned: Owned): string {
	const { type, record } = owned;
	const id = (type === "Number" ? record.number : undefined) ?? record.id;
	return identifier(labelOf(owned)) ?? identifier(`${nounOf(type)} ${id}`) ?? "unnamed";
}

/** `Front desk (2nd)` becomes `frontDesk2nd`; undefined if the text has no letter to begin with. */
function identifier(text: string | null | undefined): string | undefined {
	const words =
		(text ?? "")
			.normalize("NFKD")
			.replace(/\p{M}/gu, "")
			.match(/[A-Za-z0-9]+/g) ?? [];
	const [first = "", ...rest] = words;
	const name = [
		/^[A-Z0-9]+$/.test(first) ? first.toLowerCase() : first.charAt(0).toLowerCase() + first.slice(1),
		...rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)),
	].join("");
	return /^[a-z]/.test(name) ? name.slice(0, 60) : undefined;
}

function unique(name: string, taken: Set<string>): string {
	let free = name;
	for (let number = 2; taken.has(free) || reserved.has(free); number++) free = `${name}${number}`;
	taken.add(free);
	return free;
}
