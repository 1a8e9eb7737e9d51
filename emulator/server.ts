import { setTimeout as sleep } from "node:timers/promises";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { z } from "zod";
import {
	accountHeader,
	type Feature,
	features,
	featuresHeader,
	type Operation,
	type OperationName,
	replayedHeader,
} from "../provider/api/contract";
import { recordOf, singleReadOf } from "../provider/api/description/records";
import type { ServiceDescription } from "../provider/api/description/service-description";
import { accountHandlers } from "./areas/account/routes";
import { billingHandlers } from "./areas/billing/routes";
import { callHandlers } from "./areas/calls/routes";
import { inventoryHandlers } from "./areas/inventory/routes";
import { kycHandlers } from "./areas/kyc/routes";
import { messageHandlers } from "./areas/messages/routes";
import { numberHandlers, withoutUnchanged } from "./areas/numbers/routes";
import { portOrderHandlers } from "./areas/port-orders/routes";
import { trunkHandlers } from "./areas/trunks/routes";
import { webhookHandlers } from "./areas/webhooks/routes";
import { createConsole } from "./console";
import { type Access, bearerOf } from "./control/access";
import type { Control } from "./control/control";
import { type ControlRoute, controlRoutes } from "./control/routes";
import { filterFeatures, openApi } from "./http/openapi";
import { emptyPage } from "./http/pages";
import { bySpecificity, idIn, patternOf, routeOf } from "./http/paths";
import { attempt, respond } from "./http/respond";
import { type Route, Words } from "./http/words";
import { invalid, ServiceError } from "./request/errors";
import type { Handlers, Media } from "./request/handlers";
import { withNewWords } from "./request/new-words";
import { validateUrls } from "./request/plain-urls";
import { problemsOf, readJson, readQuery, type Source, sourceOf, validate } from "./request/validate";
import { accountIdOf, type Service } from "./service/service";
import { fingerprint, type Reply } from "./store/idempotency";

type App = Hono<{ Bindings: HttpBindings }>;
type Ctx = Context<{ Bindings: HttpBindings }>;

const nothing = z.strictObject({});

const queryOf = (url: string): Record<string, string> => Object.fromEntries(new URL(url).searchParams);

const read = (c: Ctx): Source => (c.env?.incoming ? sourceOf(c.env.incoming) : c.req.raw);

const offers = (service: Service, operation: Operation): boolean =>
	operation.feature === undefined || service.settings.features[operation.feature];

/** Returns the refusal of an unknown path or method. */
const unrouted = (
	routes: readonly { method: string; path: string }[],
	method: string,
	path: string,
	unknown: ServiceError,
) => {
	const allowed = routes.filter((route) => patternOf(route.path).test(path)).map((route) => route.method);
	if (allowed.length === 0) return unknown;
	const allow = allowed.join(", ");
	return new ServiceError("method_not_allowed", `${method} is not allowed here. Allowed: ${allow}.`, undefined, {
		Allow: allow,
	});
};

const checkKey = ({ apiKey }: Service, headers: Source["headers"]): void => {
	if (bearerOf(headers) === apiKey) return;
	throw new ServiceError(
		"unauthorized",
		"The API key is missing or invalid: send it in the header Authorization: Bearer <API_KEY>.",
		undefined,
		{ "WWW-Authenticate": "Bearer" },
	);
};

/** Refuses filters and body properties of features that are off. */
const refuseUnoffered = (service: Service, part: unknown, fields: Readonly<Record<string, Feature>>): void => {
	if (typeof part !== "object" || part === null) return;
	const unknown = Object.entries(fields).filter(
		([field, feature]) => Object.hasOwn(part, field) && !service.settings.features[feature],
	);
	if (unknown.length > 0) throw invalid(unknown.map(([field]) => ({ field, message: "unknown field" })));
};

const idempotencyKey = (headers: Source["headers"], name: string): string | null => {
	const key = headers.get(name);
	if (key !== null && (key === "" || key.length > 255)) {
		throw invalid([{ field: "Idempotency-Key", message: "must have 1 to 255 characters" }]);
	}
	return key;
};

/** @throws ServiceError if the emulator's own response violates the contract */
const checkResponse = (name: OperationName, operation: Operation, body: unknown): void => {
	const parsed = operation.response?.safeParse(body);
	if (parsed === undefined || parsed.success) return;
	const problems = problemsOf(parsed.error);
	throw new ServiceError(
		"internal_error",
		`The emulator's response to ${name} violates the contract: ${problems.map(({ field, message }) => `${field}: ${message}`).join("; ")}.`,
		problems,
	);
};

/** A request that passed the general checks. */
interface Received {
	readonly id: string;
	readonly url: string;
	readonly takesBody: boolean;
	/** True if a program on this machine sent it. */
	readonly isLocal: boolean;
	readonly sent: unknown;
	readonly key: string | null;
	readonly requestId: string;
}

/** The service's operations under `/v1`. */
class Api {
	readonly #service: Service;
	readonly #words: Words;
	readonly #access: Access;
	readonly #handlers: Handlers;

	constructor(service: Service, words: Words, access: Access) {
		this.#service = service;
		this.#access = access;
		this.#words = words;
		this.#handlers = {
			...numberHandlers(service),
			...inventoryHandlers(service),
			...portOrderHandlers(service),
			...kycHandlers(service),
			...billingHandlers(service),
			...accountHandlers(service),
			...trunkHandlers(service),
			...webhookHandlers(service),
			...callHandlers(service),
			...messageHandlers(service),
		};
	}

	mount(app: App): void {
		for (const route of this.#words.routes.toSorted(bySpecificity)) {
			app.on(route.method, `/v1${routeOf(route.path)}`, (c) =>
				this.#respond(c, (requestId) => this.#run(c, route, requestId), route),
			);
		}
		app.get("/v1/openapi.json", (c) =>
			// It needs no API key.
			this.#respond(c, async () => {
				const offered = this.#words.routes.filter(
					({ operation, ownRoute }) => ownRoute === undefined && offers(this.#service, operation),
				);
				const table = offered.map(({ name, operation }) => [name, operation] as const);
				return { status: 200, body: openApi(table, this.#service.settings.features, this.#words.dialect) };
			}),
		);
		app.all("/v1/*", (c) =>
			this.#respond(c, async () => {
				checkKey(this.#service, read(c).headers);
				this.#service.rateLimit.take(this.#service);
				throw this.#unknownPath(c);
			}),
		);
	}

	#headers(): Record<string, string> {
		const { settings, rateLimit } = this.#service;
		const offered = features.filter((feature) => settings.features[feature]).join(", ");
		const named = settings.featuresHeader ? { [featuresHeader]: offered, ...this.#accountHeader() } : {};
		return { ...named, ...rateLimit.headers(this.#service) };
	}

	#accountHeader(): Record<string, string> {
		return this.#service.settings.features.account ? { [accountHeader]: accountIdOf(this.#service) } : {};
	}

	#respond(c: Ctx, work: (requestId: string) => Promise<Reply | undefined>, route?: Route) {
		const checked = async (requestId: string) => {
			this.#isOfThisMachine(c);
			return work(requestId);
		};
		const late = (requestId: string) =>
			checked(requestId).finally(() => {
				const { latencyMs } = this.#service.settings;
				return latencyMs === 0 ? undefined : sleep(latencyMs, undefined, { ref: false });
			});
		return respond(this.#service, c, late, {
			headers: () => this.#headers(),
			call: { operation: route?.name },
			words: (reply) => this.#words.reply(route?.name, reply, route?.ownRoute),
		});
	}

	/** The console's requests have no socket: it has checked them itself. @throws ServiceError for a foreign host */
	#isOfThisMachine(c: Ctx): boolean {
		const incoming = c.env?.incoming;
		if (incoming === undefined) return true;
		return this.#access.checkApi({ headers: c.req.raw.headers, remoteAddress: incoming.socket.remoteAddress });
	}

	#unknownPath(c: Ctx): ServiceError {
		const offered = this.#words.routes.filter(({ operation }) => offers(this.#service, operation));
		const path = c.req.path.slice("/v1".length);
		const unknown = new ServiceError("operation_not_offered", `This service doesn't offer ${c.req.method} ${path}.`);
		return unrouted(offered, c.req.method, path, unknown);
	}

	/** @throws ServiceError */
	async #receive(c: Ctx, { name, operation, ownRoute, path }: Route, requestId: string): Promise<Received> {
		const source = read(c);
		checkKey(this.#service, source.headers);
		this.#service.rateLimit.take(this.#service);
		if (ownRoute === undefined && !offers(this.#service, operation)) throw this.#unknownPath(c);
		const { method } = operation;
		const takesBody = method === "POST" || method === "PATCH";
		const id = idIn(path, c.req.param("id") ?? "");
		const current = () => this.#handlers[singleReadOf(recordOf(name) ?? "") as "getNumber"]({ id } as never);
		const json = takesBody ? await readJson(source, operation.maxBody) : undefined;
		const sent = takesBody ? this.#words.body(name, json, ownRoute, current) : undefined;
		if (sent !== undefined) this.#service.journal.sent(requestId, sent);
		if (takesBody && sent === undefined && operation.body && !operation.body.safeParse({}).success) {
			throw new ServiceError("bad_request", "The body must be a JSON object.");
		}
		const key = method === "POST" ? idempotencyKey(source.headers, this.#words.keyHeader) : null;
		const url = this.#words.url(name, c.req.url);
		return { id, url, takesBody, isLocal: this.#isOfThisMachine(c), sent, key, requestId };
	}

	/** @throws ServiceError */
	#handle(name: OperationName, operation: Operation, received: Received): Reply {
		const { id, url, takesBody, isLocal, sent, key, requestId } = received;
		const accepted = operation.query ?? nothing;
		const query = readQuery(url, accepted);
		refuseUnoffered(this.#service, query, filterFeatures);
		refuseUnoffered(this.#service, sent, { reference: "reference" });
		const patch = name === "patchNumber" ? withoutUnchanged(this.#service, id, sent) : sent;
		const schema = operation.body ?? nothing;
		const validated = (value: unknown) => validateUrls(schema, value, this.#service.post, isLocal);
		// A number of an unknown type isn't in the inventory.
		const takesNewWords = this.#service.settings.acceptNewWords && name !== "buyNumber";
		const bodyOf = (value: unknown) => (takesNewWords ? withNewWords(schema, value, validated) : validated(value));
		const call = {
			id,
			query: validate(accepted, query),
			body: takesBody ? bodyOf(patch === undefined ? {} : patch) : undefined,
			requestId,
			key,
		};
		// TypeScript can't pair a variable name with its schemas.
		const handler = this.#handlers[name] as (call: unknown) => unknown;
		const body = handler(call);
		if (operation.media !== undefined) return { status: operation.status, media: body as Media };
		checkResponse(name, operation, body);
		return { status: operation.status, body };
	}

	async #run(c: Ctx, route: Route, requestId: string) {
		const { name, operation } = route;
		const received = await this.#receive(c, route, requestId);
		const { url, sent, key } = received;
		const { features: offered, ignoreIdempotencyKey } = this.#service.settings;
		const replayKey = offered.idempotencyKey && !ignoreIdempotencyKey ? key : null;
		const print = replayKey === null ? "" : fingerprint(operation.method, c.req.path, sent);
		const replay = replayKey === null ? undefined : this.#service.keys.begin(replayKey, print);
		return this.#service.faults.attempt({
			operation: name,
			requestId,
			outgoing: c.env?.outgoing,
			work: async () => {
				if (replay) return { ...replay, headers: { ...replay.headers, [replayedHeader]: "true" } };
				const reply = attempt(() => this.#handle(name, operation, received), requestId);
				if (replayKey !== null) this.#service.keys.keep(replayKey, print, reply);
				return reply;
			},
			settle: () => {
				if (replayKey !== null && !replay) this.#service.keys.end(replayKey);
			},
			emptyPage: () => emptyPage(this.#service, operation.path.slice(1), queryOf(url)),
		});
	}
}

const mountControl = (app: App, service: Service, control: Control, access: Access): void => {
	const routes = controlRoutes(control);
	const guarded = (c: Ctx, work: () => Promise<Reply>) =>
		respond(service, c, async () => {
			access.check({ headers: c.req.raw.headers, remoteAddress: c.env?.incoming?.socket.remoteAddress });
			return work();
		});
	const run = async (c: Ctx, { method, maxBody, handle }: ControlRoute): Promise<Reply> => {
		const hasBody = method === "POST" || method === "PATCH";
		const sent = hasBody ? await readJson(read(c), maxBody) : readQuery(c.req.url, nothing);
		const body = await handle(c.req.param("id") ?? "", sent === undefined ? {} : sent);
		return { status: body === undefined ? 204 : 200, body };
	};
	for (const route of routes)
		app.on(route.method, `/_emulator${route.path.replace("{id}", ":id")}`, (c) => guarded(c, () => run(c, route)));
	app.all("/_emulator/*", (c) =>
		guarded(c, async () => {
			const path = c.req.path.slice("/_emulator".length);
			throw unrouted(
				routes,
				c.req.method,
				path,
				new ServiceError("not_found", `${path} doesn't exist in the control API.`),
			);
		}),
	);
};

/** The emulator without its socket. */
export const createApp = (service: Service, control: Control, access: Access, dialect?: ServiceDescription): App => {
	const app: App = new Hono();
	new Api(service, new Words(dialect), access).mount(app);
	mountControl(app, service, control, access);
	// The console uses the contract's names.
	const contract: App = dialect === undefined ? app : new Hono();
	if (dialect !== undefined) new Api(service, new Words(), access).mount(contract);
	app.route(
		"/_console",
		createConsole(service, control, access, (path, init) => contract.request(path, init)),
	);
	const refuse = (c: Ctx, error: Error) => respond(service, c, () => Promise.reject(error));
	app.all("*", (c) => refuse(c, new ServiceError("not_found", `${c.req.path} doesn't exist: the API is at /v1.`)));
	app.onError((error, c) => refuse(c, error));
	return app;
};
