/** Changes of a resource as lines of text. */
import { isObject } from "../../provider/api/json";
import { displayed } from "../../provider/properties/display";
import { printable } from "../report/model";
import type { DriftedResource } from "./report";

type Change = DriftedResource["changes"][number];

/** `capacity: 30 → 7`. One line per field of an object, `routing.type` first; for long lists only the differences. */
export const changeTexts = (change: Change): string[] => fieldsOf(change).map(changeText);

function fieldsOf(change: Change): Change[] {
	const { path, declared, live } = change;
	const sides = [declared, live];
	if (!sides.some(isObject) || !sides.every((side) => isObject(side) || side == null)) return [change];
	const [before, after] = sides.map((side) => (isObject(side) ? side : {}));
	const keys = [...new Set([...Object.keys({ ...before, ...after })])].sort((a, b) => rank(a) - rank(b));
	const fields = keys
		.map((key) => ({ path: `${path}.${key}`, declared: before?.[key], live: after?.[key] }))
		.filter((field) => JSON.stringify(field.declared) !== JSON.stringify(field.live));
	return fields.length === 0 ? [change] : fields.flatMap(fieldsOf);
}

/** The tag of a tagged object comes first. */
const rank = (key: string): number => (key === "type" || key === "mode" ? 0 : 1);

function changeText({ path: where, declared, live }: Change): string {
	// Entries of `metadata` can have any name.
	const path = printable(where);
	const was = displayed(declared);
	const is = displayed(live);
	if (!Array.isArray(declared) || !Array.isArray(live) || was.length + is.length < 200)
		return `${path}: ${was} → ${is}`;
	const items = (list: readonly unknown[]) => new Map(list.map((item) => [JSON.stringify(item), item]));
	const before = items(declared);
	const after = items(live);
	const gone = [...before].filter(([key]) => !after.has(key)).map(([, item]) => `−${displayed(item)}`);
	const added = [...after].filter(([key]) => !before.has(key)).map(([, item]) => `+${displayed(item)}`);
	if (gone.length + added.length === 0) return `${path}: another order of its ${declared.length} items`;
	// Some of both: an added item may matter more than all removed ones.
	const some = [gone, added].flatMap((items) => (items.length > 5 ? [...items.slice(0, 5), "…"] : items));
	return `${path}: ${some.join(" ")} (${declared.length} items → ${live.length})`;
}
