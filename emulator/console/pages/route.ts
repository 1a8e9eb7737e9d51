import { html } from "hono/html";
import type { Service } from "../../service/service";
import type { Route } from "../../store/store";
import { code, type Html, text } from "../html";

const targets = ["trunk_id", "uri", "to", "url", "agent_id"] as const;

/** The one value that says where a route leads, for every type of route. */
export const targetOf = (route: Route): string => {
	const values = route as Readonly<Record<string, unknown>>;
	return String(targets.map((name) => values[name]).find((value) => value !== undefined) ?? "");
};

/** The property that holds the target of a route of this type; undefined for one the API doesn't know. */
export const targetName = (type: string): (typeof targets)[number] | undefined =>
	(({ trunk: "trunk_id", sip_uri: "uri", forward: "to", webhook: "url", agent: "agent_id" }) as const)[type];

const leg = (service: Service, route: Route): Html => {
	const target = targetOf(route);
	const trunk = route.type === "trunk" ? service.store.trunks.get(target) : undefined;
	if (trunk !== undefined) return html`trunk <a href="/_console/trunks/${trunk.id}">${trunk.name}</a>`;
	return html`${route.type.replaceAll("_", " ")} ${target ? code(target) : ""}`;
};

/** Where calls to a number go, and where they go if nobody answers there. */
export const routing = (service: Service, route: Route | null): Html => {
	if (route === null) return text(null);
	const { failover } = route;
	return failover
		? html`${leg(service, route)}<small>else ${leg(service, failover as Route)}</small>`
		: leg(service, route);
};
