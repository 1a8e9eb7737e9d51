import type { Operation, OperationName } from "../../../provider/api/contract";

type Entry = readonly [OperationName, Operation];

/** Operations that take an id from a response, though their paths don't show it. */
const elsewhere: Partial<Readonly<Record<OperationName, readonly OperationName[]>>> = {
	testWebhook: ["getDelivery", "resendDelivery"],
	resendDelivery: ["getDelivery", "resendDelivery"],
	listDeliveries: ["getDelivery", "resendDelivery"],
	listRecordings: ["getRecordingMedia"],
};

/** Links to operations that take the id of a created object or of the first item of a list. */
export const linksOf = (name: OperationName, { method, path }: Operation, operations: readonly Entry[]) => {
	const collection = method === "POST" || method === "GET" ? path : undefined;
	const below = operations.filter(([, other]) => other.path.startsWith(`${collection}/{id}`)).map(([other]) => other);
	const known = elsewhere[name]?.filter((other) => operations.some(([each]) => each === other)) ?? [];
	const targets = path.includes("{id}") ? known : [...below, ...known];
	if (targets.length === 0) return {};
	const id = method === "GET" ? "$response.body#/data/0/id" : "$response.body#/id";
	return {
		links: Object.fromEntries(targets.map((operationId) => [operationId, { operationId, parameters: { id } }])),
	};
};
