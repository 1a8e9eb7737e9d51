/** Webhooks, with a secret of the service's. */
import { ofContract, type SimulatedKind, some, urlOf } from "./kind.mts";

export const webhook: SimulatedKind = {
	...ofContract("webhooks"),
	besides: ["rotateSecret"],
	sameNamed: ["url"],
	compared: ["enabled", "secret"],
	secret: { of: ({ secret }) => secret, edits: { secret: ["secretHint", "secretVersion"] } },
	configuration: (random) => ({
		url: `https://hooks.example.com/${random.int(0, 9)}`,
		events: ["message.received"],
	}),
	elaborate: (random, name) => ({
		url: `https://Hooks.example.com/${name}`,
		events: random.pick([["message.received"], ["call.completed", "message.received"], ["*"]]),
		...some(random, "enabled", random.chance(0.5), 0.3),
	}),
	edits: ({ enabled }, random) => [
		["url", { url: urlOf(random) }],
		["events", { events: ["invoice.created"] }],
		["enabled", { enabled: enabled === false }],
		// The service disables a webhook after failed deliveries.
		["enabled", enabled === false ? undefined : { status: "disabled", disabled_reason: "failures" }],
		["secret", { rotate_secret: true }],
	],
};
