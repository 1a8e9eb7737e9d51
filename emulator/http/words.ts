/**
 * A service that names things otherwise: requests are put into the contract's words before anything reads them, and
 * replies into the service's once all is noted. Control API, console and ledger know the contract only.
 */
import { type Operation, type OperationName, operations, replayedHeader } from "../../provider/api/contract";
import { fieldsIn } from "../../provider/api/description/records";
import type { ServiceDescription } from "../../provider/api/description/service-description";
import type { Reply } from "../store/idempotency";

export interface Route {
	readonly name: OperationName;
	readonly operation: Operation;
	readonly method: string;
	/** Relative to the base URL, with `{id}`. */
	readonly path: string;
}

export class Words {
	/** Absent for a service that uses the contract's words. */
	readonly dialect: ServiceDescription | undefined;
	readonly routes: readonly Route[];

	constructor(dialect?: ServiceDescription) {
		this.dialect = dialect;
		this.routes = (Object.entries(operations) as [OperationName, Operation][]).flatMap(([name, operation]) => {
			const target = dialect === undefined ? operation : dialect.target(name);
			return target === undefined ? [] : [{ name, operation, method: target.method, path: target.path }];
		});
	}

	get keyHeader(): string {
		return this.dialect?.idempotencyHeader ?? "idempotency-key";
	}

	/** The URL with the query in our words. */
	url(name: OperationName, url: string): string {
		const [path = "", query] = url.split("?");
		if (this.dialect === undefined || query === undefined) return url;
		return `${path}?${new URLSearchParams(this.dialect.queryIn(name, new URLSearchParams(query)))}`;
	}

	body(name: OperationName, sent: unknown): unknown {
		if (this.dialect === undefined || sent === undefined) return sent;
		const ours = this.dialect.bodyIn(name, sent);
		const { body }: Operation = operations[name];
		return this.dialect.target(name)?.whole ? fitting(body, ours) : ours;
	}

	/** @param name none for what no operation answers */
	reply(name: OperationName | undefined, reply: Reply): Reply {
		const { dialect } = this;
		if (dialect === undefined || reply.body === undefined) return reply;
		const isError = reply.status >= 400;
		const { [replayedHeader]: replayed, ...headers } = { ...reply.headers };
		return {
			...reply,
			body: isError
				? dialect.errorOut(reply.body)
				: name === undefined
					? reply.body
					: dialect.responseOut(name, reply.body),
			headers: replayed === undefined ? headers : { ...headers, [dialect.replayedHeader]: replayed },
		};
	}
}

/** Removes what a schema doesn't know, at any depth: a record that is sent back whole has more than a change may have. */
function fitting(schema: unknown, value: unknown): unknown {
	const known = new Set([...fieldsIn(schema)].map(([path]) => path));
	const reduce = (each: unknown, path: string): unknown => {
		if (typeof each !== "object" || each === null || Array.isArray(each)) return each;
		const hasParts = path === "" || [...known].some((other) => other.startsWith(`${path}.`));
		if (!hasParts) return each;
		return Object.fromEntries(
			Object.entries(each).flatMap(([key, field]) => {
				const inner = path === "" ? key : `${path}.${key}`;
				return known.has(inner) ? [[key, reduce(field, inner)]] : [];
			}),
		);
	};
	return reduce(value, "");
}
