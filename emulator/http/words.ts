/**
 * Applies a service description: requests are renamed before they are read, and replies before they are sent. Control
 * API, console and ledger use the contract's names.
 */
import { type Operation, type OperationName, operations, replayedHeader } from "../../provider/api/contract";
import type { Dialect } from "../../provider/api/dialect/dialect";
import { fitting } from "../../provider/api/dialect/records";
import type { Reply } from "../store/idempotency";

export interface Route {
	readonly name: OperationName;
	readonly operation: Operation;
	readonly method: string;
	readonly path: string;
}

export class Words {
	/** Undefined for a service that uses the contract's names. */
	readonly dialect: Dialect | undefined;
	readonly routes: readonly Route[];

	constructor(dialect?: Dialect) {
		this.dialect = dialect;
		this.routes = (Object.entries(operations) as [OperationName, Operation][]).flatMap(([name, operation]) => {
			const target = dialect === undefined ? operation : dialect.target(name);
			return target === undefined ? [] : [{ name, operation, method: target.method, path: target.path }];
		});
	}

	get keyHeader(): string {
		return this.dialect?.idempotencyHeader ?? "idempotency-key";
	}

	/** The URL with the query in the contract's names. */
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

	/** @param name undefined without an operation */
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
					: dialect.answerOut(name, reply.body),
			headers: replayed === undefined ? headers : { ...headers, [dialect.replayedHeader]: replayed },
		};
	}
}
