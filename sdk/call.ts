/** Calls functions in the program's process, with the stack's configuration. */
import * as pulumi from "@pulumi/pulumi";

/** Arguments of which some, or some of their items, may not be known yet. */
export type Inputs<Args> = { readonly [Key in keyof Args]: pulumi.Input<Items<Args[Key]>> };
type Items<Value> = Value extends object ? { [Key in keyof Value]: pulumi.Input<Value[Key]> } : Value;

const settings = [
	"telephony:apiKey",
	"telephony:baseUrl",
	"telephony:allowHttp",
	"telephony:owner",
	"telephony:features",
	"telephony:service",
] as const;

/** The provider's code is loaded by the first call. */
export async function call<Result>(name: string, args: object): Promise<Result> {
	const config = new pulumi.Config("telephony");
	const configured = Object.fromEntries(settings.map((key) => [key, config.get(key.replace("telephony:", ""))]));
	const { callFromProgram } = await import("../provider/functions/program.js");
	return (await callFromProgram(name, { ...args }, configured)) as Result;
}

export const later = <Args extends object, Result>(args: Inputs<Args>, run: (args: Args) => Promise<Result>) =>
	pulumi.output(args).apply((resolved) => run(resolved as Args)) as pulumi.Output<Result>;
