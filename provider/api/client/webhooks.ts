import type { Answer } from "../answer";
import type { CreateWebhook, DeliveryRecord, PatchWebhook, WebhookRecord } from "../contract";
import { Area, type Body, type CallOptions, type CreateOptions, create, items, type ListOptions } from "./area";

export class Webhooks extends Area {
	pages({ signal }: CallOptions = {}): AsyncGenerator<readonly WebhookRecord[], void, undefined> {
		return this.listing<WebhookRecord>("listWebhooks", { signal });
	}

	list(options: CallOptions = {}): AsyncGenerator<WebhookRecord, void, undefined> {
		return items(this.pages(options));
	}

	/** The answer is the only one that shows the secret. */
	create(body: Body<CreateWebhook>, options: CreateOptions = {}): Promise<Answer<WebhookRecord>> {
		return this.transport.send("createWebhook", create(body, options));
	}

	async get(id: string, { signal }: CallOptions = {}): Promise<WebhookRecord> {
		return (await this.transport.send("getWebhook", { segment: id, signal })).data;
	}

	patch(id: string, body: Body<PatchWebhook>, options: CallOptions = {}): Promise<WebhookRecord> {
		return this.patched("patchWebhook", { segment: id, body, signal: options.signal }, () => this.get(id, options));
	}

	delete(id: string, options: CallOptions = {}): Promise<void> {
		return this.removed("deleteWebhook", { segment: id, ...options }, () => this.get(id, options));
	}

	/** The answer is the only one that shows the new secret; the previous one stays valid for a day. */
	async rotateSecret(id: string, options: CreateOptions = {}): Promise<WebhookRecord> {
		return (await this.transport.send("rotateSecret", { segment: id, ...create({}, options) })).data;
	}

	/** Makes the service send a `webhook.test`, regardless of the webhook's events. */
	async test(id: string, options: CreateOptions = {}): Promise<DeliveryRecord> {
		return (await this.transport.send("testWebhook", { segment: id, ...create(undefined, options) })).data;
	}

	/** What was sent to it, with each attempt. */
	deliveries(
		id: string,
		{ signal, ...query }: ListOptions<"listDeliveries"> = {},
	): AsyncGenerator<DeliveryRecord, void, undefined> {
		return items(this.listing<DeliveryRecord>("listDeliveries", { segment: id, query, signal }));
	}

	async delivery(deliveryId: string, { signal }: CallOptions = {}): Promise<DeliveryRecord> {
		return (await this.transport.send("getDelivery", { segment: deliveryId, signal })).data;
	}

	/** The same event once more, with the same `webhook-id`. */
	async resend(deliveryId: string, options: CreateOptions = {}): Promise<DeliveryRecord> {
		return (await this.transport.send("resendDelivery", { segment: deliveryId, ...create(undefined, options) })).data;
	}
}
