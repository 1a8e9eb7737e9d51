/** The tables of states: the effect of each state in docs/drift.md, and the state of each status on a resource's page. */
import type { State } from "../../provider/drift/states.ts";
import type { Values } from "../../provider/properties/table.ts";
import { kycProfileStatuses, numberStatuses, portStatuses, resources, stateOf, states } from "./tables.mts";

const meanings: Readonly<Record<State, string>> = {
	active: "The object matches its declaration. An unknown status counts as active.",
	waiting: "The object isn't ready yet, and `up` doesn't wait for it.",
	"waiting, due": "The object isn't ready yet, and `up` waits for it or does the next step.",
	problem: "The object won't become ready, and `up` can't repair it.",
	"problem, due": "The object won't become ready as declared, and `up` tries again.",
	ended: "The object no longer exists.",
};

const rowOf = (...cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** The states, and what the commands show and do. */
export const statesTable = (): string =>
	[
		rowOf("State", "Meaning", "`pulumi preview`", "`pulumi refresh`", "`pulumi up`", "`telephony drift`"),
		"|---|---|---|---|---|---|",
		...Object.entries(states).map(([state, { preview, refresh, up, drift }]) =>
			rowOf(state, meanings[state as State], preview, refresh, up, drift),
		),
	].join("\n");

type Type = keyof typeof resources;
type Sample = readonly [status: string, outputs: Values];

const sampleOf = (status: string): Sample => [`\`${status}\``, { status }];
const samples: Partial<Record<Type, readonly Sample[]>> = {
	Number: [
		...numberStatuses.map(sampleOf),
		["`pending`, KYC `rejected` or `expired`", { status: "pending", kyc: { status: "rejected" } }],
		...["porting", "ported", "not_porting", "not_adoptable"].map(
			(status): Sample => [`\`${status}\``, { status, token: "", foundId: "" }],
		),
		["KYC required, without a KYC status", { kyc_required: true }],
	],
	SipTrunk: ["provisioning", "active", "disabled", "failed"].map(sampleOf),
	KycProfile: kycProfileStatuses.map(sampleOf),
	Activation: [
		["all numbers active", { numbers: [{ id: "num_01", status: "active" }] }],
		["a number `pending`", { numbers: [{ id: "num_01", status: "pending" }] }],
		[
			"a number `suspended`, `porting_out` or `deleted`, or its KYC `rejected` or `expired`",
			{ numbers: [{ id: "num_01", status: "deleted" }] },
		],
	],
	PortOrder: portStatuses.map(sampleOf),
};

/** Statuses of a resource with the same states. */
interface Line {
	readonly statuses: string[];
	readonly idle: State;
	readonly waiting: State;
}

function linesOf(type: Type, sampled: readonly Sample[]): Line[] {
	const { drift, definition } = resources[type] as {
		drift: (typeof resources)[Type]["drift"];
		definition?: { ended?(record: Values): string | undefined };
	};
	const lines: Line[] = [];
	for (const [status, outputs] of sampled) {
		const isEnded = definition?.ended?.(outputs) !== undefined;
		const stateIf = (isWaitedFor: boolean): State =>
			isEnded ? "ended" : stateOf(drift, outputs, drift.waitsIf === undefined ? {} : { [drift.waitsIf]: isWaitedFor });
		const [idle, waiting] = [stateIf(false), stateIf(true)];
		const line = lines.find((candidate) => candidate.idle === idle && candidate.waiting === waiting);
		if (line === undefined) lines.push({ statuses: [status], idle, waiting });
		else line.statuses.push(status);
	}
	return lines;
}

/** By resource: the state of each of its statuses. A pool's numbers are each in the state of a Number. */
export const statusTables = (): Readonly<Record<string, string>> =>
	Object.fromEntries(Object.entries(samples).map(([type, sampled]) => [type, statusTable(type as Type, sampled)]));

function statusTable(type: Type, sampled: readonly Sample[]): string {
	const option = resources[type].drift.waitsIf;
	const wait = (cell: string) => (option === undefined ? [] : [cell]);
	const head = ["Status", "State", ...wait(`State with \`${option}\``)];
	const rows = linesOf(type, sampled).map(({ statuses, idle, waiting }) =>
		rowOf(statuses.join(", "), idle, ...wait(waiting)),
	);
	return [rowOf(...head), `|${"---|".repeat(head.length)}`, ...rows].join("\n");
}
