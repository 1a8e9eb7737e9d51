/** One run of the provider in three ways: its handlers in this process, and the processes of both fronts. */
import { InitError, plain } from "../../provider/lifecycle/resource";
import type { Environment } from "../../provider/session/place";
import { type Engine, startHost } from "./host-process.mts";
import { type FrontName, InitFailed, type Protocol, type Values } from "./protocol.mts";
import { openProvider, type Provider } from "./provider";
import { handlerOf, nameIn } from "./runs";

export type Way = "in process" | FrontName;
export const ways: readonly Way[] = ["in process", "dynamic", "plugin"];

/** What handlers and both fronts can do. */
export interface Run extends Omit<Protocol, "configure" | "cancel"> {
	close(): Promise<void>;
}

/** A string that no path of this machine is part of. */
const place = "https://state.example";

export async function openRun(
	way: Way,
	service: { readonly url: string; readonly apiKey: string },
	engine: Engine,
	env: Environment = {},
): Promise<Run> {
	if (way === "in process") return inProcess(openProvider(service, { place }));
	const variables = { TELEPHONY_API_KEY: service.apiKey, TELEPHONY_BASE_URL: service.url, PULUMI_BACKEND_URL: place };
	const host = await startHost(engine, { ...variables, ...env }, way);
	await host.configure(way === "plugin" ? { onDelete: "release" } : { "telephony:onDelete": "release" });
	return { ...host, close: () => host.kill() };
}

function inProcess(provider: Provider): Run {
	const of = (declared: Values) => handlerOf(provider, declared);
	/** As the protocol carries it. */
	const sent = (values: unknown) => JSON.parse(JSON.stringify(plain(values ?? {}))) as Values;
	const told = async <T>(work: Promise<T>): Promise<T> => {
		try {
			return await work;
		} catch (error) {
			if (!(error instanceof InitError)) throw error;
			const { id, reasons, message, properties } = error;
			throw new InitFailed(message, { code: 2, id, reasons, props: sent(properties), refreshesBeforeUpdate: false });
		}
	};
	return {
		async check(news, olds = {}) {
			const { inputs, failures } = await of(news).check(olds, news);
			return { inputs: sent(inputs), failures: failures.map(({ reason }) => reason) };
		},
		async diff(id, olds, news) {
			const { changes, replaces } = await of(news).diff(id, olds, news);
			return { changes, replaces: replaces.length > 0, detail: {} };
		},
		async create(inputs) {
			const { id, outs } = await told(of(inputs).create(inputs));
			return { id, props: sent({ ...outs, __provider: inputs.__provider }) };
		},
		async read(id, props) {
			const found = await of(props).read(id, props);
			if (!found.id) return { id: "", props: {}, inputs: {} };
			const { __provider } = props;
			return {
				id: found.id,
				props: sent({ ...found.props, __provider }),
				inputs: sent({ ...found.inputs, __provider }),
			};
		},
		async update(id, olds, news) {
			const { outs } = await told(of(news).update(id, olds, news));
			return sent({ ...outs, __provider: news.__provider });
		},
		delete: (id, props) => of(props).delete(id, props),
		close: async () => {},
	};
}

/** As the SDK declares it: the host of the dynamic front runs the text. */
export const textFor = (news: Values): Values =>
	({
		...news,
		__provider: `exports.handler = () => require("pulumi-telephony/provider").${nameIn(news)};`,
	}) as Values;
