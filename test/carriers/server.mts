/** Serves a make of carrier over HTTP: keys, limits, faults, and the record of what happened. */
import { createHash } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Carrier, CarrierOptions, Fault, Kind, LogEntry, Row } from "./carrier.mts";
import { allocate, type Call, type Make, type Reason, Refusal, type Reply, type Rows, rowOf } from "./make.mts";
import { faultOf, type Schema } from "./schema.mts";

interface Account<N, T, W> {
	readonly name: string;
	readonly key: string;
	readonly rows: Rows<N, T, W>;
	readonly serials: Record<Kind, number>;
	/** Times of the requests of the last second. */
	recent: number[];
}

interface Arrival {
	readonly method: string;
	readonly url: string;
	/** Path below the base URL, with its query. */
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	readonly text: string;
}

interface PlantedFault {
	readonly fault: Fault;
	fired: number;
}

const json = "application/json";

function bodyOf<B>({ headers, text }: Arrival, schema: Schema): B {
	let value: unknown = {};
	if (text !== "") {
		if (!headers["content-type"]?.startsWith(json)) throw new Refusal("malformed", `content type must be ${json}`);
		try {
			value = JSON.parse(text);
		} catch {
			throw new Refusal("malformed", "body is not JSON");
		}
	}
	const fault = faultOf(schema, value, "body");
	if (fault !== undefined) throw new Refusal("malformed", fault);
	return value as B;
}

async function arrivalOf(request: IncomingMessage): Promise<Arrival> {
	let text = "";
	for await (const chunk of request.setEncoding("utf8")) text += chunk;
	const { method = "", url = "", headers } = request;
	return { method, url, path: url.replace(/^\/v1(?=[/?]|$)/, ""), headers, text };
}

class CarrierServer<N extends Row, T extends Row, W extends Row> implements Carrier {
	readonly accounts: readonly Account<N, T, W>[];
	readonly log: LogEntry[] = [];
	url = "";

	readonly #make: Make<N, T, W>;
	readonly #clock: () => number;
	readonly #server = createServer((request, response) => {
		this.#serve(request, response).catch(() => response.destroy());
	});
	readonly #routes;
	readonly #faults: PlantedFault[] = [];
	#numberSerial = 1;
	#secrets = 0;
	#errors = 0;

	constructor(make: Make<N, T, W>, options: CarrierOptions) {
		this.#make = make;
		this.#clock = options.now ?? Date.now;
		this.accounts = ["north", "south"].map((name) => ({
			name,
			key: `${make.name}_${this.#secret()}`,
			rows: { number: new Map(), trunk: new Map(), webhook: new Map() },
			serials: { number: 0, trunk: 0, webhook: 0 },
			recent: [],
		}));
		this.#routes = Object.entries(make.routes).map(([route, handle]) => {
			const [, method, path = "", query = ""] = /^(\S+) ([^?]+)\??(.*)$/.exec(route) ?? [];
			const pattern = new RegExp(`^/v1${path.replace(":id", "(?<id>[^/]+)")}$`);
			return { method, pattern, query: query.split("&"), handle };
		});
	}

	async listen(): Promise<void> {
		await new Promise<void>((resolve, reject) => {
			this.#server.once("error", reject).listen(0, "127.0.0.1", resolve);
		});
		this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
	}

	rows(account: string, kind: Kind): readonly Row[] {
		return structuredClone([...this.#settled(account).rows[kind].values()]);
	}

	edit(account: string, kind: Kind, id: string, change: Row): void {
		Object.assign(rowOf<Row>(this.#settled(account).rows[kind], id), structuredClone(change));
	}

	approve(account: string, id: string): void {
		const row = rowOf(this.#settled(account).rows.number, id);
		if (!this.#make.isPending(row)) throw new Error(`number ${id} isn't pending`);
		this.#make.approve(row, this.#clock());
	}

	fault(fault: Fault): void {
		this.#faults.push({ fault, fired: 0 });
	}

	close(): Promise<void> {
		return new Promise((resolve) => {
			this.#server.close(() => resolve());
			this.#server.closeAllConnections();
		});
	}

	/** Returns an account in which time has passed. */
	#settled(name: string): Account<N, T, W> {
		const account = this.accounts.find((candidate) => candidate.name === name);
		if (account === undefined) throw new Error(`${this.#make.name} has no account ${name}`);
		this.#make.settle?.(account.rows, this.#clock());
		return account;
	}

	#secret(): string {
		this.#secrets += 1;
		const text = `${this.#make.name}/${this.#secrets}`;
		return createHash("sha256").update(text).digest("hex").slice(0, 32);
	}

	#refusal(reason: Reason, message: string, retryAfterSeconds?: number): Reply {
		const [status, error] = this.#make.errors[reason];
		this.#errors += 1;
		const body = { error, message, request_id: `${this.#make.name}-${this.#errors}` };
		return retryAfterSeconds === undefined
			? { status, body }
			: { status, body, headers: { "retry-after": String(retryAfterSeconds) } };
	}

	async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const arrival = await arrivalOf(request);
		const account = this.accounts.find(({ key }) => arrival.headers.authorization === `Bearer ${key}`);
		const isLimited = account !== undefined && this.#isOverLimit(account);
		const fault = isLimited ? undefined : this.#takeFault(arrival);
		const retryAfter = fault === undefined ? this.#make.limit?.retryAfterSeconds : 1;
		const isBusy = isLimited || fault?.kind === "busy";
		const reply = isBusy ? this.#refusal("busy", "too many requests", retryAfter) : this.#respond(arrival, account);
		if (fault?.kind === "lost-response") {
			response.destroy();
			return;
		}
		const text = reply.body === undefined ? undefined : JSON.stringify(reply.body);
		response.writeHead(reply.status, text === undefined ? reply.headers : { "content-type": json, ...reply.headers });
		response.end(text);
	}

	#takeFault({ method, path }: Arrival): Fault | undefined {
		const found = this.#faults.find(
			({ fault, fired }) => fault.method === method && fault.path.test(path) && fired < (fault.times ?? Infinity),
		);
		if (found !== undefined) found.fired += 1;
		return found?.fault;
	}

	#respond(arrival: Arrival, account: Account<N, T, W> | undefined): Reply {
		const document = this.#make.publicPaths?.[`${arrival.method} ${arrival.url}`];
		if (document !== undefined) return { status: 200, body: document(this.url) };
		if (account === undefined) return this.#refusal("unauthorized", this.#make.keyMessage);
		try {
			return this.#carryOut(arrival, account);
		} catch (error) {
			if (error instanceof Refusal) return this.#refusal(error.reason, error.message);
			return this.#refusal("internal", String(error));
		}
	}

	#isOverLimit(account: Account<N, T, W>): boolean {
		const time = this.#clock();
		account.recent = account.recent.filter((at) => at > time - 1000);
		if (account.recent.length >= (this.#make.limit?.perSecond ?? Infinity)) return true;
		account.recent.push(time);
		return false;
	}

	#carryOut(arrival: Arrival, account: Account<N, T, W>): Reply {
		const { pathname, searchParams: query } = new URL(arrival.url, "http://carrier.invalid");
		const route = this.#routes.find(({ method, pattern }) => method === arrival.method && pattern.test(pathname));
		if (route === undefined) throw new Refusal("notFound", `no operation ${arrival.method} ${pathname}`);
		const unknown = [...query.keys()].find((parameter) => !route.query.includes(parameter));
		if (unknown !== undefined) throw new Refusal("malformed", `unknown parameter ${unknown}`);
		const id = route.pattern.exec(pathname)?.groups?.id ?? "";
		this.#make.settle?.(account.rows, this.#clock());
		const call = this.#callOf(arrival, account, { path: pathname, query, id });
		return this.#make.carryOut?.(call, () => route.handle(call)) ?? route.handle(call);
	}

	#callOf(
		arrival: Arrival,
		account: Account<N, T, W>,
		target: Pick<Call<N, T, W>, "path" | "query" | "id">,
	): Call<N, T, W> {
		const time = this.#clock();
		return {
			...target,
			account: account.name,
			method: arrival.method,
			headers: arrival.headers,
			time,
			rows: account.rows,
			body: (schema) => bodyOf(arrival, schema),
			nextSerial: (kind) => {
				account.serials[kind] += 1;
				return account.serials[kind];
			},
			secret: () => this.#secret(),
			allocate: (purchase) => {
				const allocation = allocate(this.#make.markets, purchase, this.#numberSerial);
				this.#numberSerial += 1;
				return allocation;
			},
			log: (what, kind, id, number) => {
				const entry = { at: time, account: account.name, what, kind, id };
				this.log.push(number === undefined ? entry : { ...entry, number });
			},
		};
	}
}

/** Starts a carrier on 127.0.0.1. */
export async function startCarrier<N extends Row, T extends Row, W extends Row>(
	make: Make<N, T, W>,
	options: CarrierOptions = {},
): Promise<Carrier> {
	const server = new CarrierServer(make, options);
	await server.listen();
	return server;
}
