/** Functions that read trunks and webhooks of the account, without their secrets. */
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

/** @param secret the output that isn't shown */
const reading = <R extends Referenced>(
	definition: Definition<R>,
	outputs: Outputs,
	secret: string,
	example: string,
): FunctionDefinition => ({
	description: `Reads any ${definition.noun} of the account, managed by this stack or not. It doesn't return the ${secret}. Changes nothing.`,
	example: `{ id: "${example}" }`,
	inputs: {
		id: { type: z.string().min(1), description: `The service's id, such as \`${example}\`.`, required: true },
	},
	outputs: objectOf(shownFields(definition.properties, outputs)).form,
	async run(service, { id }) {
		const record = (await kinds[definition.noun](service.client).get(String(id).trim())) as unknown as R;
		return { id: record.id, ...lookedUp(definition, record) };
	},
});

export const getTrunk = reading(sipTrunk, sipTrunkOutputs, "password", "trk_01");
export const getWebhook = reading(webhook, webhookOutputs, "secret", "whk_01");
