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
export const linksOf = ([name, { method, path }]: Entry, operations: readonly Entry[], id: string) => {
	const collection = method === "POST" || method === "GET" ? path : undefined;
	const below = operations
		.filter(([, candidate]) => candidate.path.startsWith(`${collection}/{id}`))
		.map(([candidate]) => candidate);
	const fixedTargets =
		elsewhere[name]?.filter((target) => operations.some(([operationName]) => operationName === target)) ?? [];
	const targets = path.includes("{id}") ? fixedTargets : [...below, ...fixedTargets];
	if (targets.length === 0) return {};
	return {
		links: Object.fromEntries(targets.map((operationId) => [operationId, { operationId, parameters: { id } }])),
	};
};
