/** Trunks and webhooks that the account has, whoever manages them. Their secrets are not shown. */
import { z } from "zod";
import type { Definition } from "../lifecycle/definition";
import { lookedUp } from "../lifecycle/lifecycle";
import type { Referenced } from "../ownership/claim";
import { objectOf } from "../properties/object";
import type { Outputs } from "../properties/table";
import { sipTrunk } from "../resources/sip-trunk/handler";
import { sipTrunkOutputs } from "../resources/sip-trunk/properties";
import { webhook } from "../resources/webhook/handler";
import { webhookOutputs } from "../resources/webhook/properties";
import { kinds } from "../session/kinds";
import { type FunctionDefinition, shownFields } from "./definition";

interface ReadableKind<R extends Referenced> {
	readonly definition: Definition<R>;
	readonly outputs: Outputs;
	/** What is not shown. */
	readonly secret: string;
	readonly example: string;
}

const reading = <R extends Referenced>({
	definition,
	outputs,
	secret,
	example,
}: ReadableKind<R>): FunctionDefinition => {
	const { noun, properties } = definition;
	return {
		description: `Reads any ${noun} of the account, managed by this stack or not. It doesn't return the ${secret}. Changes nothing.`,
		example: `{ id: "${example}" }`,
		inputs: {
			id: { type: z.string().min(1), description: `The service's id, such as \`${example}\`.`, required: true },
		},
		outputs: objectOf(shownFields(properties, outputs)).form,
		async run(service, { id }) {
			const record = (await kinds[noun](service.client).get(String(id).trim())) as unknown as R;
			return { id: record.id, ...lookedUp(definition, record) };
		},
	};
};

export const getTrunk = reading({
	definition: sipTrunk,
	outputs: sipTrunkOutputs,
	secret: "password",
	example: "trk_01",
});
export const getWebhook = reading({
	definition: webhook,
	outputs: webhookOutputs,
	secret: "secret",
	example: "whk_01",
});
