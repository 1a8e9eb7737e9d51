/** Why a number was not released, and what to do: each way out is typed to its end by test/engine/ways-out.test.ts. */
import { TelephonyError } from "../../api/errors";
import type { MessageCode } from "../../api/message-codes";
import type { Refused } from "../../ownership/beside";
import { parseUrn } from "../../ownership/claim";
import type { Values } from "../../properties/table";
import { criteriaOf } from "./properties";

export interface Refusal {
	/** The number in messages. */
	readonly what: string;
	readonly id: string;
	/** The entry's outputs. */
	readonly props: Values;
	/** What the same resource declares now; absent if the program has it no longer. */
	readonly wanted?: Values | undefined;
	/** The run has the stack's configuration of today. */
	readonly isConfigured: boolean;
	/** What was bought beside it, and for which resource, if this run declares that. */
	readonly other?: { readonly name: string; readonly urn: unknown } | undefined;
}

export function refusal(verdict: Refused, refused: Refusal): TelephonyError {
	const { what, props, wanted } = refused;
	const code: Record<Refused, MessageCode> = {
		remembered: wanted === undefined ? "rename" : "replacement-refused",
		protected: "release-protected",
		unasked: "replacement-refused",
		duplicate: "duplicate",
	};
	const text = `The ${what} of \`${nameIn(props)}\` was not released: ${whys[verdict](refused)} ${keep(verdict, refused)} ${letGo(verdict, refused)}`;
	return new TelephonyError("Conflict", text, { messageCode: code[verdict] });
}

const nameIn = ({ resourceUrn }: Values): string => parseUrn(String(resourceUrn)).name;

const whys: Record<Refused, (refused: Refusal) => string> = {
	remembered: ({ other, wanted }) =>
		`${other?.name ?? "another number"} was bought${boughtFor(other?.urn)} while ${wanted === undefined ? "no resource of the program had this one, as happens when a resource is renamed, or moved into a component, without `aliases`" : "this one was still there, and the program didn't say that it may go"}. No later run releases it either.`,
	protected: () => "it is protected by `releaseProtection`.",
	unasked: ({ props, wanted = {} }) =>
		`the program now asks for other criteria (${JSON.stringify(criteriaOf(wanted))} instead of ${JSON.stringify(criteriaOf(props))}), and doesn't say that the old number may go.`,
	duplicate: () =>
		"the program still declares the same, and another number was bought in its place, as happens when `telephony:owner` changes together with a replacement.",
};

const boughtFor = (urn: unknown): string => (typeof urn === "string" ? ` for \`${parseUrn(urn).name}\`` : "");

function keep(verdict: Refused, { id, props, wanted }: Refusal): string {
	const adopt = `declare it in a resource of its own, with \`adopt: ${JSON.stringify(id)}\``;
	if (typeof props.pool === "string") {
		const pool = parseUrn(props.pool).name;
		return wanted === undefined
			? `To keep it, put the pool \`${pool}\` back and run \`pulumi up\`, which releases what was bought instead; then rename it with \`aliases: [{ name: ${JSON.stringify(pool)} }]\`. Or ${adopt}.`
			: `To keep it, ${adopt}.`;
	}
	if (wanted !== undefined && isOtherKind(props, wanted))
		return `To keep it, put the old criteria back with \`allowReplacement: true\`, which takes it over again and releases what was bought instead. To keep both, ${adopt}.`;
	if (wanted !== undefined) return `To keep it as well, ${adopt}.`;
	const name = nameIn(props);
	if (verdict === "protected")
		return `While the program declares it, set \`releaseProtection: false\` and run \`pulumi up\`; then it can be removed. To keep it, declare it again; or ${adopt}; or only forget it, with \`pulumi state delete '${String(props.resourceUrn)}'\`.`;
	return `To keep it, put the old name and parent back and run \`pulumi up\`, which releases what was bought instead; then rename with \`aliases: [{ name: ${JSON.stringify(name)} }]\`, or move with \`aliases: [{ parent: pulumi.rootStackResource }]\` or the old parent. Or ${adopt}.`;
}

const isOtherKind = (props: Values, wanted: Values): boolean =>
	typeof props.pool !== "string" &&
	props.releaseProtection !== true &&
	JSON.stringify(criteriaOf(props)) !== JSON.stringify(criteriaOf(wanted));

/** The change's own word, and the two for this very number. */
function letGo(verdict: Refused, { id, props, wanted, isConfigured }: Refusal): string {
	const isItsOwn = verdict !== "protected" && wanted !== undefined && isOtherKind(props, wanted);
	const ways = [
		...(isItsOwn ? ["set `allowReplacement: true` and run `pulumi up`"] : []),
		...(isConfigured ? [`run \`pulumi config set telephony:release ${id}\` and \`pulumi up\``] : []),
		`run \`telephony release ${id} --stack ${parseUrn(String(props.resourceUrn)).stack}\``,
	];
	return `To release it, ${ways.join("; or ")}.`;
}
