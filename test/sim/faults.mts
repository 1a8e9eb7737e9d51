/**
 * Faults of behaviour, each of which breaks a promise. An exported function or a method of the build is replaced before a
 * story begins, so a fault survives a refactoring that keeps the function. Stryker changes the lines.
 */
import { createRequire } from "node:module";
import type { ProfileName } from "./profiles.mts";

const require = createRequire(import.meta.url);
const provider = <M,>(path: string): M => require(`../../dist/provider/${path}.js`) as M;

const decide = provider<typeof import("../../provider/lifecycle/decide.ts")>("lifecycle/decide");
const claims = provider<typeof import("../../provider/ownership/claim.ts")>("ownership/claim");
const owners = provider<typeof import("../../provider/ownership/ownership.ts")>("ownership/ownership");
const references = provider<typeof import("../../provider/ownership/reference.ts")>("ownership/reference");
const { AccountCheck } = provider<typeof import("../../provider/reads/account-check.ts")>("reads/account-check");
const { Evidence } = provider<typeof import("../../provider/reads/evidence.ts")>("reads/evidence");
const { SharedReads } = provider<typeof import("../../provider/reads/reads.ts")>("reads/reads");
const staleness = provider<typeof import("../../provider/session/staleness.ts")>("session/staleness");
const limits = provider<typeof import("../../provider/session/limits.ts")>("session/limits");
const resource = provider<typeof import("../../provider/lifecycle/resource.ts")>("lifecycle/resource");
const secret = provider<typeof import("../../provider/lifecycle/secret.ts")>("lifecycle/secret");
const open = provider<typeof import("../../provider/properties/open.ts")>("properties/open");
const table = provider<typeof import("../../provider/properties/table.ts")>("properties/table");
const canonical = provider<typeof import("../../provider/properties/canonical.ts")>("properties/canonical");
const retry = provider<typeof import("../../provider/api/retry.ts")>("api/retry");
const { Secrets } = provider<typeof import("../../provider/api/redact.ts")>("api/redact");
const kyc = provider<typeof import("../../provider/resources/number/kyc.ts")>("resources/number/kyc");
const pool = provider<typeof import("../../provider/resources/number-pool/plan.ts")>("resources/number-pool/plan");
const forecast = require("../../dist/cli/plan/forecast.js") as typeof import("../../cli/plan/forecast.ts");

interface Fault {
	/** The stories that find it. */
	readonly profile: ProfileName;
	/** The most stories to tell. Default: 100. */
	readonly trials?: number;
	plant(): void;
}

/** Replaces an exported function in all modules that import it, or a method of a prototype. */
function replace<M extends object, K extends keyof M>(module: M, name: K, replacement: (original: M[K]) => M[K]): void {
	Object.assign(module, { [name]: replacement(module[name]) });
}

/** Replaces what a delete does. */
const instead = (from: "forget" | "keep" | "retain") => () =>
	replace(decide, "decideDelete", (original) => (facts) => {
		const action = original(facts);
		return action.do === from ? { do: "end" } : action;
	});

export const faults: Readonly<Record<string, Fault>> = {
	// ---- Buying: once
	"an interrupted purchase isn't found": {
		profile: "rename",
		plant: () => replace(decide, "decideCreate", (original) => (facts) => original({ ...facts, live: [] })),
	},
	"each try has another key": {
		profile: "kill",
		plant: () =>
			replace(claims, "purchaseKey", (original) => (claim, counter) => original(claim, counter) + Math.random()),
	},
	"a possible purchase of a killed run stops nothing": {
		profile: "services",
		plant: () => replace(decide, "decideCreate", (original) => (facts) => original({ ...facts, candidates: [] })),
	},
	"a purchase without a key is repeated": {
		profile: "services",
		plant: () =>
			replace(
				retry,
				"retryDelay",
				(original) =>
					(failed, { attempt }, ...rest) =>
						original(failed, { attempt, isRepeatable: true }, ...rest),
			),
	},
	"stacks share their declarations": {
		profile: "stacks",
		plant: () =>
			replace(claims, "identityFrom", (original) => (claimant, values, ...rest) => {
				const __resourceUrn = String(values.__resourceUrn).replace(/^urn:pulumi:[^:]+/, "urn:pulumi:any");
				return original(claimant, { ...values, __resourceUrn }, ...rest);
			}),
	},
	"a number isn't saved if its configuration fails": {
		profile: "faults",
		plant: () =>
			replace(resource, "InitError", () => {
				class NotSaved extends Error {
					constructor(_id: string, _saved: unknown, error: unknown) {
						super(String(error));
					}
				}
				return NotSaved as unknown as typeof resource.InitError;
			}),
	},
	// ---- Deleting: what the saved state says
	"a retained number is released": { profile: "kill", plant: instead("retain") },
	"a number that another run has claimed is released": { profile: "claims", plant: instead("forget") },
	"a replaced number that this run has resumed is released": { profile: "services", plant: instead("keep") },
	"a retained number isn't marked": {
		profile: "kill",
		plant: () =>
			replace(
				references,
				"formatReference",
				(original) => (claim, lease) =>
					original(claim, lease === references.retainedLease ? references.freshLease() : lease),
			),
	},
	"a pool releases one number too many": {
		profile: "pools",
		plant: () =>
			replace(pool, "planOf", (original) => (...facts) => {
				const { staying, removing, ...plan } = original(...facts);
				return { ...plan, staying: staying.slice(0, -1), removing: [...removing, ...staying.slice(-1)] };
			}),
	},
	"a run releases one number more than its limit": {
		profile: "limits",
		plant: () =>
			replace(limits, "limitsIn", (original) => (text) => {
				const parsed = original(text);
				return parsed?.maxReleases === undefined ? parsed : { ...parsed, maxReleases: parsed.maxReleases + 1 };
			}),
	},
	// ---- Claims
	"somebody else's claim is overwritten": {
		profile: "claims",
		plant: () =>
			replace(owners, "ownership", (original) => (...facts) => {
				const owner = original(...facts);
				return owner === "foreign" ? "ours" : owner;
			}),
	},
	"a new name isn't written into the reference": {
		profile: "rename",
		plant: () => replace(owners, "isToBeClaimed", () => () => false),
	},
	"each write has the same lease": {
		profile: "rename",
		plant: () => replace(references, "freshLease", () => () => "samesame"),
	},
	"leases without a response are forgotten": {
		profile: "faults",
		trials: 200,
		plant: () => replace(open, "openIn", (original) => (outputs) => ({ ...original(outputs), leases: [] })),
	},
	// ---- The account
	"numbers are bought on any account": {
		profile: "account",
		plant: () => replace(AccountCheck.prototype, "assertOwn", () => async () => {}),
	},
	"numbers are forgotten on any account": {
		profile: "account",
		plant: () => replace(AccountCheck.prototype, "judge", () => (_object, read) => read()),
	},
	"the own account proves nothing": {
		profile: "account",
		plant: () => replace(Evidence.prototype, "noteShown", () => () => "same"),
	},
	// ---- Pending
	"a run doesn't wait for KYC": {
		profile: "kyc",
		plant: () => replace(kyc, "waitForActive", () => async () => {}),
	},
	// ---- Drift and confirmation
	"a removed property isn't cleared": {
		profile: "kill",
		plant: () =>
			replace(
				table,
				"patchBody",
				(original) =>
					(...sides) =>
						Object.fromEntries(Object.entries(original(...sides)).filter(([, value]) => value !== null)),
			),
	},
	"metadata isn't compared": {
		profile: "spelling",
		plant: () =>
			replace(table, "declaredOutputs", (original) => (properties, props, ...rest) => ({
				...original(properties, props, ...rest),
				...(props.metadata === undefined ? {} : { metadata: props.metadata }),
			})),
	},
	"the order of a set counts": {
		profile: "spelling",
		plant: () =>
			replace(table, "declaredOutputs", (original) => (properties, props, live, ...rest) => {
				const sets = Object.entries(live).filter(([key]) => key in props && properties[key]?.form?.kind === "set");
				return { ...original(properties, props, live, ...rest), ...Object.fromEntries(sets) };
			}),
	},
	"another password isn't noticed": {
		profile: "spelling",
		plant: () => replace(canonical, "sameMarker", () => () => true),
	},
	"responses older than the last write are believed": {
		profile: "lag",
		plant: () => {
			replace(staleness, "settled", () => (_session, _service, _saved, read) => read());
			replace(
				staleness,
				"settledRead",
				(original) => (session, service, read) =>
					original(session, service, {
						...read,
						object: { ...read.object, saved: { ...read.object.saved, updatedAt: undefined } },
					}),
			);
		},
	},
	"each update makes another secret": {
		profile: "kill",
		plant: () => replace(secret, "secretBefore", () => () => secret.lost),
	},
	// ---- Secrets, plans and speed
	"secrets aren't masked": {
		profile: "secrets",
		plant: () => {
			replace(Secrets.prototype, "mask", () => (text) => text);
			replace(Secrets.prototype, "maskOnly", () => (text) => text);
		},
	},
	"a plan forecasts no resumed number": {
		profile: "plan",
		plant: () =>
			replace(forecast, "forecastOf", (original) => async (facts) => ({ ...(await original(facts)), resumes: [] })),
	},
	"each object is read alone": {
		profile: "soak",
		trials: 3,
		plant: () =>
			replace(
				SharedReads.prototype,
				"read",
				() =>
					function (this: InstanceType<typeof SharedReads>, id: string) {
						return this.readCurrent(id);
					} as typeof SharedReads.prototype.read,
			),
	},
};

/** @throws RangeError for an unknown name */
export function faultOf(name: string): Fault {
	const fault = faults[name];
	if (fault === undefined) throw new RangeError(`--fault must be one of: ${Object.keys(faults).join("; ")}.`);
	return fault;
}
