/** What differs between trunks and webhooks. Each defines it, and their shared lifecycle uses it. */
import type { Answer, CreateOptions } from "../api/client";
import type { Referenced } from "../ownership/claim";
import type { CheckFailure, Properties, Values } from "../properties/table";
import type { SharedReads } from "../reads/reads";
import type { Service } from "../session/session";
import type { Secret } from "./secret";

/** The operations of one kind of object. */
export interface Operations<R extends Referenced> {
	readonly reads: SharedReads<R>;
	create(body: Values, options: CreateOptions): Promise<Answer<R>>;
	get(id: string): Promise<R>;
	patch(id: string, body: () => Values): Promise<R>;
	delete(id: string): Promise<void>;
	/** Makes the service generate a new secret. */
	rotate(id: string): Promise<R>;
}

export interface Configured<R extends Referenced> {
	readonly kind: "trunk" | "webhook";
	readonly properties: Properties;
	readonly secret: Secret<R>;
	operations(service: Service): Operations<R>;
	nameOf(record: R): string;
	/** The property by which people tell objects apart. Like all others, it needn't be unique at the service. */
	readonly toldBy: "name" | "url";
	/** The live values, under the program's names. */
	live(record: R): Values;
	/** The outputs that aren't inputs. */
	computed(record: R): Values;
	/** What putting back a lost object does, in words. */
	readonly lost: string;
	/** Inputs that follow from others. */
	prepare?(news: Values): Values;
	/** Checks that the table of properties can't express. */
	failures?(inputs: Values): CheckFailure[];
}
