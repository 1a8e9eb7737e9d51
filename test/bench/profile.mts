/** B10: whose time a run without changes takes. Node.js samples each of its processes; the engine has the rest. */
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Figure, type Plan, Samples } from "./measure.mts";
import { programs } from "./programs.mts";
import { onNewAccount, type Stack } from "./stacks.mts";

interface ProfileNode {
	readonly id: number;
	readonly callFrame: { readonly functionName: string; readonly url: string };
	readonly children?: readonly number[];
}
interface Profile {
	readonly nodes: readonly ProfileNode[];
	readonly samples: readonly number[];
	/** Microseconds. */
	readonly timeDeltas: readonly number[];
}

/** By the module that a function is in, the first that fits. What Node itself does counts for its caller. */
const owners: readonly (readonly [owner: string, module: RegExp])[] = [
	["HTTP client (undici)", /node_modules\/undici\//],
	["our code", /\/dist\/|\/pulumi-telephony\//],
	["gRPC and protobuf", /node_modules\/(@grpc|google-protobuf|protobufjs|@pulumi\/pulumi\/proto)\//],
	["TypeScript", /node_modules\/typescript\/|ts-node/],
	["Pulumi's SDK and what it loads", /node_modules\//],
	["the program", /index\.ts$/],
];
/** Which process it is, by a module that only that one has. */
const roles: readonly (readonly [role: string, module: RegExp])[] = [
	["provider", /cmd\/dynamic-provider\/|bundle\/plugin\/main/],
	["program", /@pulumi\/pulumi\/cmd\/run\//],
];
const collector = "(garbage collector)";
const startAndRest = "Node.js itself";

const operations = [
	["preview", "--expect-no-changes"],
	["refresh", "--yes", "--skip-preview"],
] as const;

export async function measureProfiles({ progress }: Plan, count: number): Promise<Figure[]> {
	const { dynamic = "", plugin = "" } = programs(count);
	const figures: Figure[] = [];
	await onNewAccount(0, { dynamic, plugin }, async (stacks) => {
		for (const stack of stacks) {
			progress(`B10: ${stack.name}, up`);
			await stack.pulumi("up", ["--yes", "--skip-preview"]);
			for (const [operation, ...args] of operations) {
				progress(`B10: ${stack.name}, ${operation}`);
				const setting = `${count.toLocaleString("en")} numbers, ${stack.name}`;
				const samples = new Samples({ benchmark: "B10", work: operation, setting, unit: "ms" });
				for (const [owner, ms] of await profiled(stack, operation, args)) samples.add(owner, ms);
				figures.push(...samples.figures());
			}
		}
	});
	return figures;
}

/** CPU milliseconds by process and owner, the most first; last all. */
async function profiled(stack: Stack, operation: string, args: readonly string[]): Promise<[string, number][]> {
	const folder = mkdtempSync(join(tmpdir(), "telephony-profile-"));
	try {
		const all = await stack.cpuMs(operation, args, { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` });
		const profiles = globSync(join(folder, "*.cpuprofile")).map(
			(file) => JSON.parse(readFileSync(file, "utf8")) as Profile,
		);
		const shares = profiles.flatMap(sharesOf).sort(([, one], [, other]) => other - one);
		const known = shares.reduce((sum, [, ms]) => sum + ms, 0);
		return [...shares, ["engine, and other threads of Node.js", all - known], ["all", all]];
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function sharesOf({ nodes, samples, timeDeltas }: Profile): [string, number][] {
	const role = roles.find(([, module]) => nodes.some(({ callFrame }) => module.test(callFrame.url)))?.[0];
	if (role === undefined) return [];
	const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const ownerOf = (id: number | undefined): string => {
		const frame = byId.get(id ?? -1)?.callFrame;
		if (frame === undefined) return startAndRest;
		if (frame.functionName === collector || frame.functionName === "(idle)") return frame.functionName;
		const found = owners.find(([, module]) => module.test(frame.url));
		return found?.[0] ?? ownerOf(parents.get(id ?? -1));
	};
	const spent = new Map<string, number>();
	for (const [index, id] of samples.entries()) {
		const owner = ownerOf(id);
		spent.set(owner, (spent.get(owner) ?? 0) + (timeDeltas[index] ?? 0) / 1000);
	}
	spent.delete("(idle)");
	return [...spent].map(([owner, ms]) => [`${role}: ${owner.replace(/[()]/g, "")}`, ms]);
}
