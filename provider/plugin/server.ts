/**
 * The native plugin: serves the engine's protocol with the handlers that the dynamic provider has too. It only translates:
 * values, previews, paths of differences, time limits, errors with a saved state.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pickBy } from "../api/json";
import { withIgnored } from "../drift/changes";
import { callFunction } from "../functions";
import { offeredProperties } from "../lifecycle/described";
import { type Handler, plain } from "../lifecycle/resource";
import { changedProperties, defaultsOf, type Properties, unknownValue, type Values } from "../properties/table";
import { driftDefinition, kindOf } from "../resources";
import type { Session } from "../session/session";
import { created, detailsOf, updated } from "./preview";
import { asStatus, within } from "./saved";
import {
	Empty,
	filled,
	grpc,
	type Message,
	messages,
	plugins,
	ResourceProviderService,
	type SentStruct,
	Struct,
} from "./sdk";
import { configProblems, differs, overruled, refuseOtherAccount, settingOf } from "./settings";
import { openedValues, sealed, secret } from "./values";

export interface PluginContext {
	readonly session: Session;
	/** By the last part of a type's token. */
	readonly handlers: Readonly<Record<string, Handler>>;
	/** Gets the engine's address once it is known. */
	attach(address: string): void;
	readonly packageFolder: string;
	/** The session's copy, without the variables that a program's provider overrules. */
	readonly env: NodeJS.ProcessEnv;
}

/** Values that only the dynamic provider has in its state. */
const dynamicKeys = new Set(["__provider", "__resourceUrn", "__defaults", "__internal", "__pulumi_raw_state_delta"]);

/** The methods of the engine's protocol, under its names. */
class Plugin {
	readonly #context: PluginContext;
	/** The environment with all variables. */
	readonly #variables: NodeJS.ProcessEnv;
	#isConfigured = false;
	/** URNs of the resources that this run has checked. */
	readonly #checked = new Set<string>();

	constructor(context: PluginContext) {
		this.#context = context;
		this.#variables = { ...context.env };
	}

	handshake(request: Message<"ProviderHandshakeRequest">) {
		if (request.getEngineAddress() !== "") this.#context.attach(request.getEngineAddress());
		return new messages.ProviderHandshakeResponse();
	}

	attach(request: InstanceType<typeof plugins.PluginAttach>) {
		this.#context.attach(request.getAddress());
		return new Empty();
	}

	getPluginInfo() {
		const { version }: { version: string } = JSON.parse(this.#file("package.json"));
		return filled(plugins.PluginInfo, { version });
	}

	getSchema() {
		return filled(messages.GetSchemaResponse, { schema: this.#file("sdk/schema.json") });
	}

	// ---- Configuration ----------------------------------------------------------------------------------------------

	checkConfig(request: Message<"CheckRequest">) {
		const inputs = valuesIn(request.getNews());
		const { apiKey, ...rest } = inputs;
		return filled(messages.CheckResponse, {
			inputs: Struct.fromJavaScript({ ...rest, ...(apiKey === undefined ? {} : { apiKey: secret(apiKey) }) }),
			failuresList: configProblems(request.getUrn(), inputs, this.#variables).map((reason) => failureOf(reason)),
		});
	}

	/** A changed key or address never replaces a provider: that would replace its numbers. */
	diffConfig(request: Message<"DiffRequest">) {
		const olds = valuesIn(request.getOlds());
		const news = valuesIn(request.getNews());
		// The engine asks a configured provider about the resources of another one.
		if (this.#isConfigured) refuseOtherAccount(request.getUrn(), olds, news, this.#variables);
		return filled(messages.DiffResponse, { changes: changesIf(differs(olds, news)) });
	}

	async configure(request: Message<"ConfigureRequest">) {
		const settings = valuesIn(request.getArgs());
		const { env } = this.#context;
		for (const name of overruled(request.getUrn() ?? "", settings, env)) delete env[name];
		const config = { get: settingOf(settings) };
		this.#isConfigured = true;
		this.#checked.clear();
		for (const handler of Object.values(this.#context.handlers)) await handler.configure({ config });
		return filled(messages.ConfigureResponse, { supportspreview: true });
	}

	// ---- Resources --------------------------------------------------------------------------------------------------

	async check(request: Message<"CheckRequest">) {
		const { handler, taken, given } = this.#resourceOf(request);
		this.#checked.add(request.getUrn());
		const olds = isEmpty(request.getOlds()) ? {} : taken(request.getOlds());
		const { inputs, failures } = await handler.check(olds, taken(request.getNews(), olds));
		return filled(messages.CheckResponse, {
			inputs: given(inputs),
			failuresList: failures.map(({ reason }) => failureOf(reason)),
		});
	}

	async diff(request: Message<"DiffRequest">) {
		const { handler, kind: described, drifted, taken, ...resource } = this.#resourceOf(request);
		const { service } = await this.#context.session.config();
		const properties = offeredProperties({ kind: described, service }, resource.properties);
		const olds = taken(request.getOlds());
		// The inputs of an imported resource lack defaults, and a refresh compares them.
		const declared = { ...defaultsOf(properties), ...taken(request.getNews(), olds) };
		// In a refresh, `olds` are the live values.
		const news = withIgnored(declared, olds, request.getIgnorechangesList());
		const { changes, replaces } = await handler.diff(request.getId(), olds, news);
		const response = filled(messages.DiffResponse, {
			changes: changesIf(changes || replaces.length > 0),
			replacesList: [...replaces],
			hasdetaileddiff: true,
		});
		if (!changes) return response;
		// Before it checks a resource, the engine asks with unknown values whether to delete it first, with what it depends on.
		// With `replaceOnChanges`, it would delete any resource whose difference is shown.
		const compared = this.#checked.has(request.getUrn())
			? properties
			: pickBy(properties, (_, key) => news[key] !== unknownValue);
		const { DELETE } = messages.PropertyDiff.Kind;
		const drift = (drifted?.(olds) ?? []).map((path) => ({ path, kind: DELETE }));
		for (const { path, kind } of [...detailsOf(compared, olds, news, replaces), ...drift])
			response.getDetaileddiffMap().set(path, filled(messages.PropertyDiff, { kind }));
		response.setDiffsList([...changedProperties(compared, olds, news), ...(drift.length > 0 ? ["members"] : [])]);
		return response;
	}

	async create(request: Message<"CreateRequest">) {
		const { handler, properties, outputs, taken, given } = this.#resourceOf(request);
		const inputs = taken(request.getProperties());
		if (request.getPreview()) {
			await handler.foresee?.(inputs);
			return filled(messages.CreateResponse, { properties: given(created(outputs, inputs)) });
		}
		const { id, outs } = await within(request.getTimeout(), inputs, { properties, given }, (news) =>
			handler.create(news),
		);
		return filled(messages.CreateResponse, { id, properties: given(outs) });
	}

	async read(request: Message<"ReadRequest">) {
		const { handler, properties, taken, given } = this.#resourceOf(request);
		const props = taken(request.getProperties());
		// Only an import has no state.
		const isImport = !request.hasProperties();
		if (isImport && handler.import === undefined)
			throw new Error("This resource can't be imported, because it isn't an object of the service.");
		const read = (isImport && handler.import) || handler.read;
		const found = await read(request.getId(), props);
		if (found.id === undefined || found.id === "") return new messages.ReadResponse();
		const { id, props: outs = {} } = found;
		const inputs = withoutDefaults(properties, found.inputs ?? {}, isImport ? {} : taken(request.getInputs()));
		return filled(messages.ReadResponse, { id, properties: given(outs), inputs: given(inputs) });
	}

	async update(request: Message<"UpdateRequest">) {
		const { handler, properties, outputs, taken, given } = this.#resourceOf(request);
		const olds = taken(request.getOlds());
		const news = taken(request.getNews(), olds);
		if (request.getPreview()) {
			const values = updated(outputs, olds, news, changedProperties(properties, olds, news));
			return filled(messages.UpdateResponse, { properties: given(values) });
		}
		const { outs } = await within(request.getTimeout(), news, { properties, given }, (inputs) =>
			handler.update(request.getId(), olds, inputs),
		);
		return filled(messages.UpdateResponse, { properties: given(outs) });
	}

	async delete(request: Message<"DeleteRequest">) {
		const { handler, taken } = this.#resourceOf(request);
		await handler.delete(request.getId(), taken(request.getProperties()));
		return new Empty();
	}

	/** The result is empty while an argument is unknown: the engine refuses unknown values in results. */
	async invoke(request: Message<"InvokeRequest">) {
		const name = request.getTok().split(":").at(-1) ?? "";
		const called = await callFunction(this.#context.session, name, valuesIn(request.getArgs()));
		if ("result" in called) return filled(messages.InvokeResponse, { return: Struct.fromJavaScript(called.result) });
		const failuresList = called.failures.map(({ reason }) => {
			const [property = "", ...problem] = reason.split(": ");
			// The engine prints both, and no value of an argument.
			return failureOf(problem.join(": "), property);
		});
		return filled(messages.InvokeResponse, { failuresList });
	}

	cancel() {
		this.#context.session.end("the run was cancelled");
		return new Empty();
	}

	#file(name: string): string {
		return readFileSync(join(this.#context.packageFolder, name), "utf8");
	}

	/** The handler and the tables of a resource, and the translation of its values. */
	#resourceOf(request: { getUrn(): string }) {
		const urn = request.getUrn();
		const type = urn.split("::")[2]?.split("$").at(-1)?.split(":").at(-1) ?? "";
		const handler = this.#context.handlers[type];
		const definition = driftDefinition(type);
		if (handler === undefined || definition === undefined)
			throw new Error(
				`Unknown resource type ${type}. The types are ${Object.keys(this.#context.handlers).join(", ")}.`,
			);
		const { properties, outputs, drifted } = definition;
		const shapes = { ...properties, ...outputs };
		return {
			handler,
			kind: kindOf(type),
			properties,
			outputs,
			drifted,
			/** A resource that moved from the dynamic provider keeps the organization of its claim. */
			taken: (sent: SentStruct, from: Values = {}): Values => {
				const { __resourceUrn: _urn, __provider: _text, ...values } = valuesIn(sent);
				const { organization = from.organization } = values as Values;
				return { ...values, __resourceUrn: urn, ...(organization === undefined ? {} : { organization }) };
			},
			given: (values: Values) => {
				const pluginValues = pickBy(plain(values) as Values, (_, key) => !dynamicKeys.has(key));
				return Struct.fromJavaScript(sealed(shapes, pluginValues));
			},
		};
	}
}

export function createServer(context: PluginContext): InstanceType<typeof grpc.Server> {
	const plugin = new Plugin(context);
	const server = new grpc.Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
	const methods = plugin as unknown as Record<string, (request: never) => unknown>;
	const implementation = Object.keys(ResourceProviderService)
		.filter((name) => name in plugin)
		.map((name) => [
			name,
			async (call: { request: never }, done: (error: unknown, response?: unknown) => void) => {
				try {
					done(null, await methods[name]?.(call.request));
				} catch (error) {
					done(asStatus(error));
				}
			},
		]);
	server.addService(ResourceProviderService, Object.fromEntries(implementation) as never);
	return server;
}

/** Without a property for resources: the engine would print its value, which may be secret. */
const failureOf = (reason: string, property = ""): Message<"CheckFailure"> =>
	filled(messages.CheckFailure, { reason, property });

const changesIf = (isChanged: boolean) => messages.DiffResponse.DiffChanges[isChanged ? "DIFF_SOME" : "DIFF_NONE"];

const valuesIn = (sent: SentStruct): Values => openedValues(sent?.toJavaScript());

const isEmpty = (sent: SentStruct): boolean => sent === undefined || sent.getFieldsMap().getLength() === 0;

/** An import leaves defaults out of the program's code, and a refresh must not add them to the state. */
const withoutDefaults = (properties: Properties, inputs: Values, declared: Values): Values =>
	pickBy(inputs, (value, key) => key in declared || properties[key]?.default !== value || value === undefined);
