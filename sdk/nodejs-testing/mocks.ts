/**
 * Mocks for unit tests without an engine. They don't imitate the provider: its own code runs in this process,
 * against an emulated account, so the mocks check, fill and refuse the inputs that `pulumi up` would.
 */
import type * as pulumi from "@pulumi/pulumi";
import { systemClock, type TimerClock } from "../../provider/api/clock";
import { TelephonyError } from "../../provider/api/errors";
import { callFunction } from "../../provider/functions";
import { InitError } from "../../provider/lifecycle/resource";
import { openedValues, sealed } from "../../provider/plugin/values";
import type { Values } from "../../provider/properties/table";
import { driftDefinition, resources } from "../../provider/resources";
import { Session } from "../../provider/session/session";
import { type Account, type AccountOptions, startAccount } from "./account";
import { environmentOf } from "./environment";

/** As for {@link startAccount}. By default numbers in regulated markets stay `pending`. */
export interface MockOptions extends AccountOptions {
	/** The program's folder, which contains its documents. @default the current one */
	readonly cwd?: string;
}

/** A resource that a program registered. */
export interface MockedResource {
	/** Such as `SipTrunk`; the full token if it isn't a telephony resource. */
	readonly type: string;
	readonly name: string;
	readonly id: string;
	/** As the program gives them, secrets in clear. */
	readonly inputs: Readonly<Record<string, unknown>>;
	/** As the service fills them, secrets in clear. */
	readonly outputs: Readonly<Record<string, unknown>>;
}

/** For `pulumi.runtime.setMocks`. */
export interface TelephonyMocks extends pulumi.runtime.Mocks, AsyncDisposable {
	/** The resources that were registered or looked up so far, in order. */
	readonly resources: readonly MockedResource[];
	/** The functions that were called through the plugin. Those of the classes ask {@link account} themselves. */
	readonly calls: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[];
	/** Where the resources are: look at it, prepare it, decide KYC on it. */
	readonly account: Account;
	/**
	 * Rejects with the first error of a resource, as the program's mistake fails a preview. Nothing else rejects: outputs
	 * stay pending, and nothing more is registered before the next `setMocks`. A test that doesn't expect the error gets
	 * it as an unhandled rejection.
	 *
	 * @example await assert.rejects(telephony.failure, /country/);
	 */
	readonly failure: Promise<never>;
	/** Ends the account, and puts the environment back. A test that forgets it ends all the same. */
	close(): Promise<void>;
}

/**
 * Mocks of everything in this package, for the classes and for the plugin. All other resources get their inputs back.
 *
 * A program's mistakes fail as they do in a preview. A number in a regulated market is `pending`, unless `kyc` says
 * otherwise, and nothing waits for it.
 *
 * @example
 * const telephony = await mocks();
 * await pulumi.runtime.setMocks(telephony);
 * await import("./index.js");
 * console.log(telephony.resources.map(({ type, name }) => `${type} ${name}`));
 */
export async function mocks({ cwd, ...options }: MockOptions = {}): Promise<TelephonyMocks> {
	const account = await startAccount(options);
	const session = sessionAt(account, cwd ?? process.cwd());
	let count = 0;
	const made: MockedResource[] = [];
	const calls: TelephonyMocks["calls"][number][] = [];
	let fail: (error: unknown) => void = () => {};
	const failure = new Promise<never>((_, reject) => {
		fail = reject;
	});
	const make = async (token: string, name: string, inputs: Values, id: string | undefined) => {
		const type = typeIn(token);
		const [given, shapes] = [withoutOwn(openedValues(inputs)), shapesOf(type)];
		const found =
			shapes === undefined
				? { id: id || `${name}_id`, outputs: given }
				: await resourceOf(session, type, urnOf(token, name, count++), given, id);
		made.push({ type, name, ...found, inputs: given });
		return { id: found.id, state: shapes === undefined ? inputs : sealed(shapes, found.outputs) };
	};
	const close = async () => {
		session.end("the test has ended");
		await session.close();
		await account.close();
	};
	return {
		...{ resources: made, calls, account, failure, close },
		[Symbol.asyncDispose]: close,
		async newResource({ type, name, inputs, id }) {
			try {
				return await make(type, name, inputs, id);
			} catch (error) {
				fail(error);
				throw cancelled(error);
			}
		},
		async call({ token, inputs }) {
			const [name, args] = [token.split(":").at(-1) ?? "", openedValues(inputs)];
			if (!token.startsWith("telephony:")) return {};
			calls.push({ name, args });
			const called = await callFunction(session, name, args);
			if ("result" in called) return called.result;
			throw new TelephonyError("Invalid", `${name}: ${called.failures.map(({ reason }) => reason).join("; ")}`);
		},
	};
}

/** The SDK rejects each output of a resource for any other error. For this one it ends the run, as the engine would. */
const cancelled = (error: unknown): Error =>
	Object.assign(new Error(error instanceof Error ? error.message : String(error), { cause: error }), { code: 1 });

const ours = /^(?:pulumi-nodejs:dynamic\/telephony:|telephony:index:)(\w+)$/;
const typeIn = (token: string): string => ours.exec(token)?.[1] ?? token;

/** Where a resource's secrets are; undefined for what isn't ours. */
function shapesOf(type: string) {
	const definition = driftDefinition(type);
	return definition && { ...definition.properties, ...definition.outputs };
}

/** Removes the values that the plugin and the dynamic provider add to a resource's properties. */
const withoutOwn = (values: Values): Values =>
	Object.fromEntries(Object.entries(values).filter(([key]) => !key.startsWith("__") && key !== "organization"));

/** Two components may have resources of one name. The mocks don't get the parent. */
const urnOf = (token: string, name: string, count: number): string =>
	`urn:pulumi:stack::project::mocks:index:Resource${count}$${token}::${name}`;

async function resourceOf(session: Session, type: string, urn: string, inputs: Values, id: string | undefined) {
	const handler = resources[type as keyof typeof resources].handler(session);
	if (id) {
		const found = await handler.read(id, { ...inputs, __resourceUrn: urn });
		return { id: found.id || id, outputs: withoutOwn(found.props ?? {}) };
	}
	const checked = await handler.check({}, { ...inputs, __resourceUrn: urn });
	if (checked.failures.length > 0) throw new Error(checked.failures.map(({ reason }) => reason).join("\n"));
	try {
		const created = await handler.create(checked.inputs);
		return { id: created.id, outputs: withoutOwn(created.outs) };
	} catch (error) {
		// It exists, and isn't as wanted yet: such as a number that is pending.
		if (!(error instanceof InitError)) throw error;
		return { id: error.id, outputs: withoutOwn(error.properties) };
	}
}

/** Returns a clock whose waits end at once and advance its time. */
function impatientClock(): TimerClock {
	let passed = 0;
	return {
		...systemClock,
		now: () => Date.now() + passed,
		async sleep(ms) {
			passed += Math.max(0, ms);
			await new Promise((resolve) => setImmediate(resolve));
		},
	};
}

function sessionAt(account: Account, cwd: string): Session {
	const session = new Session({
		cwd,
		env: { ...environmentOf(account), PULUMI_BACKEND_URL: "https://mocks.example" },
		clock: impatientClock(),
		progress: { status: () => {}, warn: () => {}, inform: () => {}, debug: () => {} },
	});
	session.configure(() => undefined);
	return session;
}
