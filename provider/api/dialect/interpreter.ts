/** Between one client and the wire: what goes out is put into the service's words, what comes back into ours. */
import { pathOf } from "../address";
import { type Operation, type OperationName, operations } from "../contract";
import { TelephonyError } from "../errors";
import type { Call, Outgoing } from "../wire";
import { type Dialect, dialectOf, type Target } from "./dialect";
import { defined } from "./json";
import { recordOf } from "./records";

/** By its kind, as ids of two kinds may be equal. */
const keyOf = (name: OperationName, id: string): string => `${recordOf(name)} ${id}`;

export class Interpreter {
	/** Absent for a service that uses the contract's words. */
	readonly dialect: Dialect | undefined;
	/** Records as the service has written them, which a change of them needs. */
	readonly #last = new Map<string, unknown>();

	/** @param service a description, or one that was checked before. @throws TelephonyError of kind Config */
	constructor(service: unknown) {
		this.dialect = dialectOf(service, "the option `service`");
	}

	/** Where an operation is at the service. @throws TelephonyError NotOffered */
	placeOf(name: OperationName): Pick<Target, "method" | "path"> {
		const operation: Operation = operations[name];
		const target = this.dialect === undefined ? operation : this.dialect.target(name);
		if (target !== undefined) return target;
		const message = `The service description (telephony:service) says that the service doesn't offer ${name}. Nothing was sent.`;
		throw new TelephonyError("NotOffered", message, {
			operation: name,
			...defined({ feature: operation.feature }),
		});
	}

	/** What must be read before this is sent: a change that sends more than what differs needs the record as it is. */
	baseOf(name: OperationName, { segment }: Call): OperationName | undefined {
		const read = this.dialect?.baseOf(name);
		if (read === undefined || segment === undefined || this.#last.has(keyOf(name, segment))) return undefined;
		return this.dialect?.target(read) === undefined ? undefined : read;
	}

	outgoing(name: OperationName, call: Call, body: unknown): Outgoing {
		const { segment, query = {}, idempotencyKey } = call;
		const { media }: Operation = operations[name];
		const { method, path } = this.placeOf(name);
		const last = segment === undefined ? undefined : this.#last.get(keyOf(name, segment));
		return {
			method,
			path: pathOf({ method, path }, segment),
			query: this.dialect?.queryOut(name, query) ?? query,
			headers: {
				accept: media === undefined ? "application/json" : "*/*",
				...(idempotencyKey === undefined
					? {}
					: { [this.dialect?.idempotencyHeader ?? "idempotency-key"]: idempotencyKey }),
			},
			body: this.dialect === undefined ? body : this.dialect.bodyOut(name, body, last),
		};
	}

	/** How an answer is read: `keep` takes note of a record as the service writes it. */
	reading(name: OperationName) {
		return {
			dialect: this.dialect,
			keep: (id: string, theirs: unknown): void => {
				if (this.dialect?.isKept(name)) this.#last.set(keyOf(name, id), theirs);
			},
		};
	}

	/** It was changed, and nobody has shown how it is now. */
	forget(name: OperationName, id: string | undefined): void {
		if (id !== undefined) this.#last.delete(keyOf(name, id));
	}
}
