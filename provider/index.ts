/**
 * The stable entry point: stack states name this module for ever (`require("pulumi-telephony/provider").number`). Its
 * exports may grow, but must never change their meaning.
 */
import "../node-version";
import { type Handler, InitError } from "./lifecycle/resource";
import type { Values } from "./properties/table";
import { resources } from "./resources";
import { engineOfHost, engineProgress } from "./session/progress";
import { Session } from "./session/session";
import { Shutdown } from "./session/shutdown";

export type { CheckResult, DiffResult, Handler, ReadResult } from "./lifecycle/resource";

// The SDK's host process is ours alone. Any other that requires this module keeps its own signals and its own end.
const engine = engineOfHost();
const session = new Session(engine === undefined ? {} : { progress: engineProgress(engine) });
const shutdown = new Shutdown(session);
if (engine !== undefined) shutdown.takeProcess();

/** The program's side says it with two underlines, which no diff shows; older states say it without. */
const inside = ({ __resourceUrn: resourceUrn, ...rest }: Values): Values =>
	resourceUrn === undefined ? rest : { ...rest, resourceUrn };
const outside = ({ resourceUrn: __resourceUrn, ...rest }: Values): Values =>
	__resourceUrn === undefined ? rest : { ...rest, __resourceUrn };

/** The URN goes out as it has come in. */
function named(handler: Handler): Handler {
	const spelling = (given: Values) => ("__resourceUrn" in given ? outside : (values: Values) => values);
	const answered = async <T>(given: Values, work: Promise<T>): Promise<T> => {
		try {
			return await work;
		} catch (error) {
			if (error instanceof InitError) Object.assign(error, { properties: spelling(given)(error.properties) });
			throw error;
		}
	};
	return {
		...handler,
		async check(olds, news) {
			const { inputs, ...rest } = await handler.check(inside(olds), inside(news));
			return { ...rest, inputs: spelling(news)(inputs) };
		},
		diff: (id, olds, news) => handler.diff(id, inside(olds), inside(news)),
		async create(inputs) {
			const { id, outs } = await answered(inputs, handler.create(inside(inputs)));
			return { id, outs: spelling(inputs)(outs) };
		},
		async read(id, props) {
			const found = await answered(props, handler.read(id, inside(props)));
			const spelled = spelling(props);
			return {
				...found,
				...(found.props && { props: spelled(found.props) }),
				...(found.inputs && { inputs: spelled(found.inputs) }),
			};
		},
		async update(id, olds, news) {
			const { outs } = await answered(news, handler.update(id, inside(olds), inside(news)));
			return { outs: spelling(news)(outs) };
		},
		delete: (id, props) => handler.delete(id, inside(props)),
	};
}

function exported(type: keyof typeof resources): Handler {
	const handler = named(resources[type].handler(session));
	return {
		...handler,
		diff: async (id, olds, news) => {
			const result = await handler.diff(id, olds, news);
			// A state that the plugin wrote lacks the text by which the host loads this module. Only an update puts it there.
			const isPlugins = olds.__provider === undefined && news.__provider !== undefined;
			return isPlugins ? { ...result, changes: true } : result;
		},
	};
}

export const number = exported("Number");
export const sipTrunk = exported("SipTrunk");
export const webhook = exported("Webhook");
export const kycProfile = exported("KycProfile");
export const activation = exported("Activation");
export const numberPool = exported("NumberPool");
export const portOrder = exported("PortOrder");
