/**
 * A number that `adopt` names by its E.164 while a port order is to bring it. Until it arrives, the resource has no
 * object: its id is the E.164, and its output `foundId` is empty. Nothing is bought.
 */
import type { NumberRecord, PortOrderRecord } from "../../api/contract";
import { isTelephonyError } from "../../api/errors";
import { isOpenPort, isReleasedOrFailed } from "../../api/record";
import { pauses, until } from "../../api/until";
import { type CodedCondition, conditionError, type Fix, warnOfCondition } from "../../drift/condition";
import { isFree } from "../../lifecycle/decide";
import { InitError, identityFor, type Lifecycle, objectOf, type ReadResult } from "../../lifecycle/resource";
import type { Identity } from "../../ownership/claim";
import { canonicalNumber, writtenE164 } from "../../properties/canonical";
import { declaredInputs, urnOf, type Values } from "../../properties/table";
import { isPassing } from "../../reads/reads";
import { unless } from "../../reads/shared";
import type { Service, Session } from "../../session/session";
import { portStage, waitForPort } from "../port-order/handler";
import { matchesName } from "./candidates";
import { contradictedCriteria, criteriaOf, numberClaim, numberProperties } from "./properties";

type CreatedNumber = Awaited<ReturnType<Lifecycle["create"]>>;

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
				urnOf(props),
				"retained",
				`Removed ${id} from the state before its port was complete. Nothing was released or cancelled. If a port order has it, the number still comes to the account.`,
			);
		},
	};
}

const isPorting = (id: string, outs: Values): boolean => objectOf(id, outs) === "";

/** Runs an update of a resource that keeps the E.164 as its id until a refresh gives it the number's id. */
async function withFoundId(e164: string, write: () => Promise<CreatedNumber>): Promise<{ outs: Values }> {
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
async function adoptPorted(session: Session, lifecycle: Lifecycle, inputs: Values): Promise<CreatedNumber> {
	const e164 = typeof inputs.adopt === "string" ? writtenE164(inputs.adopt) : undefined;
	if (e164 === undefined) return lifecycle.create(inputs);
	const place = await locate(session, e164, inputs);
	if (place.is !== "porting") return lifecycle.create(inputs);
	const { order } = place;
	const { __provider, ...declared } = declaredInputs(numberProperties, inputs);
	const { token } = identityFor(numberClaim, inputs, await session.service());
	const outs = { ...declared, phoneNumber: e164, status: "porting", kycRequired: false, foundId: "", token };
	session.progress.status(urnOf(inputs), portStage(order));
	if (inputs.waitForActive === false) return { id: e164, outs };
	const condition = { ...underWay(outs), status: `port order ${order.id} is ${portStage(order)}. Nothing was bought` };
	const late = conditionError(session, e164, condition, { waitsIf: "waitForActive" });
	throw new InitError(e164, { ...outs, __provider }, late);
}

/** A number that `adopt` names: in an open port order, on the account, or neither. */
type Place =
	| { readonly is: "porting"; readonly order: PortOrderRecord }
	| { readonly is: "ported"; readonly record: NumberRecord }
	| { readonly is: "not_porting" };

/** Finds the number, after the wait for its order that the program asks for. */
async function locate(session: Session, e164: string, inputs: Values): Promise<Place> {
	const service = await session.service();
	const find = (records: Iterable<NumberRecord>) =>
		[...records].find((record) => matchesName(record, e164) && !isReleasedOrFailed(record));
	const listed = find(await service.numbers.all());
	if (listed !== undefined) return { is: "ported", record: listed };
	const orders = await ordersOf(service, e164);
	const open = orders.find(isOpenPort);
	const read = async () => find((await service.numbers.latest()).values());
	let arrived: NumberRecord | undefined;
	const wait = {
		urn: urnOf(inputs),
		timeoutMs: Number(inputs.activationTimeoutSeconds ?? 600) * 1000,
		// An order brings some of its numbers before it ends.
		keep: async () => {
			arrived = await unless(isPassing, read());
		},
		isOver: () => arrived !== undefined,
	};
	const order = open && inputs.waitForActive !== false ? await waitForPort(session, service, open, wait) : open;
	if (orders.length === 0) return { is: "not_porting" };
	const isOpen = order !== undefined && isOpenPort(order);
	const isUnchanged = isOpen && inputs.waitForActive === false;
	// An ended order may have brought the number after the list was read, and an open one brings some numbers first.
	const record = isUnchanged
		? undefined
		: (arrived ?? (await until(session, read, (found) => found !== undefined, { for: isOpen ? [] : pauses.known })));
	if (record === undefined) return isOpen ? { is: "porting", order } : { is: "not_porting" };
	service.numbers.wrote(record.id, record);
	return { is: "ported", record };
}

/** Returns the port orders that name the number. Cancelled ones aren't listed. */
export async function ordersOf({ reads }: Service, e164: string): Promise<readonly PortOrderRecord[]> {
	const orders = reads["port order"];
	const listed = (await unless((error) => isTelephonyError(error, "NotOffered"), orders.all())) ?? [];
	// A list may show less than a single read.
	const partial = [...listed.filter(({ numbers }) => !numbers?.length), ...orders.unreadable()];
	const read = await Promise.all(
		partial.flatMap(({ id }) => (id === undefined ? [] : [orders.read(id, { isPartial: () => true })])),
	);
	return [...listed, ...read].filter(({ numbers }) =>
		(numbers ?? []).some((ported) => canonicalNumber(ported) === e164),
	);
}

/** True if the next `pulumi up` refuses to adopt the number: it isn't as declared, or another resource has it. */
const isRefused = (claim: Identity, inputs: Values, record: NumberRecord): boolean =>
	!isFree(claim, record) || contradictedCriteria(criteriaOf(inputs), record).length > 0;

/** Reads where the number is. Only an update adopts it. */
async function read(session: Session, e164: string, props: Values): Promise<ReadResult> {
	const place = await locate(session, e164, { ...props, waitForActive: false });
	const claim = identityFor(numberClaim, props, await session.service());
	const status = place.is === "ported" && isRefused(claim, props, place.record) ? "not_adoptable" : place.is;
	const outs = { ...props, status };
	const condition = portingCondition(outs);
	if (condition?.kind === "problem") warnOfCondition(session, props, e164, condition);
	if (place.is === "porting") session.progress.status(urnOf(props), portStage(place.order));
	return { id: e164, props: outs, inputs: declaredInputs(numberProperties, outs) };
}

/** Returns why the number isn't on the account; undefined for a resource with a number. */
export function portingCondition(outs: Values): CodedCondition | undefined {
	if (!isPorting("any", outs)) return undefined;
	const waiting = underWay(outs);
	switch (outs.status) {
		case "not_porting":
			return {
				...waiting,
				kind: "problem",
				code: "not-found",
				isDue: true,
				status: "neither it nor an open port order for it was found",
				fixes: [{ code: "restore", text: "submit a port order for it, then run `pulumi up`" }, removal],
			};
		case "not_adoptable":
			return {
				...waiting,
				kind: "problem",
				code: "adopt-refused",
				isDue: true,
				goal: "adopted",
				status: "it isn't as declared, or another resource has claimed it",
				fixes: [{ code: "restore", text: "run `pulumi up`: its error names the difference or the owner" }, removal],
			};
		case "ported": {
			const fixes: Fix[] = [{ code: "finish", text: "`pulumi up` adopts it" }];
			return { ...waiting, isDue: true, goal: "adopted", status: "the port is complete", fixes };
		}
		default:
			return waiting;
	}
}

const removal: Fix = { code: "accept", text: "remove it from the program; nothing is released" };

const underWay = ({ status }: Values): CodedCondition => ({
	kind: "waiting",
	code: "port-pending",
	goal: "on the account",
	status: "the port is in progress",
	change: { path: "status", declared: "active", live: status },
	fixes: [{ code: "wait", text: "`pulumi up` continues and buys nothing" }],
});
