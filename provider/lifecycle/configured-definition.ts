/** What a trunk and a webhook differ in: each says it of itself, and their one lifecycle goes by it. */
import type { Answer, CreateOptions } from "../api/client";
import type { Referenced } from "../ownership/claim";
import type { CheckFailure, Properties, Values } from "../properties/table";
import type { SharedReads } from "../reads/reads";
import type { Service } from "../session/session";
import type { Secret } from "./secret";

/** The operations of one kind of object. */
export interface Area<R extends Referenced> {
	readonly reads: SharedReads<R>;
	create(body: Values, options: CreateOptions): Promise<Answer<R>>;
	get(id: string): Promise<R>;
	patch(id: string, body: () => Values): Promise<R>;
	delete(id: string): Promise<void>;
	/** Has the service make a new secret. */
	rotate(id: string): Promise<R>;
}

export interface Configured<R extends Referenced> {
	readonly kind: "trunk" | "webhook";
	readonly properties: Properties;
	readonly secret: Secret<R>;
	area(service: Service): Area<R>;
	nameOf(record: R): string;
	/** By what people tell one from another; neither it nor anything else is unique at the service. */
	readonly toldBy: "name" | "url";
	/** What is live, in the program's names. */
	live(record: R): Values;
	/** The outputs that are no inputs. */
	computed(record: R): Values;
	/** What putting back a lost one does. */
	readonly lost: string;
	/** Inputs that follow from others. */
	prepare?(news: Values): Values;
	/** What the table of properties can't say. */
	failures?(inputs: Values): CheckFailure[];
}
