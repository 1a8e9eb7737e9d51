/** Requests to the service by the description that the check has found so far, and what their responses show. */
import { type Client, createClient } from "../../provider/api/client";
import { type Clock, systemClock } from "../../provider/api/clock";
import { isErrorObject } from "../../provider/api/confirmation";
import { type Feature, type Operation, type OperationName, operations } from "../../provider/api/contract";
import type { Description } from "../../provider/api/description/description";
import { recordOf } from "../../provider/api/description/records";
import { isList, ServiceDescription } from "../../provider/api/description/service-description";
import { isTelephonyError } from "../../provider/api/errors";
import { at, findJson, isObject, type Json, textIn } from "../../provider/api/json";
import { Secrets } from "../../provider/api/redact";
import { readResponse, unreadableIn } from "../../provider/api/response";
import type { ObservedResponse, TransportOptions } from "../../provider/api/transport";
import type { Call } from "../../provider/api/wire";
import type { Config } from "../../provider/session/config";
import { contractOffers, type Offered, type Offers } from "./document";
import { absentCodes, type Exchange, isBusy, isOk, statusOf } from "./exchange";
import { about, descriptionOf, type Finding, resolved } from "./finding";
import type { Kind } from "./kinds";
import { namingFindings } from "./naming";
import { type Probe, type ProbeName, untestedFindings } from "./probes";
import { joinedAll, listOf, shapeOfValue } from "./shape";

/** Operations whose response is a list or a record in the usual place. */
const regular: ReadonlySet<OperationName> = new Set([
	"listNumbers",
	"getNumber",
	"buyNumber",
	"patchNumber",
	"listTrunks",
	"getTrunk",
	"createTrunk",
	"listWebhooks",
	"getWebhook",
	"createWebhook",
]);

interface Found {
	readonly findings: readonly Finding[];
	readonly service: ServiceDescription;
	readonly client: Client;
}

export class Checkup {
	readonly given: Description;
	/** Without refusals for the service's rate. */
	readonly exchanges: Exchange[] = [];
	readonly clock: Clock;
	readonly #config: Config;
	readonly #contract: Offers;
	readonly #secrets = new Secrets();
	readonly #shared: Pick<TransportOptions, "clock" | "secrets" | "states" | "concurrency" | "observe">;
	/** By their descriptions in JSON. */
	readonly #clients = new Map<string, Client>();
	/** The operations with the shapes of their responses. */
	readonly #offers = new Map<OperationName, Offered>();
	/** By what they are about. */
	readonly #findings = new Map<string, Finding>();
	/** The HTTP status of each probe that the service refused for its rate; undefined for a tested one. */
	readonly #tries = new Map<ProbeName, number | undefined>();
	/** Of the request under way. */
	#probe: ProbeName | undefined;
	#observed: ObservedResponse | undefined;
	#found: Found | undefined;

	constructor(config: Config, contract: Offers, clock: Clock) {
		this.#config = config;
		this.#contract = contract;
		this.clock = clock;
		this.given = config.service?.description ?? {};
		const observe = (observed: ObservedResponse) => {
			this.#observed = observed;
			if (this.#probe !== "missing") this.#learn(observed);
		};
		this.#shared = { clock, secrets: this.#secrets, states: new Map(), concurrency: 1, observe };
	}

	static async open(config: Config, clock: Clock = systemClock): Promise<Checkup> {
		return new Checkup(config, await contractOffers(), clock);
	}

	mask(text: string): string {
		return this.#secrets.mask(text);
	}

	async close(): Promise<void> {
		for (const client of this.#clients.values()) await client.close();
	}

	// ---- Findings -----------------------------------------------------------------------------------------------------

	/** Adds findings. A later one replaces an earlier one about the same. */
	add(...findings: readonly Finding[]): void {
		for (const finding of findings) this.#findings.set(finding.what, finding);
		this.#found = undefined;
	}

	findingAbout(what: string): Finding | undefined {
		return this.#current.findings.find((finding) => finding.what === what);
	}

	/** Returns all findings, also those about responses that the client can't read, and about what wasn't tested. */
	rows(): readonly Finding[] {
		const isOffered = ({ name, feature, property }: Probe) =>
			property === undefined ? this.allows(name, feature) : this.sets(property);
		return [...this.#current.findings, ...this.#unreadable(), ...untestedFindings(isOffered, this.#tries)];
	}

	get #current(): Found {
		this.#found ??= this.#settle();
		return this.#found;
	}

	/** Compares the responses with the contract. The tests' own findings add to the names. */
	#settle(): Found {
		const compared = { ours: this.#contract, theirs: this.#offers, given: this.given };
		const names = resolved(namingFindings(compared), this.given);
		const named = descriptionOf(names, this.given);
		const others = resolved([...this.#findings.values()], named);
		const service = new ServiceDescription(descriptionOf(others, named), "the findings");
		return { findings: [...names, ...others], service, client: this.#clientFor(service) };
	}

	#clientFor(service: ServiceDescription): Client {
		const key = JSON.stringify(service.description);
		// The check tests if the service honors keys, so the client must not rely on that and repeat a purchase.
		const features = new Map([...this.#config.features, ["idempotencyKey", false] as const]);
		const client = this.#clients.get(key) ?? createClient({ ...this.#config, ...this.#shared, features, service });
		this.#clients.set(key, client);
		return client;
	}

	/** Returns the findings about responses that the client can't read, or only without some fields. */
	#unreadable(): Finding[] {
		const finding = about("responses", "fit the contract");
		const problems = new Map<string, Finding>();
		const leftOut = new Map<string, Finding>();
		for (const exchange of this.exchanges.filter(isOk)) {
			const record = recordOf(exchange.name) ?? "";
			const text = this.#problemIn(exchange, (_, fields) => {
				for (const field of fields) leftOut.set(`${record}: ${field}`, unreadFinding(record, field));
			});
			if (text !== undefined) problems.set(text, finding.decide(text, "set the place of this field"));
		}
		return [...leftOut.values(), ...(problems.size === 0 ? [finding.holds()] : problems.values())];
	}

	/** Reads a response again by the final description. */
	#problemIn({ name, id, doing, response }: Exchange, leaveOut: LeaveOut): string | undefined {
		if (response === undefined) return undefined;
		const operation: Operation = operations[name];
		const request = { name, operation, id, doing, query: {}, requestId: undefined };
		const reading = { ...request, description: this.service, keep: () => {}, redact: (text: string) => text, leaveOut };
		try {
			readResponse(reading, response);
			return undefined;
		} catch (error) {
			if (isTelephonyError(error)) return error.text.replace(/ \(request_id .*$/s, "");
			throw error;
		}
	}

	// ---- The service as found -----------------------------------------------------------------------------------------

	get service(): ServiceDescription {
		return this.#current.service;
	}

	get description(): Description {
		return this.service.description;
	}

	/** Undefined if neither the description nor the configuration declares the feature. */
	declares(feature: Feature): boolean | undefined {
		return this.#config.features.get(feature) ?? this.service.features.get(feature);
	}

	/** False if the configuration or the description rules out the operation, its feature or the extra one. */
	allows(name: OperationName, extra?: Feature): boolean {
		const { feature }: Operation = operations[name];
		const isOffered = (needed: Feature | undefined) => needed === undefined || this.declares(needed) !== false;
		return this.service.target(name) !== undefined && isOffered(feature) && isOffered(extra);
	}

	/** True if the service may have a request that sets the number's property. */
	sets(property: string): boolean {
		if (property === "reference" && this.declares("reference") === false) return false;
		if (this.service.lacks("number", property)) return false;
		return this.allows("patchNumber") || this.service.writesAlone("number", property);
	}

	/** Returns the records in a response, in our names: the items of a list, or the one record. */
	records({ name, json }: Exchange): readonly Json[] {
		const { json: ours } = this.service.responseIn(name, json);
		return (isList(name) ? listOf(at(ours, "data")) : [ours]).filter(isObject);
	}

	/** True if the service carried the request out. An error object behind a 2xx is a refusal. */
	isAccepted(exchange: Exchange): boolean {
		return isOk(exchange) && !isErrorObject(exchange.name, exchange.json, this.service);
	}

	errorCodeOf({ json }: Exchange): string | undefined {
		const code = at(json, this.service.errorPlaces[0]);
		return typeof code === "string" || typeof code === "number" ? String(code) : undefined;
	}

	/** True if the service itself says that it doesn't have the operation. A 404 may also mean that it is elsewhere. */
	lacksOperation(exchange: Exchange): boolean {
		return absentCodes.has(this.errorCodeOf(exchange) ?? "") || [405, 501].includes(statusOf(exchange));
	}

	// ---- Requests -----------------------------------------------------------------------------------------------------

	/**
	 * Sends a request as the provider does.
	 * @param probe the assumption that the request tests
	 * @throws TelephonyError if there is no response
	 */
	async ask(name: OperationName, call: Call = {}, probe?: ProbeName): Promise<Exchange> {
		const { client } = this.#current;
		const method = isList(name) && call.query === undefined ? "list" : "send";
		this.#observed = undefined;
		this.#probe = probe;
		const sent = await (client[method] as Client["send"])(name, call).catch((error: unknown) => {
			if (isTelephonyError(error)) return error;
			throw error;
		});
		const failed = isTelephonyError(sent) ? sent : undefined;
		const done = isTelephonyError(sent) ? { data: undefined, isConfirmed: false } : sent;
		const { doing = name, response } = this.#observedOf(name) ?? {};
		const hasResponse = failed?.status !== undefined || (response !== undefined && isSuccess(response.status));
		// An earlier try may have had a response.
		if (failed !== undefined && !hasResponse) throw failed;
		const json = response && findJson(textIn(response.body));
		this.#secrets.note(json);
		const { data, isConfirmed } = done;
		const exchange: Exchange = { name, id: call.segment, doing, response, json, data, failed, isConfirmed };
		this.#note(exchange, probe);
		return exchange;
	}

	/** A property's own operation may have come later. */
	#observedOf(name: OperationName): ObservedResponse | undefined {
		return this.#observed?.name === name ? this.#observed : undefined;
	}

	#note(exchange: Exchange, probe: ProbeName | undefined): void {
		const isTested = probe !== undefined && this.#tries.has(probe) && this.#tries.get(probe) === undefined;
		if (probe !== undefined && !isTested) this.#tries.set(probe, isBusy(exchange) ? statusOf(exchange) : undefined);
		if (!isBusy(exchange)) this.exchanges.push(exchange);
		if (probe === "missing") this.#learnRefusal(exchange);
	}

	/** Adds the names in a response that shows a record or a list. */
	#learn({ name, response }: ObservedResponse): void {
		const json = findJson(textIn(response.body));
		if (!isSuccess(response.status) || json === undefined || !regular.has(name)) return;
		const before = this.#offers.get(name);
		const shape = joinedAll([before?.response, shapeOfValue(json)]);
		this.#offers.set(name, { ...unseen, ...before, response: shape });
		this.#found = undefined;
	}

	/** Only the refusal of a number that doesn't exist has the form of every error. */
	#learnRefusal(exchange: Exchange): void {
		const { name, json } = exchange;
		if (isOk(exchange) || isBusy(exchange) || !isObject(json)) return;
		this.#offers.set(name, { ...unseen, ...this.#offers.get(name), refusal: shapeOfValue(json) });
		this.#found = undefined;
	}

	/** Returns the objects of a list in our names; undefined if the list can't be read to its end. */
	async findAll(kind: Kind): Promise<readonly Json[] | undefined> {
		for (;;) {
			const { client } = this.#current;
			const all = await listAll(client, kind);
			// The list may have shown names that make it readable.
			if (client === this.#current.client) return all;
		}
	}
}

/** An operation with only its responses. */
const unseen: Offered = {
	method: "",
	path: "",
	parameters: [],
	body: undefined,
	response: undefined,
	headers: [],
	refusal: undefined,
};

async function listAll(client: Client, { pages }: Kind): Promise<readonly Json[] | undefined> {
	const all: Json[] = [];
	try {
		for await (const page of pages(client))
			all.push(...(page as readonly Json[]), ...unreadableIn(page).map(({ id, fields }) => ({ ...fields, id })));
		return all;
	} catch {
		// After a purchase, no failure of a list may hide the error that names the number.
		return undefined;
	}
}

type LeaveOut = (places: readonly string[], fields: readonly string[]) => void;

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Without the first, numbers would seem unprotected; without the others, their objects would have no secrets. */
const neverAbsent: ReadonlySet<string> = new Set(["release_protection", "secret", "auth.password"]);

/** About a field that the service shows in another type, so that the client leaves it out of the record. */
function unreadFinding(record: string, field: string): Finding {
	const hint = `set records.${record}.${field} to a place that shows it in our type, or describe its \`values\``;
	const absence = neverAbsent.has(field) ? "" : ", or set it to false if no program needs it";
	return about(`${record}: ${field}`, field).decide("another type", hint + absence);
}
