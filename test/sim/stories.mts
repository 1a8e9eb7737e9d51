/** Stories that chance tells too seldom. Each profile tells its own before its random ones. */
import type { FaultRequest } from "../../emulator/index.ts";
import type { ServiceName } from "./account.mts";
import type { Args, Kind } from "./kinds/index.mts";
import type { RunOptions, Step } from "./story.mts";
import { always } from "./troubles.mts";

interface Story {
	/** Default: full. */
	readonly service?: ServiceName;
	readonly steps: readonly Step[];
}

const declare = (args: Args = {}, name = "number0", kind: Kind = "number"): Step => ({
	do: "declare",
	declared: { kind, name, args: kind === "number" ? { country: "NL", type: "mobile", ...args } : args },
});
const change = (args: Args): Step => ({ do: "change", name: "number0", args });
const up = (run: RunOptions = {}): Step => ({ do: "up", run });
const refresh = (run: RunOptions = {}): Step => ({ do: "refresh", run });
const killedAfter = (operation: "buyNumber" | "patchNumber" | "createTrunk"): RunOptions => ({
	trouble: { what: "kill", how: { operations: [operation], nth: 1, phase: "after" } },
});
const failing = (...how: readonly FaultRequest[]): RunOptions => ({ trouble: { what: "failure", how } });
const lagging = (ms: number): RunOptions => ({ trouble: { what: "lag", how: { readMs: ms, listMs: ms } } });
const refused = failing({ operation: "patchNumber", nth: always, kind: "status", status: 503, phase: "before" });
const gateway = { operation: "listNumbers", nth: always, kind: "html", phase: "before", status: 404 } as const;
const emptyPage = { operation: "listNumbers", nth: always, kind: "empty_page", phase: "after" } as const;
const notOffered = {
	operation: "getNumber",
	nth: always,
	kind: "status",
	status: 404,
	error: "operation_not_offered",
	phase: "before",
} as const;
const trunk = { auth: { mode: "digest", username: "office" }, name: "a", capacity: 1 };
const webhook = { url: "https://hooks.example.com/a", events: ["message.received"] };
const disabled = { name: "webhook0", property: "enabled", patch: { enabled: false } };
const portOrder = (...numbers: readonly string[]) => ({
	numbers,
	country: "NL",
	carrier: { name: "Old Telecom", accountNumber: "A-0", pin: "pin-s3cr3t" },
	subscriber: { name: "Example a", address: "Damrak 1, Amsterdam" },
});
const day = 25 * 3_600_000;

export const stories: Readonly<Record<string, readonly Story[]>> = {
	kill: [
		// The killed run wrote metadata that the program no longer declares.
		{
			steps: [
				declare({ label: "a" }),
				up(),
				change({ metadata: { site: "x" } }),
				up(killedAfter("patchNumber")),
				change({ metadata: null }),
				refresh(),
				up(),
			],
		},
	],
	rename: [
		// The run is killed before it deletes the replaced resource, whose state would release the number.
		{
			steps: [
				declare({ onDelete: "release" }),
				up(),
				up({ replace: ["number0"] }),
				change({ onDelete: "retain" }),
				up({
					replace: ["number0"],
					trouble: { what: "kill", how: { operations: ["getNumber"], nth: 2, phase: "before" } },
				}),
				{ do: "remove", name: "number0" },
				up({ parallel: 1 }),
			],
		},
	],
	lag: [
		{ steps: [declare(), up(killedAfter("buyNumber")), up(lagging(15_000))] },
		{ steps: [declare(), up(), refresh(lagging(5_000))] },
		{
			steps: [declare(trunk, "trunk0", "sipTrunk"), up(killedAfter("createTrunk")), up(lagging(5_000))],
		},
		// The second refresh restores the value from before the edit.
		{
			steps: [
				declare(webhook, "webhook0", "webhook"),
				up(),
				{ do: "suffer", trouble: { what: "pause", how: 60_000 } },
				{ do: "suffer", trouble: { what: "edit", how: disabled } },
				refresh(),
				refresh(lagging(15_000)),
			],
		},
	],
	filings: [
		// A new order takes the former name of another one, and resumes its order.
		{
			steps: [
				declare(portOrder("+31201000004"), "portOrder1", "portOrder"),
				up(),
				{ do: "rename", name: "portOrder1", to: "portOrder3", hasAlias: true },
				declare(portOrder("+31201000008"), "portOrder1", "portOrder"),
				up({ parallel: 1 }),
				up({ parallel: 4 }),
				up({ parallel: 1 }),
			],
		},
	],
	faults: [
		// A property that a failed request was to clear.
		{ steps: [declare({ label: "a" }), up(), change({ label: null }), up(refused), refresh(), up()] },
		// Neither the list nor a single read shows the number.
		{ steps: [declare(), up(), refresh(failing(emptyPage, notOffered))] },
		// A day later no key finds the number, and a gateway answers for the list.
		{
			steps: [
				declare(),
				up(killedAfter("buyNumber")),
				{ do: "suffer", trouble: { what: "pause", how: day } },
				up(failing(gateway)),
			],
		},
	],
	services: [
		{ service: "no-key", steps: [declare(), up(killedAfter("buyNumber")), up()] },
		// Without a key, a purchase that lost its response is never repeated.
		{
			service: "no-key",
			steps: [declare(), up(failing({ operation: "buyNumber", nth: 1, kind: "reset", phase: "after" })), up()],
		},
		// The killed run has bought and configured the number, so it looks as declared.
		{ service: "neither", steps: [declare({ label: "a" }), up(killedAfter("patchNumber")), up()] },
	],
	kyc: [
		{
			steps: [
				{ do: "suffer", trouble: { what: "policy", how: "1s" } },
				...Array.from({ length: 12 }, (_, index) => declare({ country: "DE" }, `number${index}`)),
				up({ parallel: 12 }),
			],
		},
	],
};
