/**
 * A number that `adopt` names by its E.164 while a port order is to bring it. Until it arrives, the resource has no
 * object: its id is the E.164, and its output `foundId` is empty. Nothing is bought.
 */
import type { NumberRecord, PortOrderRecord } from "../../api/contract";
import { isTelephonyError, TelephonyError } from "../../api/errors";
import { isOpenPort, isReleasedOrFailed, portPhaseOf } from "../../api/record";
import { pauses, until } from "../../api/until";
import { InitError, identityFor, type Lifecycle, objectOf, type ReadResult } from "../../lifecycle/resource";
import { canonicalE164, writtenE164 } from "../../properties/canonical";
import { declaredInputs, type Values } from "../../properties/table";
import type { Service, Session } from "../../session/session";
import { portStage, waitForPort } from "../port-order/handler";
import { matchesName } from "./adopt";
import { type CodedCondition, warnOfCondition } from "./kyc";
import { numberClaim, numberProperties } from "./properties";

/** The output `status` of such a resource. */
type PortStatus =
	| "porting" // an open port order names the number
	| "ported" // the number is on the account, and the next update adopts it
	| "not_porting"; // neither

interface Location {
	readonly is: PortStatus;
	readonly order?: PortOrderRecord;
}

interface Created {
	readonly id: string;
	readonly outs: Values;
}

/** Adds to a number's lifecycle the resources that wait for a port. */
export function withPorts(session: Session, lifecycle: Lifecycle): Lifecycle {
	return {
		...lifecycle,
		create: (inputs) => adoptPorted(session, lifecycle, inputs),
		diff: (id, olds, news) => lifecycle.diff(objectOf(id, olds) || id, olds, news),
		read: (id, props, isRefresh) =>
			isPorting(id, props) ? read(session, id, props) : lifecycle.read(objectOf(id, props), props, isRefresh),
		update: async (id, olds, news) => {
			const found = objectOf(id, olds);
			if (found === id) return lifecycle.update(id, olds, news);
			return withFoundId(id, async () =>
				found === ""
					? adoptPorted(session, lifecycle, { ...news, adopt: news.adopt ?? id })
					: { id: found, ...(await lifecycle.update(found, olds, news)) },
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

const isPorting = (id: string, outs: Values): boolean => objectOf(id, outs) === "";

/** Runs an update of a resource that keeps the E.164 as its id until a refresh gives it the number's id. */
async function withFoundId(e164: string, write: () => Promise<Created>): Promise<{ outs: Values }> {
	const noted = (id: string, outs: Values) => (id === e164 ? outs : { ...outs, foundId: id });
	try {
		const { id, outs } = await write();
		return { outs: noted(id, outs) };
	} catch (error) {
		if (!(error instanceof InitError)) throw error;
		throw new InitError(e164, noted(error.id, error.properties), error.cause);
	}
}

/**
 * Adopts a number, and buys none. While an open port order is to bring it, the port is saved instead.
 * @throws InitError if the program waits for the number, and it doesn't arrive in time
 */
async function adoptPorted(session: Session, lifecycle: Lifecycle, inputs: Values): Promise<Created> {
	const e164 = typeof inputs.adopt === "string" ? writtenE164(inputs.adopt) : undefined;
	const { is, order } = e164 === undefined ? {} : await locate(session, e164, inputs);
	if (e164 === undefined || order === undefined) return lifecycle.create(inputs);
	const { __provider, ...declared } = declaredInputs(numberProperties, inputs);
	const { token } = identityFor(numberClaim, inputs, await session.service());
	const outs = { ...declared, phoneNumber: e164, status: is, kycRequired: false, foundId: "", token };
	session.progress.status(String(inputs.resourceUrn ?? ""), portStage(order));
	if (inputs.waitForActive === false) return { id: e164, outs };
	const late = new TelephonyError(
		"Conflict",
		`${e164} is not on the account yet: port order ${order.id} is ${portStage(order)}. Nothing was bought. Run \`pulumi up\` again to continue waiting. (To skip the wait, set \`waitForActive: false\`.)`,
		{ messageCode: "port-pending" },
	);
	throw new InitError(e164, { ...outs, __provider }, late);
}

/** Finds the number in the account's lists, after the wait that the program asks for. */
async function locate(session: Session, e164: string, inputs: Values): Promise<Location> {
	const service = await session.service();
	const find = (records: readonly NumberRecord[]) =>
		records.find((record) => matchesName(record, e164) && !isReleasedOrFailed(record));
	if (find(await service.numbers.all()) !== undefined) return { is: "ported" };
	const orders = await ordersFor(service, e164);
	const open = orders.find(isOpenPort);
	const wait = {
		urn: String(inputs.resourceUrn ?? ""),
		timeoutMs: Number(inputs.activationTimeoutSeconds ?? 600) * 1000,
	};
	const order = open && inputs.waitForActive !== false ? await waitForPort(session, service, open, wait) : open;
	if (order !== undefined && isOpenPort(order)) return { is: "porting", order };
	if (orders.length === 0 || (order !== undefined && portPhaseOf(order) === "cancelled")) return { is: "not_porting" };
	// The order is completed, and the list may be from before that. All its numbers arrive at once, so they share a list.
	const look = async () => find([...(await service.numbers.latest()).values()]);
	const ported = await until(session, look, (record) => record !== undefined, { for: pauses.known });
	if (ported === undefined) return { is: "not_porting" };
	service.numbers.wrote(ported.id, ported);
	return { is: "ported" };
}

/** Returns the orders that name the number, without cancelled ones. */
async function ordersFor(service: Service, e164: string): Promise<readonly PortOrderRecord[]> {
	try {
		const orders = await service.reads["port order"].all();
		return orders.filter(({ numbers = [] }) => numbers.some((each) => (canonicalE164(each) ?? each) === e164));
	} catch (error) {
		if (isTelephonyError(error, "NotOffered")) return [];
		throw error;
	}
}

/** Reads where the number is. Only an update adopts it. */
async function read(session: Session, e164: string, props: Values): Promise<ReadResult> {
	const { is, order } = await locate(session, e164, { ...props, waitForActive: false });
	const outs = { ...props, status: is };
	const condition = portingCondition(outs);
	if (condition?.kind === "problem") warnOfCondition(session, props, e164, condition);
	if (order !== undefined) session.progress.status(String(props.resourceUrn ?? ""), portStage(order));
	return { id: e164, props: outs, inputs: declaredInputs(numberProperties, outs) };
}

/** Returns how the port stands; undefined for a resource with a number. */
export function portingCondition(outs: Values): CodedCondition | undefined {
	if (!isPorting("any", outs)) return undefined;
	const { phoneNumber, status } = outs;
	const change = { path: "status", declared: "active", live: status };
	if (status === "not_porting")
		return {
			kind: "problem",
			code: "not-found",
			isDue: true,
			change,
			consequence: `cannot be repaired by Pulumi: ${phoneNumber} is neither on the account nor in an open port order`,
			ways: [
				"restore it: submit a port order for it, then run `pulumi up`",
				"accept it: remove it from the program; nothing is released",
			],
		};
	const isPorted = status === "ported";
	return {
		kind: "waiting",
		code: "port-pending",
		...(isPorted && { isDue: true }),
		change,
		consequence: `nothing to repair: ${isPorted ? "the port is complete, and the next `pulumi up` adopts it" : "the port is in progress"}`,
		ways: [isPorted ? "finish it: `pulumi up` adopts it" : "wait: `pulumi up` continues and buys nothing"],
	};
}
