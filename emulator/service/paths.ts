import { ServiceError } from "../request/errors";
import type { CallRow, Route, TrunkRow } from "../store/store";
import type { Service } from "./service";

const second = 1000;

/** The route of a call, with its trunk if it has one. */
export interface Path {
	readonly route: Route | null;
	readonly trunk: TrunkRow | null;
}

const callsOn = ({ store }: Service, trunk: TrunkRow): CallRow[] => store.calls.with("trunk_id", trunk.id);

/** Returns the trunk of a route, or null. @throws ServiceError if the route can't take a call now */
const trunkOf = (service: Service, route: Route | null): TrunkRow | null => {
	if (route?.type !== "trunk") return null;
	const id = String((route as { trunk_id?: unknown }).trunk_id);
	const trunk = service.store.trunks.get(id);
	if (trunk === undefined) {
		throw new ServiceError("invalid_reference", `There is no trunk ${JSON.stringify(id.slice(0, 64))}.`, [
			{ field: "route.trunk_id", message: "there is no such trunk" },
		]);
	}
	if (trunk.status === "disabled") {
		throw new ServiceError("trunk_disabled", `Trunk ${id} is disabled: enable it first.`);
	}
	const used = callsOn(service, trunk).filter(({ ended_at }) => ended_at === null).length;
	if (used < trunk.capacity) return trunk;
	const max = trunk.capacity;
	throw new ServiceError("capacity_exceeded", `All ${max} channels of trunk ${id} are in use.`, { max });
};

/** Returns the route or its failover. @throws ServiceError if neither can take a call now */
export const pathOf = (service: Service, route: Route | null): Path => {
	try {
		return { route, trunk: trunkOf(service, route) };
	} catch (refusal) {
		const failover = (route?.failover ?? null) as Route | null;
		if (failover === null) throw refusal;
		try {
			return { route: failover, trunk: trunkOf(service, failover) };
		} catch {
			throw refusal;
		}
	}
};

/** Returns when a call may start: a trunk starts at most `cps` calls per second. */
export const slotOf = (service: Service, trunk: TrunkRow | null, earliest: number): number => {
	if (trunk === null || trunk.cps === null) return earliest;
	const starts = callsOn(service, trunk)
		.map(({ started_at, next_at, status }) => started_at ?? (status === "queued" ? next_at : null))
		.flatMap((at) => (at === null ? [] : [Date.parse(at)]))
		.filter((at) => at > earliest - second)
		.sort((a, b) => a - b);
	const before = starts.at(-trunk.cps);
	return before === undefined ? earliest : before + second;
};
