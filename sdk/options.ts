/** Refuses resource options that would not work as documented; docs/limits.md lists the others. */
import * as pulumi from "@pulumi/pulumi";

/** @throws pulumi.RunError, before anything is registered */
export function assertOptions(resource: string, opts: pulumi.CustomResourceOptions = {}): void {
	const problem = problemOf(opts);
	if (problem !== undefined) throw new pulumi.RunError(`${resource}: ${problem} [telephony:option-refused]`);
}

function problemOf(opts: pulumi.CustomResourceOptions): string | undefined {
	if (opts.import !== undefined)
		return "the option `import` doesn't work with dynamic resources. To adopt an object of the account, leave it out and set the property `adopt` to its id.";
	if (opts.customTimeouts !== undefined)
		return "the option `customTimeouts` is refused: the engine passes no timeouts on to dynamic resources. Leave it out, and set the property `activationTimeoutSeconds` (of an Activation, `timeoutSeconds`). With the plugin the option works.";
	if (opts.deletedWith !== undefined)
		return "the option `deletedWith` is refused: the engine would forget the resource without deleting it at the service, and you would still be billed for a number. Leave it out; `dependsOn` sets the order of deletions.";
	for (const option of ["pluginDownloadURL", "version"] as const)
		if (opts[option] !== undefined)
			return `the option \`${option}\` is refused: the provider is the package in \`node_modules\`. With this option the engine serves the program from two processes, and neither knows what the other has done. Leave it out.`;
	if (opts.provider !== undefined || inheritsProvider(opts.parent))
		return "the option `provider` is refused: dynamic resources serve one account per program, the one of telephony:apiKey. Leave the provider out here and in its parents, and use another stack for another account.";
	return undefined;
}

/** True if a component passes on a provider of ours. Providers of other packages don't matter. */
const inheritsProvider = (parent: pulumi.Resource | undefined): boolean =>
	pulumi.Resource.isInstance(parent) &&
	["telephony", "pulumi-nodejs"].some((name) => parent.getProvider(`${name}:index:Any`) !== undefined);
