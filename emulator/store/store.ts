import { type KindName, kinds } from "../../provider/api/contract";
import type { Clock } from "../time/clock";
import { Collection } from "./collection";
import type { Rows } from "./rows";

export type { Collection, Stored } from "./collection";
export type * from "./rows";

export type Store = { readonly [Name in KindName]: Collection<Rows[Name]> };

export const createStore = (clock: Clock): Store =>
	Object.fromEntries(Object.keys(kinds).map((name) => [name, new Collection(clock)])) as unknown as Store;
