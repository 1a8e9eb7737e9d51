/** Requests to the service in its own words, and what their responses have shown so far. */
import { type Clock, systemClock } from "../../provider/api/clock";
import type { OperationName } from "../../provider/api/contract";
import type { Description } from "../../provider/api/description/description";
import { recordOf } from "../../provider/api/description/records";
import type { ServiceDescription } from "../../provider/api/description/service-description";
import { errorOfResponse, isTelephonyError } from "../../provider/api/errors";
import { isObject, type Json, textIn } from "../../provider/api/json";
import { Limiter } from "../../provider/api/limiter";
import { noResponse } from "../../provider/api/no-response";
import { Secrets } from "../../provider/api/redact";
import { defaultRetry, retryAfterMs, retryDelay } from "../../provider/api/retry";
import { type ServiceStates, Transport } from "../../provider/api/transport";
import { type Call, type Outgoing, type RawResponse, Wire } from "../../provider/api/wire";
import type { Config } from "../../provider/session/config";
import { findJson } from "../engine/json";
import { type Attempt, attempt, operationLine } from "./attempt";
import { contractOffers, type Offered, type Offers } from "./document";
import {
	absentStatuses,
	type Declared,
	dialectOf,
	type Exchange,
	findProblem,
	isBusy,
	isBusyStatus,
	isOk,
	Reader,
} from "./exchange";
import { about, descriptionOf, type Finding, mergedDescription, resolved } from "./finding";
import type { Kind } from "./kinds";
import { namingFindings } from "./naming";
import { type ProbeName, untestedFindings } from "./probes";
import { joinedAll, shapeOfValue } from "./shape";

type Request = Pick<Call, "segment" | "query" | "body" | "idempotencyKey"> & {
	/** The assumption that the request tests. */
	readonly probe?: ProbeName;
	readonly instead?: string | undefined;
	/** Replaces the account's API key. */
	readonly key?: string;
	/** Changes the description for this request. */
	readonly words?: Description | undefined;
};

/** Operations whose response is a list or a record in the usual place. */
const regular: ReadonlySet<OperationName> = new Set([
	"listNumbers",
	"getNumber",
	"buyNumber",
	"patchNumber",
	"getAccount",
	"listTrunks",
	"getTrunk",
	"createTrunk",
	"listWebhooks",
	"getWebhook",
	"createWebhook",
]);

/** Probes whose refusal has the form of every error. */
const refused: readonly (ProbeName | undefined)[] = ["wrongKey", "unknown"];

interface Known {
	readonly findings: readonly Finding[];
	readonly reader: Reader;
}

export class Checkup {
	readonly given: Description;
	/** Responses to requests that a client may send, without refusals for the service's rate. */
	readonly exchanges: Exchange[] = [];
	readonly clock: Clock;
	readonly #declared: Declared;
	readonly #config: Config;
	readonly #contract: Offers;
	readonly #wire: Wire;
	readonly #secrets = new Secrets();
	readonly #limiter: Limiter;
	readonly #states: ServiceStates = new Map();
	/** The operations with the shapes of their responses. */
	readonly #offers = new Map<OperationName, Offered>();
	/** By what they are about. */
	readonly #findings = new Map<string, Finding>();
	/** The HTTP status of each probe that the service refused for its rate; undefined for a tested one. */
	readonly #tries = new Map<ProbeName, number | undefined>();
	#known: Known | undefined;

	constructor(config: Config, contract: Offers, clock: Clock) {
		this.#config = config;
		this.#contract = contract;
		this.clock = clock;
		this.#limiter = new Limiter({ clock, concurrency: 1, longestWaitMs: defaultRetry.longestWaitMs });
		this.given = config.service?.description ?? {};
		this.#declared = config.features;
		this.#secrets.addKey(config.apiKey);
		this.#wire = new Wire(config.baseUrl, config.apiKey);
	}

	static async open(config: Config, clock: Clock = systemClock): Promise<Checkup> {
		return new Checkup(config, await contractOffers(), clock);
	}

	mask(text: string): string {
		return this.#secrets.mask(text);
	}

	// ---- Findings -----------------------------------------------------------------------------------------------------

	/** Adds findings. A later one replaces an earlier one about the same. */
	add(...findings: readonly Finding[]): void {
		for (const finding of findings) this.#findings.set(finding.what, finding);
		this.#known = undefined;
	}

	findingAbout(what: string): Finding | undefined {
		return this.#settled.findings.find((finding) => finding.what === what);
	}

	/** Reads exchanges by the description that follows from the findings. */
	get known(): Reader {
		return this.#settled.reader;
	}

	/** Returns all findings, also those about responses that the client can't read, and about what wasn't tested. */
	rows(): readonly Finding[] {
		const { findings, reader } = this.#settled;
		return [...findings, ...this.#unreadable(reader.dialect), ...untestedFindings(reader, this.#tries)];
	}

	get #settled(): Known {
		this.#known ??= this.#settle();
		return this.#known;
	}

	/** Names of fields depend on where requests go, and everything else on both. */
	#settle(): Known {
		const added = [...this.#findings.values()];
		const isAboutRequest = ({ state }: Finding) => state?.operations !== undefined || state?.envelopes !== undefined;
		const requests = resolved(added.filter(isAboutRequest), this.given);
		const described = descriptionOf(requests, this.given);
		const compared = { ours: this.#contract, theirs: this.#offers, given: described };
		const names = resolved(namingFindings(compared), described);
		const named = descriptionOf(names, described);
		const others = resolved(
			added.filter((finding) => !isAboutRequest(finding)),
			named,
		);
		const reader = new Reader(descriptionOf(others, named), this.#declared);
		return { findings: [...requests, ...names, ...others], reader };
	}

	/** Returns the findings about responses that the client can't read, or only without some fields. */
	#unreadable(dialect: ServiceDescription): Finding[] {
		const finding = about("other responses", "fit the contract");
		const problems = new Map<string, Finding>();
		const leftOut = new Map<string, Finding>();
		for (const exchange of this.exchanges.filter(isOk)) {
			const record = recordOf(exchange.name) ?? "";
			const problem = findProblem(exchange, dialect, undefined, (fields) => {
				for (const field of fields) leftOut.set(`${record}: ${field}`, unreadFinding(record, field));
			});
			const text = problem?.text.replace(/ \(request_id .*$/s, "");
			if (text !== undefined) problems.set(text, finding.decide(text, "set the place of this field"));
		}
		return [...leftOut.values(), ...(problems.size === 0 ? [finding.holds()] : problems.values())];
	}

	#learn(exchange: Exchange, { probe, key }: Request): void {
		const { name, json } = exchange;
		const { status } = exchange.response;
		const isSuccess = isOk(exchange);
		const isUsual = key === undefined && probe !== "unknown" && regular.has(name);
		const isRecord = isSuccess && isUsual && json !== undefined;
		const isRefusal = !isSuccess && refused.includes(probe) && isObject(json);
		if (!isRecord && !isRefusal) return;
		const before = this.#offers.get(name);
		const shape = shapeOfValue(json);
		const refusals = isRefusal ? [{ status, shape, examples: [json] }] : (before?.refusals ?? []);
		const response = isRecord ? joinedAll([before?.response, shape]) : before?.response;
		this.#offers.set(name, { method: "", path: "", parameters: [], body: undefined, response, headers: [], refusals });
	}

	#note(probe: ProbeName | undefined, status: number | undefined): void {
		if (probe === undefined) return;
		const isTested = this.#tries.has(probe) && this.#tries.get(probe) === undefined;
		if (!isTested) this.#tries.set(probe, isBusyStatus(status) ? status : undefined);
	}

	// ---- Requests -----------------------------------------------------------------------------------------------------

	/**
	 * Sends a request within the service's rate, and again if the service refuses it for its rate.
	 * @throws TelephonyError if there is no response, or the description doesn't offer the operation
	 */
	async ask(name: OperationName, request: Request = {}): Promise<Exchange> {
		const { probe, instead, key, words, ...call } = request;
		const { description } = this.known;
		const dialect = words === undefined ? this.known.dialect : dialectOf(mergedDescription(description, words));
		const body = dialect.ownOperations(recordOf(name))?.split(call.body).main ?? call.body;
		const outgoing = dialect.request(name, call, body, undefined);
		const doing = `${outgoing.method} ${outgoing.path}`;
		const wire = key === undefined ? this.#wire : new Wire(this.#config.baseUrl, key);
		const response = await this.#send(wire, outgoing, doing).catch((error: unknown) => {
			if (isTelephonyError(error)) throw error;
			const redact = (text: string) => this.mask(text);
			const { proxy } = wire;
			throw noResponse({ operation: name, doing, baseUrl: this.#config.baseUrl, proxy, error, redact }).failed;
		});
		if (wire !== this.#wire) await wire.close();
		const json = findJson(textIn(response.body));
		this.#secrets.note(json);
		const exchange: Exchange = { name, id: call.segment, body: call.body, doing, instead, response, json };
		this.#note(probe, response.status);
		if (isBusy(exchange)) return exchange;
		if (key === undefined) this.exchanges.push(exchange);
		this.#learn(exchange, request);
		this.#known = undefined;
		return exchange;
	}

	async #send(wire: Wire, outgoing: Outgoing, doing: string): Promise<RawResponse> {
		const limiter = this.#limiter;
		for (let attempt = 1; ; attempt++) {
			const started = this.clock.now();
			const response = await limiter.run("read", () => wire.send(outgoing, undefined));
			const { status, headers } = response;
			if (status === 429) limiter.rate.slowDown(started);
			else limiter.rate.accept();
			if (!isBusyStatus(status)) return response;
			const retryAfter = headers["retry-after"];
			const failed = errorOfResponse(doing, { status, errorCode: "busy", message: "" });
			// A 429 is a refusal, so that even a purchase may follow.
			const order = { attempt, isRepeatable: outgoing.method !== "POST" || status === 429 };
			const ms = retryDelay({ failed, sent: true, retryAfter }, order, defaultRetry, this.clock, Math.random);
			if (ms === undefined) return response;
			limiter.pause(retryAfterMs(retryAfter, this.clock.now()));
			await limiter.delay(ms, undefined);
		}
	}

	/**
	 * Tries other requests in turn if the service has no such one, and the description doesn't name another.
	 * @returns the first request, and the last one, which may have worked
	 */
	async askAny(
		name: OperationName,
		alternatives: readonly string[],
		request: Request,
	): Promise<{ readonly first: Exchange; readonly last: Exchange }> {
		const isStated = this.known.description.operations?.[name] !== undefined;
		const first = await this.ask(name, request);
		if (isStated || !absentStatuses.has(first.response.status)) return { first, last: first };
		let last = first;
		for (const alternative of alternatives) {
			const words = { operations: { [name]: alternative } };
			const exchange = await this.ask(name, { ...request, instead: alternative, words });
			if (!isBusy(exchange)) last = exchange;
			if (isOk(exchange)) break;
		}
		return { first, last };
	}

	/**
	 * Changes an object as the provider does. If the service has no such request, tries a PUT of the whole object, and a PUT
	 * of the changed fields.
	 * @returns undefined if the service refused the change for its rate, which shows nothing about the change
	 */
	async change(kind: Kind, id: string, body: Json, probe?: ProbeName): Promise<Attempt | undefined> {
		const { dialect, description } = this.known;
		let made = await this.#attempt(dialect, kind, id, body);
		// A service without a read of one object has the path of the change.
		const target = dialect.target(kind.read) ?? dialect.target(kind.change);
		if (absentStatuses.has(made.failed?.status ?? 0) && this.given.operations?.[kind.change] === undefined)
			for (const isWhole of [true, false]) {
				const instead = { request: `PUT ${target?.path}`, isWhole };
				const service = dialectOf(mergedDescription(description, operationLine(kind.change, instead)));
				const replaced = await this.#attempt(service, kind, id, body);
				if (absentStatuses.has(replaced.failed?.status ?? 0)) continue;
				// Any other refusal shows that the service has this request.
				made = { ...replaced, instead };
				if (made.failed === undefined) break;
			}
		this.#note(probe, made.failed?.status);
		return isBusyStatus(made.failed?.status) ? undefined : made;
	}

	async #attempt(service: ServiceDescription, kind: Kind, id: string, body: Json): Promise<Attempt> {
		const shared = { clock: this.clock, secrets: this.#secrets, states: this.#states };
		const transport = new Transport({ ...this.#config, ...shared, service, features: this.#declared });
		return attempt(transport, kind, id, body).finally(() => transport.close());
	}

	close(): Promise<void> {
		return this.#wire.close();
	}
}

/** Without the first, numbers would seem unprotected; without the others, their objects would have no secrets. */
const neverAbsent: ReadonlySet<string> = new Set(["release_protection", "secret", "auth.password"]);

/** About a field that the service shows in another type, so that the client leaves it out of the record. */
function unreadFinding(record: string, field: string): Finding {
	const finding = about(`${record}: ${field}`, field, { record, field });
	const hint = `set records.${record}.${field} to a place that shows it in our type, or describe its \`values\``;
	const absence = neverAbsent.has(field) ? "" : ", or set it to false if no program needs it";
	return finding.decide("another type", hint + absence);
}
