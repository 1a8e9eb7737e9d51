/** Port orders, which bring numbers to the account. */
import { documentOf, documentOperations, secretMark } from "../documents.mts";
import { labels, ofContract, type SimulatedKind } from "./kind.mts";

const underWay = ["submitted", "in_review", "scheduled"];

export const portOrder: SimulatedKind = {
	...ofContract("portOrders", "cancelPortOrder"),
	besides: ["submitPortOrder", ...documentOperations],
	sameNamed: ["country"],
	computed: ["submittedAt", "scheduledAt", "completedAt", "exceptions", "numberIds"],
	ended: ["failed", "cancelled"],
	ending: ["cancel_pending"],
	isUnderWay: ({ status }) => status !== "completed",
	locked: ["port_in_progress"],
	decisions: {
		when: { advance: underWay, complete: underWay, reject: underWay, cancel: [...underWay, "draft", "exception"] },
		good: "complete",
		take(control, { id }, what) {
			control.decidePortOrder(id, what as "cancel");
			return [id];
		},
	},
	// No other order names these numbers.
	fixed: (_random, _countries, count) => ({ numbers: [0, 1].map((index) => `+3120${1_000_000 + count * 2 + index}`) }),
	configuration(random) {
		const version = random.int(0, 2);
		return {
			country: "NL",
			carrier: { name: "Old Telecom", accountNumber: `A-${version}`, pin: `pin-${secretMark}` },
			subscriber: { name: `Example ${random.pick(labels)}`, address: "Damrak 1, Amsterdam" },
			documents: [documentOf("letter_of_authorization", version)],
		};
	},
	brought({ name, args }, random) {
		const [adopt] = args.numbers as readonly string[];
		const fixed = { country: "NL", type: "geographic", adopt, label: "a", activationTimeoutSeconds: 60 };
		return { kind: "number", args: { ...fixed, waitForActive: random.chance(0.5) }, links: { port: name } };
	},
};
