import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import {
	CheckRequest,
	type CheckResponse,
	ConfigureRequest,
	type ConfigureResponse,
	CreateRequest,
	type CreateResponse,
	DeleteRequest,
	DiffRequest,
	DiffResponse,
	ErrorResourceInitFailed,
	ReadRequest,
	type ReadResponse,
	UpdateRequest,
	type UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { providerText } from "../sdk/dynamic";
import { useEmulator } from "./helpers/emulator";
import { run } from "./helpers/engine";

const repository = resolve(__dirname, "..");
const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));

type Struct = NonNullable<ReturnType<CreateRequest["getProperties"]>>;
type Values = ReturnType<Struct["toJavaScript"]>;
// The SDK's own copy, as messages of another one are refused.
const { Struct } = sdk("google-protobuf/google/protobuf/struct_pb") as {
	Struct: { fromJavaScript(values: Values): Struct };
};
const { Empty } = sdk("google-protobuf/google/protobuf/empty_pb") as { Empty: new () => object };

describe("the provider's text in the state", () => {
	it.each([
		["number", 'exports.handler = () => require("pulumi-telephony/provider").number;'],
		["sipTrunk", 'exports.handler = () => require("pulumi-telephony/provider").sipTrunk;'],
		["webhook", 'exports.handler = () => require("pulumi-telephony/provider").webhook;'],
	] as const)("of %s never changes, as states hold it for ever, and is short", (name, text) => {
		expect(providerText(name)).toBe(text);
		expect(Buffer.byteLength(text)).toBeLessThanOrEqual(100);
	});

	it.each(["number", "sipTrunk", "webhook"] as const)("of %s gives the host a whole handler", (name) => {
		const requireFromString = sdk("require-from-string") as (code: string) => { handler(): object };
		const handler = requireFromString(providerText(name)).handler();
		const methods = ["configure", "check", "diff", "create", "read", "update", "delete"];
		expect(handler).toEqual(Object.fromEntries(methods.map((method) => [method, expect.any(Function)])));
	});
});

describe("a Node older than the floor", () => {
	const folder = mkdtempSync(join(tmpdir(), "telephony-old-"));
	afterAll(() => rmSync(folder, { recursive: true, force: true }));
	const disguise = join(folder, "disguise.cjs");
	writeFileSync(disguise, 'Object.defineProperty(process.versions, "node", { value: "20.11.0" });\n');
	const sentence =
		/^pulumi-telephony needs Node\.js 22\.19 or newer, and this is 20\.11\.0 \([^()\n]+\): install a newer Node\.js and run the command again\.$/;

	it.each([
		"dist/sdk/index.js",
		"dist/provider/index.js",
		"dist/provider/api/client.js",
		"dist/emulator/index.js",
		"bin/telephony",
	])("gets one sentence from %s, before anything else is loaded", async (file) => {
		const path = JSON.stringify(join(repository, file));
		const attempt = `try { require(${path}) } catch (error) { console.log(error.stack) }
			console.error(Object.keys(require.cache).filter((file) => file.includes("node_modules")).length);`;
		const { stdout, output } = await run("node", ["--require", disguise, "-e", attempt], repository, process.env);
		expect(stdout.trim()).toMatch(sentence);
		expect(output.trim().split("\n").at(-1)).toBe("0");
	});

	it("gets it from the command too, and exit code 1", async () => {
		const bin = join(repository, "bin/telephony");
		const { code, output } = await run("node", ["--require", disguise, bin, "--help"], repository, process.env);
		expect(code).toBe(1);
		expect(output.match(/needs Node\.js/g)).toHaveLength(1);
		expect(output).not.toMatch(/^\s+at /m);
	});
});

/** One of the protocol's calls, as a promise. */
const answer = <Response>(
	call: (callback: (error: grpc.ServiceError | null, response: Response) => void) => unknown,
): Promise<Response> => new Promise((done, fail) => call((error, response) => (error ? fail(error) : done(response))));

interface Host {
	configure(config: Values): Promise<void>;
	check(news: Values, olds?: Values): Promise<{ inputs: Values; failures: string[] }>;
	diff(id: string, olds: Values, news: Values): Promise<boolean>;
	create(inputs: Values): Promise<{ id: string; props: Values }>;
	read(id: string, props: Values): Promise<{ id: string; props: Values; inputs: Values }>;
	update(id: string, olds: Values, news: Values): Promise<Values>;
	delete(id: string, props: Values): Promise<void>;
}

const struct = (values: Values) => Struct.fromJavaScript(values);
const values = (sent: Struct | undefined): Values => sent?.toJavaScript() ?? {};

describe("the dynamic host, driven by the protocol", () => {
	const emulator = useEmulator();
	const log: string[] = [];
	const engine = new grpc.Server();
	let address = "";

	beforeEach(() => void log.splice(0));
	beforeAll(async () => {
		// The fake engine: it hears what the provider has to say.
		engine.addService(EngineService, {
			log: (call: grpc.ServerUnaryCall<LogRequest, object>, callback: grpc.sendUnaryData<object>) => {
				log.push(call.request.getMessage());
				callback(null, new Empty());
			},
		});
		const port = await new Promise<number>((done, fail) =>
			engine.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
				error ? fail(error) : done(bound),
			),
		);
		address = `127.0.0.1:${port}`;
	});
	afterAll(() => engine.forceShutdown());

	/** Lines to the engine are sent and not waited for. */
	const heard = (text: string) => vi.waitFor(() => expect(log.join("\n")).toContain(text));

	/** The host process as the engine starts it. */
	const start = async (): Promise<Host> => {
		const env: Record<string, string | undefined> = {
			...process.env,
			PULUMI_BACKEND_URL: "file:///nowhere",
			TELEPHONY_API_KEY: undefined,
			TELEPHONY_BASE_URL: undefined,
		};
		const program = sdk.resolve("@pulumi/pulumi/cmd/dynamic-provider");
		const child = spawn("node", [program, address], { cwd: repository, env, stdio: ["ignore", "pipe", "pipe"] });
		const ended = new Promise<void>((done) => child.once("close", () => done()));
		const port = await new Promise<string>((done, fail) => {
			let errors = "";
			child.stdout.once("data", (line) => done(String(line).trim()));
			child.stderr.on("data", (text) => {
				errors += text;
			});
			child.once("close", (code) => fail(new Error(`the host ended with ${code}: ${errors}`)));
		});
		const client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
		onTestFinished(async () => {
			client.close();
			child.kill();
			await ended;
		});
		return {
			async configure(config) {
				const request = new ConfigureRequest();
				request.setArgs(struct(config));
				await answer<ConfigureResponse>((done) => client.configure(request, done));
			},
			async check(news, olds = {}) {
				const request = new CheckRequest();
				request.setOlds(struct(olds));
				request.setNews(struct(news));
				const response = await answer<CheckResponse>((done) => client.check(request, done));
				const failures = response.getFailuresList().map((failure) => failure.getReason());
				return { inputs: values(response.getInputs()), failures };
			},
			async diff(id, olds, news) {
				const request = new DiffRequest();
				request.setId(id);
				request.setOlds(struct(olds));
				request.setNews(struct(news));
				const response = await answer<DiffResponse>((done) => client.diff(request, done));
				return response.getChanges() === DiffResponse.DiffChanges.DIFF_SOME;
			},
			async create(inputs) {
				const request = new CreateRequest();
				request.setProperties(struct(inputs));
				const response = await answer<CreateResponse>((done) => client.create(request, done));
				return { id: response.getId(), props: values(response.getProperties()) };
			},
			async read(id, props) {
				const request = new ReadRequest();
				request.setId(id);
				request.setProperties(struct(props));
				const response = await answer<ReadResponse>((done) => client.read(request, done));
				return {
					id: response.getId(),
					props: values(response.getProperties()),
					inputs: values(response.getInputs()),
				};
			},
			async update(id, olds, news) {
				const request = new UpdateRequest();
				request.setId(id);
				request.setOlds(struct(olds));
				request.setNews(struct(news));
				return values((await answer<UpdateResponse>((done) => client.update(request, done))).getProperties());
			},
			async delete(id, props) {
				const request = new DeleteRequest();
				request.setId(id);
				request.setProperties(struct(props));
				await answer<unknown>((done) => client.delete(request, done));
			},
		};
	};

	/** A run of its own, with the emulator's address and key in its configuration. */
	const startConfigured = async () => {
		const host = await start();
		await host.configure({ "telephony:apiKey": emulator.apiKey, "telephony:baseUrl": emulator.url });
		return host;
	};

	const types = { number: "Number", sipTrunk: "SipTrunk", webhook: "Webhook" } as const;
	type Kind = keyof typeof types;

	/** What the SDK registers beside the program's own inputs. */
	const declared = (kind: Kind, inputs: Values, name = "one"): Values => ({
		...inputs,
		__provider: providerText(kind),
		resourceUrn: `urn:pulumi:dev::protocol::pulumi-nodejs:dynamic/telephony:${types[kind]}::${name}`,
	});

	const life: Record<Kind, { inputs: Values; changed: Values; live(): number }> = {
		number: {
			inputs: { country: "NL", type: "geographic", area: "20", label: "one" },
			changed: { country: "NL", type: "geographic", area: "20", label: "two" },
			live: () => emulator.control.state().numbers.filter(({ status }) => status !== "released").length,
		},
		sipTrunk: {
			inputs: { auth: { mode: "digest", username: "desk-1" }, capacity: 2 },
			changed: { auth: { mode: "digest", username: "desk-1" }, capacity: 3 },
			live: () => emulator.control.state().trunks.length,
		},
		webhook: {
			inputs: { url: "https://hooks.example.com/a", events: ["message.received"] },
			changed: { url: "https://hooks.example.com/b", events: ["message.received"] },
			live: () => emulator.control.state().webhooks.length,
		},
	};
	const kinds = Object.keys(life) as Kind[];

	it("gives its configuration to every first call, however many come at once", async () => {
		const host = await startConfigured();
		// The host calls the handler's `configure` for the first call of a type and lets others overtake it.
		const calls = kinds.flatMap((kind) =>
			Array.from({ length: 8 }, (_, index) => ({ kind, news: declared(kind, life[kind].inputs, `r${index}`) })),
		);
		const answers = await Promise.all(
			calls.flatMap(({ kind, news }) => [
				host.check(news).then(({ failures }) => failures),
				host.diff("x", { ...news, token: "t" }, news).then((changes) => [changes]),
				host.read(`${kind}_none`, { ...news, token: "t" }).then(({ id }) => [id]),
			]),
		);
		// No check misses the key, and every read got through to the service, which knows no such object.
		expect(answers).toEqual(calls.flatMap(() => [[], [true], [""]]));
		expect(emulator.control.requests().filter(({ status }) => status === 401)).toEqual([]);
	});

	it("says what to do when there is no key, in check", async () => {
		const host = await start();
		await host.configure({});
		const { failures } = await host.check(declared("webhook", life.webhook.inputs));
		expect(failures).toEqual([expect.stringContaining("There is no API key")]);
	});

	it.each(kinds)("takes a %s from check to delete", async (kind) => {
		const { inputs, changed, live } = life[kind];
		const host = await startConfigured();

		const checked = await host.check(declared(kind, inputs));
		expect(checked.failures).toEqual([]);
		expect(checked.inputs.__provider).toBe(providerText(kind));
		const created = await host.create(checked.inputs);
		expect(live()).toBe(1);
		expect(created.props.__provider).toBe(providerText(kind));
		expect(await host.diff(created.id, created.props, checked.inputs)).toBe(false);

		const read = await host.read(created.id, created.props);
		expect(read.id).toBe(created.id);
		expect(read.props).toEqual(created.props);
		expect(await host.diff(created.id, read.props, read.inputs)).toBe(false);

		const again = await host.check(declared(kind, changed), checked.inputs);
		expect(again.failures).toEqual([]);
		expect(await host.diff(created.id, read.props, again.inputs)).toBe(true);
		const updated = await host.update(created.id, read.props, again.inputs);
		expect(updated).toMatchObject(changed);
		expect(live()).toBe(1);

		// Within the run that declares it, a delete is part of a replacement, and takes nothing away.
		await host.delete(created.id, updated);
		expect(live()).toBe(1);
		await heard("this program still declares it");

		const destroy = await startConfigured();
		await destroy.delete(created.id, updated);
		expect(live()).toBe(0);
		expect((await destroy.read(created.id, updated)).id).toBe("");
		await destroy.delete(created.id, updated);
	});

	it("hands over a number that is bought but not active with id, reasons and properties", async () => {
		const host = await startConfigured();
		const news = declared("number", { country: "DE", type: "geographic", area: "30", activationTimeout: 1 }, "berlin");
		const { inputs } = await host.check(news);
		const error = await host.create(inputs).then(
			() => undefined,
			(reason: grpc.ServiceError) => reason,
		);
		expect(error?.code).toBe(grpc.status.UNKNOWN);
		expect(error?.details).toContain("is bought and saved, but not active yet");

		const [packed] = error?.metadata.get("grpc-status-details-bin") ?? [];
		const [any] = Status.deserializeBinary(packed as Buffer).getDetailsList();
		const detail = any?.unpack(ErrorResourceInitFailed.deserializeBinary, "pulumirpc.ErrorResourceInitFailed");
		const [bought] = emulator.control.state().numbers;
		expect(detail?.getId()).toBe(bought?.id);
		expect(detail?.getReasonsList()).toEqual([error?.details]);
		const props = values(detail?.getProperties());
		expect(props).toMatchObject({ country: "DE", status: "pending", number: bought?.number });
		expect(props.__provider).toBe(providerText("number"));
		await heard("KYC action required");

		// With that the next run goes on: it sees an update, which ends once the service has decided.
		emulator.control.decide(String(bought?.id), "approve");
		expect(await host.diff(String(bought?.id), props, inputs)).toBe(true);
		expect(await host.update(String(bought?.id), props, inputs)).toMatchObject({ status: "active" });
		expect(emulator.control.ledger()).toHaveLength(1);
	});
});
