/** The dynamic provider: a Pulumi resource whose code in the state is one constant line that loads the provider. */
import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
// Types only: at run time the text in the state loads the provider by name.
import type * as provider from "../provider";
import { assertOptions } from "./options";
import { UntracedResource } from "./resource";

/** By name: the declarations of this file must not lead to those of the provider, which need zod. */
type HandlerName = "activation" | "kycProfile" | "number" | "numberPool" | "portOrder" | "sipTrunk" | "webhook";

/** Frozen: stack states hold this text forever, and refresh and destroy run it. */
export function providerText(handler: HandlerName): string {
	const name: keyof typeof provider = handler;
	return `exports.handler = () => require("pulumi-telephony/provider").${name};`;
}

export interface Definition {
	readonly handler: HandlerName;
	/** Type name after `pulumi-nodejs:dynamic/telephony:`. */
	readonly type: string;
	/** All pure outputs: a property that isn't listed doesn't become an output. */
	readonly outputs: readonly string[];
	readonly secretOutputs: readonly string[];
	readonly inputs: readonly string[];
}

/** Base class of the resources, not for programs. */
export abstract class TelephonyResource extends UntracedResource {
	protected constructor(
		definition: Definition,
		name: string,
		args: object | undefined,
		opts: pulumi.CustomResourceOptions | undefined,
	) {
		assertOptions(`${definition.type} "${name}"`, opts);
		assertInstalled();
		const type = `pulumi-nodejs:dynamic/telephony:${definition.type}`;
		const absent = Object.fromEntries([...definition.inputs, ...definition.outputs].map((key) => [key, undefined]));
		const organization = namedOrganization();
		// Unknown keys are passed on, so that check can name them.
		const props = {
			...absent,
			...args,
			__provider: providerText(definition.handler),
			// The engine doesn't tell a dynamic resource's create its own URN. It shows no key with this prefix in a diff.
			__resourceUrn: plainUrn(pulumi.createUrn(name, type, opts?.parent)),
			...(organization === undefined ? {} : { organization }),
		};
		warnOfClearKey();
		super(
			type,
			name,
			props,
			pulumi.mergeOptions(opts, {
				additionalSecretOutputs: [...definition.secretOutputs],
				// Deleting first would give up the old object before the new one exists.
				deleteBeforeReplace: false,
			}),
		);
	}
}

let isInstalled = false;

/**
 * The engine starts the provider's process in the program's folder. A strict package manager doesn't show it there what
 * only a component's own package depends on.
 *
 * @throws pulumi.RunError if the process won't find the provider
 */
function assertInstalled(): void {
	const isRun = /[\\/]@pulumi[\\/]pulumi[\\/]cmd[\\/]run([\\/]index(\.js)?)?$/.test(process.argv[1] ?? "");
	if (isInstalled || !isRun) return;
	const folder = process.cwd();
	try {
		createRequire(join(folder, "index.js")).resolve("pulumi-telephony/provider");
		isInstalled = true;
	} catch {
		throw new pulumi.RunError(
			`The program in ${folder} doesn't depend on pulumi-telephony, so its provider can't start. Nothing was changed. Add pulumi-telephony to the dependencies in the package.json of the program, beside the package that declares the resources. [telephony:provider-missing]`,
		);
	}
}

/** Undefined if there is none: such stacks are all in "organization", and a program's unit tests have no name. */
function namedOrganization(): string | undefined {
	try {
		const organization = pulumi.getOrganization();
		return organization === "organization" ? undefined : organization;
	} catch {
		return undefined;
	}
}

/**
 * The URN without its dependencies: an output made from a component's URN depends on everything in the component, so
 * the resource would wait for itself. A URN is always known, in previews too.
 */
const plainUrn = (urn: pulumi.Output<string>): Promise<string> => new Promise((resolve) => void urn.apply(resolve));

/** The SDK has a monitor for each run of a stack; several may run in one process. */
const warnedRuns = new WeakSet<object>();

/** The SDK doesn't declare this function. Its store has the secret keys of the run, also of an inline program. */
const { isConfigSecret } = pulumi.runtime as { readonly isConfigSecret?: (key: string) => boolean };

/** A key set without `--secret` is stored in plain text in the stack's file and in its state. */
function warnOfClearKey(): void {
	const key = "telephony:apiKey";
	if (pulumi.runtime.getConfig(key) === undefined || (isConfigSecret?.(key) ?? true)) return;
	const run = pulumi.runtime.getMonitor();
	if (run === undefined || warnedRuns.has(run)) return;
	warnedRuns.add(run);
	void pulumi.log.warn(
		"telephony:apiKey is set without --secret, so it is stored in plain text in the stack's configuration and state. Set it again with `pulumi config set --secret telephony:apiKey …` (or use TELEPHONY_API_KEY), and change the key at the service. [telephony:key-in-clear]",
	);
}
