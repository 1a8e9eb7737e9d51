import type { z } from "zod";
import type { Clock } from "../time/clock";
import { Collection, type Stored } from "./collection";
import { rows } from "./rows";

export type { Collection, Stored } from "./collection";
export type * from "./rows";

export type Store = {
	readonly [Name in keyof typeof rows]: Collection<z.output<(typeof rows)[Name]>>;
};

export const createStore = (clock: Clock): Store =>
	Object.fromEntries(Object.keys(rows).map((name) => [name, new Collection<Stored>(clock)])) as unknown as Store;
