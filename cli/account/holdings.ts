/** The objects that the states of stacks hold. */
import { z } from "zod";
import { objectOf } from "../../provider/lifecycle/resource";
import { canonicalNumber } from "../../provider/properties/canonical";
import type { Values } from "../../provider/properties/table";
import { addressIn } from "../engine/config";
import { findTelephonyType, isExplicitProvider, nameIn } from "../engine/events";
import { type SavedResource, type SavedState, savedState } from "../engine/state";
import { UsageError } from "../report/usage";
import type { Owned, Unreadable } from "./account";

/** A resource of a state, with an object at the service. */
export interface Holding {
	readonly stack: string;
	/** The last part of its type, such as `Number`. */
	readonly type: string;
	readonly name: string;
	/** Id of the object; the E.164 of a number that is still being ported. */
	readonly id: string;
	readonly urn: string;
	/** Its saved outputs. */
	readonly saved: Values;
	/** Identifies the declaration; absent if the state doesn't have it. */
	readonly token?: string | undefined;
	/** Price of a number as the last run read it. */
	readonly price?: z.infer<typeof Price> | undefined;
}

/** A provider to which a program gives a key or an address: it may use another account. */
export interface ExplicitProvider {
	readonly stack: string;
	readonly name: string;
	/** Its address; absent if the environment or the stack's configuration gives it. */
	readonly account?: string | undefined;
}

/** A resource that a run may be creating or changing right now: the state doesn't have its new objects yet. */
export interface Unfinished {
	readonly stack: string;
	readonly name: string;
	readonly urn: string;
}

export interface StackState {
	readonly holdings: readonly Holding[];
	readonly unfinished: readonly Unfinished[];
	readonly providers: readonly ExplicitProvider[];
	/** URN of any resource, which names project and stack; absent if the state is empty. */
	readonly urn?: string | undefined;
	/** The organization that a resource's outputs name. */
	readonly organization?: string | undefined;
}

const Money = z.object({ amount: z.string(), currency: z.string() });
const Price = z.object({ setup: Money, monthly: Money });
const Outputs = z.object({
	token: z.string().optional().catch(undefined),
	price: Price.optional().catch(undefined),
	organization: z.string().optional().catch(undefined),
});

/** @param stack a name, or a file @throws UsageError if the state can't be read */
export async function stackState(stack: string, cwd: string): Promise<StackState> {
	const { resources, operations } = await savedState(stack, cwd);
	const [urn] = [...resources, ...operations.map(({ resource }) => resource)].map((resource) => resource.urn);
	const [organization] = resources.flatMap(({ outputs }) => {
		const { token, organization: found } = Outputs.parse(outputs ?? {});
		return token !== undefined && found !== undefined ? [found] : [];
	});
	return {
		holdings: resources.flatMap((resource) => holdingsOf(stack, resource)),
		unfinished: operations.flatMap((operation) => unfinishedIn(stack, operation)),
		providers: resources.flatMap((resource) => providersOf(stack, resource)),
		urn,
		organization,
	};
}

function holdingsOf(stack: string, { urn, type: token, id, external, outputs = {} }: SavedResource): Holding[] {
	const type = findTelephonyType(token);
	// A program looks up an external object and doesn't manage it.
	if (type === undefined || external === true || !id) return [];
	if (type === "NumberPool") return memberHoldings(stack, urn, outputs);
	const { token: claim, price } = Outputs.parse(outputs);
	return [
		{ stack, type, name: nameIn(urn), id: objectOf(id, outputs) || id, urn, saved: outputs, token: claim, price },
	];
}

/** An object that is being deleted stays in the state until it is. */
function unfinishedIn(
	stack: string,
	{ type, resource: { urn, type: token } }: SavedState["operations"][number],
): Unfinished[] {
	const isWrite = type !== "deleting" && type !== "reading";
	return isWrite && findTelephonyType(token) !== undefined ? [{ stack, name: nameIn(urn), urn }] : [];
}

/** Returns the next step for a run that hasn't ended, as sentences. */
export const waitForRun = ({ stack }: Unfinished): string =>
	`Wait until the run of stack ${stack} ends. If no run is active, run \`pulumi cancel\`, \`pulumi refresh --clear-pending-creates\` and \`pulumi up\`.`;

function providersOf(
	stack: string,
	{ urn, type, inputs: { apiKey, baseUrl } = {} }: SavedResource,
): ExplicitProvider[] {
	if (!isExplicitProvider(type, urn) || (apiKey ?? baseUrl) === undefined) return [];
	const account = typeof baseUrl === "string" ? addressIn(baseUrl) : undefined;
	return [{ stack, name: nameIn(urn), account }];
}

const Pool = z.object({
	numbers: z.array(z.looseObject({ name: z.string(), id: z.string() })),
	members: z.array(z.looseObject({ token: z.string().optional() })),
});

/** Returns a holding for each number of a pool. @throws UsageError if the state doesn't list them */
function memberHoldings(stack: string, urn: string, outputs: unknown): Holding[] {
	const pool = Pool.safeParse(outputs);
	if (!pool.success) throw new UsageError("usage", `the state of ${stack} doesn't list the numbers of a NumberPool.`);
	const { numbers, members } = pool.data;
	return numbers.map(({ name, id, ...fields }, at) => {
		const member = members[at];
		return { stack, type: "Number", name, id, urn, saved: { ...fields, ...member }, token: member?.token };
	});
}

/** Returns a function that finds the holding of an object; the first of several. */
export function holdingFinder(holdings: readonly Holding[]): (object: Owned | Unreadable) => Holding | undefined {
	const byId = new Map(holdings.toReversed().map((holding) => [`${holding.type} ${holding.id}`, holding]));
	return (object) => {
		if (!("record" in object)) return byId.get(`${object.type} ${object.id}`);
		const found = byId.get(`${object.type} ${object.record.id}`);
		// While a port is in progress, the state has the number's E.164 as its id.
		if (found !== undefined || object.type !== "Number" || object.record.number == null) return found;
		return byId.get(`Number ${canonicalNumber(object.record.number)}`);
	};
}
