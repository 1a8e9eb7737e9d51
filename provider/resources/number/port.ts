/** The lifecycle of a number, where `adopt` names one that a port order of the account is to bring: nothing is bought. */
import type { NumberRecord, PortOrderRecord } from "../../api/contract";
import { isTelephonyError, TelephonyError } from "../../api/errors";
import { isOpenPort, isReleasedOrFailed, portPhaseOf } from "../../api/record";
import { pauses, until } from "../../api/until";
import { InitError, identityFor, type Lifecycle, objectOf, type ReadResult } from "../../lifecycle/resource";
import { canonicalE164, writtenE164 } from "../../properties/canonical";
import { declaredInputs, type Values } from "../../properties/table";
import { shared } from "../../reads/shared";
import type { Service, Session } from "../../session/session";
import { portStage, waitForPort } from "../port-order/stage";
import { capital } from "./kyc-action";
import { isPorting, type Porting, portingCondition, portingOutputs } from "./porting";
import { numberClaim, numberProperties } from "./properties";

/** The same lifecycle at its door: an entry that its E.164 names is led to its number, once that is there. */
export function withPorts(session: Session, lifecycle: Lifecycle): Lifecycle {
	return {
		...lifecycle,
		create: async (inputs) => (await adopt(session, lifecycle, inputs)) ?? lifecycle.create(inputs),
		diff: (id, olds, news) => lifecycle.diff(objectOf(id, olds) || id, olds, news),
		read: (id, props, isRefresh) =>
			isPorting(id, props) ? read(session, id, props) : lifecycle.read(objectOf(id, props), props, isRefresh),
		update: async (id, olds, news) => {
			const found = objectOf(id, olds);
			if (found === id) return lifecycle.update(id, olds, news);
			return named(id, () =>
				found === "" ? goOn(session, lifecycle, id, news) : updated(lifecycle, found, olds, news),
			);
		},
		delete: async (id, props) => {
			if (!isPorting(id, props)) return lifecycle.delete(objectOf(id, props), props);
			session.progress.warn(
				String(props.resourceUrn ?? ""),
				"kept",
				`Removed ${id} from the state before its port was complete. Nothing was released or cancelled. If a port order has it, the number still comes to the account.`,
			);
		},
	};
}

interface Made {
	readonly id: string;
	readonly outs: Values;
}

const updated = async (lifecycle: Lifecycle, id: string, olds: Values, news: Values): Promise<Made> => ({
	id,
	...(await lifecycle.update(id, olds, news)),
});

/** The outputs of an entry that keeps its name until a refresh gives it the number's id. */
async function named(entry: string, work: () => Promise<Made>): Promise<{ outs: Values }> {
	const noted = (id: string, outs: Values) => (id === entry ? outs : { ...outs, foundId: id });
	try {
		const { id, outs } = await work();
		return { outs: noted(id, outs) };
	} catch (error) {
		if (!(error instanceof InitError)) throw error;
		throw new InitError(entry, noted(error.id, error.properties), error.cause);
	}
}

/** The next update of an entry that waits. It takes the number that the entry is named by, and no other. */
async function goOn(session: Session, lifecycle: Lifecycle, e164: string, news: Values): Promise<Made> {
	const isNamed = typeof news.adopt === "string" && writtenE164(news.adopt) === e164;
	const made = await adopt(session, lifecycle, isNamed ? news : { ...news, adopt: e164 });
	if (made !== undefined) return made;
	throw new TelephonyError(
		"NotFound",
		`${e164} is neither on the account nor in an open port order. Nothing was bought or changed. Submit a port order and run \`pulumi up\` again, or remove this resource, which releases nothing.`,
	);
}

/**
 * Takes the number over, or notes that it is on its way; undefined if it is neither here nor on its way.
 * @throws InitError if the program waits for it, and it isn't there in time
 */
async function adopt(session: Session, lifecycle: Lifecycle, inputs: Values): Promise<Made | undefined> {
	const e164 = portedOf(inputs);
	if (e164 === undefined) return undefined;
	const { is, order } = await arrived(session, e164, inputs);
	if (is === "ported") return lifecycle.create(inputs);
	if (order === undefined) return undefined;
	const service = await session.service();
	const { __provider, ...declared } = declaredInputs(numberProperties, inputs);
	const { token } = identityFor(numberClaim, inputs, service);
	const outs = { ...portingOutputs(declared, e164, is), token };
	session.progress.status(String(inputs.resourceUrn ?? ""), portStage(order));
	if (inputs.waitForActive === false) return { id: e164, outs };
	throw new InitError(
		e164,
		{ ...outs, __provider },
		notHereYet(e164, order, " (To skip the wait, set `waitForActive: false`.)"),
	);
}

/** The open order that is to bring a number, after the wait that the program asks for; none if it is here by then. */
export async function orderFor(session: Session, wanted: string, inputs: Values): Promise<PortOrderRecord | undefined> {
	const e164 = portedOf({ adopt: wanted });
	return e164 === undefined ? undefined : (await arrived(session, e164, inputs)).order;
}

/** What a run says that ends before the number is here. */
export const notHereYet = (wanted: string, order: PortOrderRecord, more = ""): TelephonyError =>
	new TelephonyError(
		"Conflict",
		`${wanted} is not on the account yet: port order ${order.id} is ${portStage(order)}. Nothing was bought. Run \`pulumi up\` again to continue waiting.${more}`,
		{ messageCode: "port-pending" },
	);

const portedOf = ({ adopt }: Values): string | undefined =>
	typeof adopt === "string" ? writtenE164(adopt) : undefined;

/** Where it is, after the wait that the program asks for. */
async function arrived(session: Session, e164: string, inputs: Values): Promise<Found> {
	const found = await lookFor(session, e164);
	if (found.order === undefined || inputs.waitForActive === false) return found;
	const order = await waitForPort(session, await session.service(), found.order, {
		urn: String(inputs.resourceUrn ?? ""),
		timeoutMs: Number(inputs.activationTimeoutSeconds ?? 600) * 1000,
	});
	switch (portPhaseOf(order)) {
		case "completed":
			return lookFor(session, e164, order);
		case "cancelled":
			return { is: "not_porting" };
		default:
			return { is: "porting", order };
	}
}

// ---- Where it is ------------------------------------------------------------------------------------------------------

interface Found {
	readonly is: Porting;
	readonly order?: PortOrderRecord;
}

/** Looks in the account's lists, which a whole run shares. `done`: this order has just been completed. */
async function lookFor(session: Session, e164: string, done?: PortOrderRecord): Promise<Found> {
	const service = await session.service();
	const find = (records: readonly NumberRecord[]) =>
		records.find((record) => isNumber(record, e164) && !isReleasedOrFailed(record));
	if (find(await service.numbers.all()) !== undefined) return { is: "ported" };
	const orders = done === undefined ? await ordersFor(service, e164) : [done];
	const order = orders.find(isOpenPort);
	if (order !== undefined) return { is: "porting", order };
	if (orders.length === 0) return { is: "not_porting" };
	// Its order is completed, and the list may be from before that.
	const numbers = await until(
		session,
		() => listNow(service),
		(all) => find(all) !== undefined,
		{ for: pauses.known },
	);
	const ported = find(numbers);
	if (ported === undefined) return { is: "not_porting" };
	service.numbers.wrote(ported.id, ported);
	return { is: "ported" };
}

const isNumber = ({ number }: NumberRecord, e164: string): boolean =>
	number != null && (canonicalE164(number) ?? number) === e164;

/** The orders that name it, the cancelled ones aside. */
async function ordersFor(service: Service, e164: string): Promise<readonly PortOrderRecord[]> {
	try {
		const orders = await service.reads["port order"].all();
		return orders.filter(({ numbers = [] }) => numbers.some((each) => (canonicalE164(each) ?? each) === e164));
	} catch (error) {
		if (isTelephonyError(error, "NotOffered")) return [];
		throw error;
	}
}

const scans = new WeakMap<Service, () => Promise<readonly NumberRecord[]>>();

/** All numbers of an order arrive at once, and one scan shows them. */
function listNow(service: Service): Promise<readonly NumberRecord[]> {
	const scan = scans.get(service) ?? shared(() => service.numbers.fresh());
	scans.set(service, scan);
	return scan();
}

/** A read takes nothing over: it says where the number is, and the next update goes on. */
async function read(session: Session, e164: string, props: Values): Promise<ReadResult> {
	const { is, order } = await lookFor(session, e164);
	const outs = { ...props, status: is };
	const condition = portingCondition(outs);
	if (condition?.kind === "problem")
		session.progress.warn(
			String(props.resourceUrn ?? ""),
			condition.code,
			`${e164} ${condition.consequence}. ${condition.ways.map((way) => `${capital(way)}.`).join(" ")}`,
		);
	if (order !== undefined) session.progress.status(String(props.resourceUrn ?? ""), portStage(order));
	return { id: e164, props: outs, inputs: declaredInputs(numberProperties, outs) };
}
