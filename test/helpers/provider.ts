import { expect } from "vitest";
import type { systemClock } from "../../provider/api/clock";
import { isTelephonyError, type TelephonyError } from "../../provider/api/errors";
import { type Handler, InitError } from "../../provider/lifecycle/resource";
import type { Values } from "../../provider/properties/table";
import { resources } from "../../provider/resources";
import { Session } from "../../provider/session/session";
import { FakeClock } from "./clock";

export interface ProviderOptions {
	/** Default: a new clock whose pauses take no time. */
	readonly clock?: FakeClock | typeof systemClock;
	/** URL of the backend, which identifies the state. */
	readonly place?: string;
	/** The program's folder. */
	readonly cwd?: string;
	/** The stack's configuration. `telephony:onDelete` is `release` unless given; an empty text is the product's default. */
	readonly config?: Readonly<Record<string, string>>;
	readonly env?: Readonly<Record<string, string>>;
	/** True if the engine reports that it runs a program. */
	readonly hasProgram?: boolean;
}

/** The configuration of a stack whose numbers are released when they are removed. */
const releasing: Readonly<Record<string, string>> = { "telephony:onDelete": "release" };

/** The user confirms that everything in the state was deleted. */
export const allGone: ProviderOptions = { env: { TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" } };

/** The name of a resource's handler. */
export type Name = Uncapitalize<keyof typeof resources>;

/** The handlers of one run, as in a provider process. */
export interface Provider extends Readonly<Record<Name, Handler>> {
	readonly session: Session;
	readonly clock: FakeClock;
	readonly warnings: string[];
	readonly statuses: string[];
	/** Texts that inform the user. */
	readonly notes: string[];
	readonly log: string[];
}

export function openProvider(service: { url: string; apiKey: string }, options: ProviderOptions = {}): Provider {
	const clock = options.clock ?? new FakeClock();
	const [warnings, statuses, notes, log]: [string[], string[], string[], string[]] = [[], [], [], []];
	const session = new Session({
		env: {
			TELEPHONY_API_KEY: service.apiKey,
			TELEPHONY_BASE_URL: service.url,
			PULUMI_BACKEND_URL: options.place ?? "https://state.example",
			...options.env,
		},
		cwd: options.cwd ?? "/",
		clock,
		random: () => 0.5,
		progress: {
			hasProgram: async () => options.hasProgram ?? false,
			status: (_, text) => statuses.push(text),
			warn: (_, text) => warnings.push(text),
			inform: (text) => notes.push(text),
			debug: (text) => log.push(text),
		},
	});
	const handlers = Object.fromEntries(
		Object.entries(resources).map(([type, { handler }]) => [nameOf(type), handler(session)]),
	) as Record<Name, Handler>;
	for (const handler of Object.values(handlers)) {
		void handler.configure({ config: { get: (key) => ({ ...releasing, ...options.config })[key] } });
	}
	return { ...handlers, session, clock: clock as FakeClock, warnings, statuses, notes, log };
}

/** Returns the handler's name of a type such as `SipTrunk`. */
export const nameOf = (type: string): Name => type.replace(/^./, (letter) => letter.toLowerCase()) as Name;

/** Opens a run in which events happen after so many seconds. */
export function openWith(
	service: { url: string; apiKey: string },
	...events: [seconds: number, event: () => unknown][]
) {
	const clock = new FakeClock();
	const start = clock.now();
	for (const [seconds, event] of events) clock.after(seconds, () => void event());
	return { ...openProvider(service, { clock }), seconds: () => (clock.now() - start) / 1000 };
}

/** Adds the properties that the SDK registers. */
export const declaration = (type: string, name: string, args: Values): Values => ({
	...args,
	__provider: "exports.handler = () => 0;",
	__resourceUrn: `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/telephony:${type}::${name}`,
});

export const aNumber = (args: Values = {}, name = "main"): Values =>
	declaration("Number", name, { country: "NL", type: "mobile", ...args });
export const aPool = (args: Values = {}, name = "support"): Values =>
	declaration("NumberPool", name, { count: 3, country: "NL", type: "mobile", ...args });
export const aTrunk = (args: Values = {}, name = "pbx"): Values =>
	declaration("SipTrunk", name, { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.7"] }, capacity: 10, ...args });
export const aWebhook = (args: Values = {}, name = "events"): Values =>
	declaration("Webhook", name, { url: "https://hooks.example.com/sms", events: ["message.received"], ...args });

export const aPortOrder = (args: Values = {}, name = "move"): Values =>
	declaration("PortOrder", name, {
		numbers: ["+31201234567", "+31612345678"],
		country: "NL",
		carrier: { name: "Old Telecom", accountNumber: "A-1", pin: "4711" },
		subscriber: { name: "Example B.V.", address: "Damrak 1, Amsterdam" },
		...args,
	});

export const aProfile = (args: Values = {}, name = "holder"): Values =>
	declaration("KycProfile", name, {
		entityType: "individual",
		name: "Erika Mustermann",
		country: "DE",
		address: { street: "Heidestr. 17", city: "Berlin", postalCode: "10557", country: "DE" },
		...args,
	});

/** Returns the inputs after a check without failures. */
export async function checked(handler: Handler, news: Values, olds: Values = {}): Promise<Values> {
	const { inputs, failures } = await handler.check(olds, news);
	expect(failures).toEqual([]);
	return inputs;
}

export async function create(handler: Handler, news: Values): Promise<{ id: string; outs: Values }> {
	return handler.create(await checked(handler, news));
}

/** Returns the error of work that must fail. */
export async function failureOf(work: Promise<unknown>): Promise<TelephonyError> {
	const error = await work.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (!isTelephonyError(error)) throw new Error("expected one of our errors", { cause: error });
	return error;
}

/** Returns the partial failure of work that must fail. */
export async function initErrorOf(work: Promise<unknown>): Promise<InitError> {
	const error = await work.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (!(error instanceof InitError)) throw new Error("expected an InitError", { cause: error });
	return error;
}

/** Returns the message code at the end of each text. */
export const codesOf = (messages: readonly string[]): (string | undefined)[] =>
	messages.map((message) => /\[telephony:([\w-]+)\]$/.exec(message)?.[1]);
