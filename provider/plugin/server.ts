/**
 * The native plugin: serves the engine's protocol with the handlers that the dynamic provider has too. It only translates:
 * values, previews, paths of differences, time limits, errors with a saved state.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pickBy } from "../api/json";
import { withIgnored } from "../drift/ignored";
import { callFunction } from "../functions";
import { type Handler, plain } from "../lifecycle/resource";
import { changedProperties, defaultsOf, type Properties, type Values } from "../properties/table";
import { driftDefinition } from "../resources";
import type { Session } from "../session/session";
import { detailsOf } from "./detail";
import { created, updated } from "./preview";
import { asStatus, within } from "./saved";
import { Empty, grpc, type Message, messages, plugins, ResourceProviderService, type SentStruct, Struct } from "./sdk";
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
const dynamicKeys = new Set([
	"__provider",
	"resourceUrn",
	"__resourceUrn",
	"__defaults",
	"__internal",
	"__pulumi_raw_state_delta",
]);

/** The methods of the engine's protocol, under its names. */
class Plugin {
	readonly #context: PluginContext;
	/** The environment with all variables. */
	readonly #variables: NodeJS.ProcessEnv;
	#isConfigured = false;

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
		const response = new plugins.PluginInfo();
		const manifest: { version: string } = JSON.parse(this.#file("package.json"));
		response.setVersion(manifest.version);
		return response;
	}

	getSchema() {
		const response = new messages.GetSchemaResponse();
		response.setSchema(this.#file("schema.json"));
		return response;
	}

	// ---- Configuration ----------------------------------------------------------------------------------------------

	checkConfig(request: Message<"CheckRequest">) {
		const inputs = openedValues(request.getNews()?.toJavaScript());
		const response = new messages.CheckResponse();
		for (const problem of configProblems(request.getUrn(), inputs, this.#variables))
			response.addFailures(failureOf(problem));
		const { apiKey, ...rest } = inputs;
		response.setInputs(Struct.fromJavaScript({ ...rest, ...(apiKey === undefined ? {} : { apiKey: secret(apiKey) }) }));
		return response;
	}

	/** A changed key or address never replaces a provider: that would replace its numbers. */
	diffConfig(request: Message<"DiffRequest">) {
		const [olds, news] = [
			openedValues(request.getOlds()?.toJavaScript()),
			openedValues(request.getNews()?.toJavaScript()),
		];
		// The engine asks a configured provider about the resources of another one.
		if (this.#isConfigured) refuseOtherAccount(request.getUrn(), olds, news, this.#variables);
		const response = new messages.DiffResponse();
		const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
		response.setChanges(differs(olds, news) ? DIFF_SOME : DIFF_NONE);
		return response;
	}

	async configure(request: Message<"ConfigureRequest">) {
		const settings = openedValues(request.getArgs()?.toJavaScript());
		for (const name of overruled(request.getUrn() ?? "", settings)) delete this.#context.env[name];
		const config = { get: settingOf(settings) };
		this.#isConfigured = true;
		for (const handler of Object.values(this.#context.handlers)) await handler.configure({ config });
		const response = new messages.ConfigureResponse();
		response.setSupportspreview(true);
		return response;
	}

	// ---- Resources --------------------------------------------------------------------------------------------------

	async check(request: Message<"CheckRequest">) {
		const { handler, taken, given } = this.#resourceOf(request);
		const olds = isEmpty(request.getOlds()) ? {} : taken(request.getOlds());
		const { inputs, failures } = await handler.check(olds, taken(request.getNews(), olds));
		const response = new messages.CheckResponse();
		response.setInputs(given(inputs));
		for (const { reason } of failures) response.addFailures(failureOf(reason));
		return response;
	}

	async diff(request: Message<"DiffRequest">) {
		const { handler, properties, drifted, taken } = this.#resourceOf(request);
		const olds = taken(request.getOlds());
		// The inputs of an imported resource lack defaults, and a refresh compares them.
		const declared = { ...defaultsOf(properties), ...taken(request.getNews(), olds) };
		// In a refresh, `olds` are the live values.
		const news = withIgnored(declared, olds, request.getIgnorechangesList());
		const { changes, replaces } = await handler.diff(request.getId(), olds, news);
		const response = new messages.DiffResponse();
		const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
		response.setChanges(changes || replaces.length > 0 ? DIFF_SOME : DIFF_NONE);
		response.setReplacesList(replaces);
		response.setHasdetaileddiff(true);
		if (!changes) return response;
		const { DELETE: kind } = messages.PropertyDiff.Kind;
		const drift = (drifted?.(olds) ?? []).map((path) => ({ path, kind }));
		for (const { path, kind } of [...detailsOf(properties, olds, news, replaces), ...drift]) {
			const detail = new messages.PropertyDiff();
			detail.setKind(kind);
			response.getDetaileddiffMap().set(path, detail);
		}
		response.setDiffsList([...changedProperties(properties, olds, news), ...(drift.length > 0 ? ["numbers"] : [])]);
		return response;
	}

	async create(request: Message<"CreateRequest">) {
		const { handler, outputs, taken, given } = this.#resourceOf(request);
		const inputs = taken(request.getProperties());
		const response = new messages.CreateResponse();
		if (request.getPreview()) {
			response.setProperties(given(created(outputs, inputs)));
			await handler.foresee?.(inputs);
			return response;
		}
		const { id, outs } = await within(request.getTimeout(), inputs, given, (news) => handler.create(news));
		response.setId(id);
		response.setProperties(given(outs));
		return response;
	}

	async read(request: Message<"ReadRequest">) {
		const { handler, properties, taken, given } = this.#resourceOf(request);
		const response = new messages.ReadResponse();
		const props = taken(request.getProperties());
		// Only an import has no state.
		const isImport = !request.hasProperties();
		if (isImport && handler.import === undefined)
			throw new Error("This resource can't be imported, because it isn't an object of the service.");
		const read = (isImport && handler.import) || handler.read;
		const found = await read(request.getId(), props);
		if (found.id === undefined || found.id === "") return response;
		const { id, props: outs = {} } = found;
		const inputs = withoutDefaults(properties, found.inputs ?? {}, isImport ? {} : taken(request.getInputs()));
		response.setId(id);
		response.setProperties(given(outs));
		response.setInputs(given(inputs));
		return response;
	}

	async update(request: Message<"UpdateRequest">) {
		const { handler, properties, outputs, taken, given } = this.#resourceOf(request);
		const olds = taken(request.getOlds());
		const news = taken(request.getNews(), olds);
		const response = new messages.UpdateResponse();
		if (request.getPreview()) {
			const changed = changedProperties(properties, olds, news);
			response.setProperties(given(updated(outputs, olds, news, changed)));
			return response;
		}
		const { outs } = await within(request.getTimeout(), news, given, (inputs) =>
			handler.update(request.getId(), olds, inputs),
		);
		response.setProperties(given(outs));
		return response;
	}

	async delete(request: Message<"DeleteRequest">) {
		const { handler, taken } = this.#resourceOf(request);
		await handler.delete(request.getId(), taken(request.getProperties()));
		return new Empty();
	}

	/** The result is empty while an argument is unknown: the engine refuses unknown values in results. */
	async invoke(request: Message<"InvokeRequest">) {
		const name = request.getTok().split(":").at(-1) ?? "";
		const called = await callFunction(this.#context.session, name, openedValues(request.getArgs()?.toJavaScript()));
		const response = new messages.InvokeResponse();
		if ("answer" in called) response.setReturn(Struct.fromJavaScript(called.answer));
		else
			for (const { reason } of called.failures) {
				const [property = "", ...problem] = reason.split(": ");
				const made = failureOf(problem.join(": "));
				// The engine prints both, and no value of an argument.
				made.setProperty(property);
				response.addFailures(made);
			}
		return response;
	}

	cancel() {
		this.#context.session.end("the run was cancelled");
		return new Empty();
	}

	#file(name: string): string {
		return readFileSync(join(this.#context.packageFolder, name), "utf8");
	}

	#resourceOf(request: { getUrn(): string }) {
		return resourceOf(this.#context.handlers, request.getUrn());
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

// ---- Resources ---------------------------------------------------------------------------------------------------------

/** The handler and the tables of a resource, and the translation of its values. */
function resourceOf(handlers: PluginContext["handlers"], urn: string) {
	const type = urn.split("::")[2]?.split("$").at(-1)?.split(":").at(-1) ?? "";
	const [handler, definition] = [handlers[type], driftDefinition(type)];
	if (handler === undefined || definition === undefined)
		throw new Error(`Unknown resource type ${type}. The types are ${Object.keys(handlers).join(", ")}.`);
	const { properties, outputs, drifted } = definition;
	const shapes = { ...properties, ...outputs };
	return {
		...{ handler, properties, outputs, drifted },
		/** A resource that moved from the dynamic provider keeps the organization of its claim. */
		taken: (sent: SentStruct, from: Values = {}): Values => {
			const {
				resourceUrn: _urn,
				__resourceUrn: _own,
				__provider: _text,
				...values
			} = openedValues(sent?.toJavaScript());
			const { organization = from.organization } = values as Values;
			return { ...values, resourceUrn: urn, ...(organization === undefined ? {} : { organization }) };
		},
		given: (values: Values) => {
			const pluginValues = pickBy(plain(values) as Values, (_, key) => !dynamicKeys.has(key));
			return Struct.fromJavaScript(sealed(shapes, pluginValues));
		},
	};
}

function failureOf(reason: string): Message<"CheckFailure"> {
	// Without a property: the engine would print its value, which may be secret.
	const made = new messages.CheckFailure();
	made.setReason(reason);
	return made;
}

const isEmpty = (sent: SentStruct): boolean => sent === undefined || sent.getFieldsMap().getLength() === 0;

/** An import leaves defaults out of the program's code, and a refresh must not add them to the state. */
const withoutDefaults = (properties: Properties, inputs: Values, declared: Values): Values =>
	pickBy(inputs, (value, key) => key in declared || properties[key]?.default !== value || value === undefined);
