/** The resources of an import file, with a unique name for each object. */
import { labelOf, nounOf, type Owned } from "../account/account";

/** A resource in the file for `pulumi import --file`. */
export interface Import {
	readonly type: string;
	readonly name: string;
	readonly id: string;
}

export function importsOf(objects: readonly Owned[]): Import[] {
	const taken = new Set<string>();
	return objects.map((owned) => ({
		type: `telephony:index:${owned.type}`,
		name: uniqueName(nameFor(owned), taken),
		id: owned.record.id,
	}));
}

function nameFor(owned: Owned): string {
	const { type, record } = owned;
	const id = (type === "Number" ? record.number : undefined) ?? record.id;
	return identifierOf(labelOf(owned)) ?? identifierOf(`${nounOf(type)} ${id}`) ?? "unnamed";
}

/** `Front desk (2nd)` is `frontDesk2nd`; undefined if the text has no letter to begin with. */
function identifierOf(text = ""): string | undefined {
	const plain = text.normalize("NFKD").replace(/\p{M}/gu, "");
	const [first = "", ...rest] = plain.match(/[A-Za-z0-9]+/g) ?? [];
	const name = [
		/^[A-Z0-9]+$/.test(first) ? first.toLowerCase() : first.charAt(0).toLowerCase() + first.slice(1),
		...rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)),
	].join("");
	return /^[a-z]/.test(name) ? name.slice(0, 60) : undefined;
}

function uniqueName(name: string, taken: Set<string>): string {
	let free = name;
	for (let index = 2; taken.has(free); index++) free = `${name}${index}`;
	taken.add(free);
	return free;
}
