import type { CreateWebhook, DeliveryRecord, PatchWebhook, WebhookRecord } from "../contract";
import type { ServiceResponse } from "../response";
import {
	type Body,
	type CallOptions,
	Collection,
	type CreateOptions,
	creation,
	idOf,
	items,
	type ListOptions,
	listing,
	type Removal,
} from "./collection";

export class Webhooks extends Collection<WebhookRecord, object> {
	protected readonly reads = { list: "listWebhooks", get: "getWebhook" } as const;

	/** Only this response shows the secret. */
	create(body: Body<CreateWebhook>, options: CreateOptions = {}): Promise<ServiceResponse<WebhookRecord>> {
		return this.transport.send("createWebhook", creation(body, options));
	}

	patch(id: string, body: Body<PatchWebhook>, options: CallOptions = {}): Promise<WebhookRecord> {
		return this.patched(id, body, options, "patchWebhook");
	}

	delete(id: string, options: CallOptions = {}): Promise<Removal> {
		return this.removed(id, options, "deleteWebhook");
	}

	/** Only this response shows the new secret. The previous one stays valid for a day. */
	async rotateSecret(id: string, options: CreateOptions = {}): Promise<WebhookRecord> {
		return (await this.transport.send("rotateSecret", { segment: id, ...creation({}, options) })).data;
	}

	/** Makes the service send a `webhook.test`, regardless of the webhook's events. */
	async test(id: string, options: CreateOptions = {}): Promise<DeliveryRecord> {
		return (await this.transport.send("testWebhook", { segment: id, ...creation(undefined, options) })).data;
	}

	/** The events that were sent to the webhook, with each attempt. */
	deliveries(id: string, options: ListOptions<"listDeliveries"> = {}): AsyncGenerator<DeliveryRecord, void, undefined> {
		const send = (call: object) => this.transport.list<DeliveryRecord>("listDeliveries", call);
		return items(listing(send, { segment: id, ...options }, idOf));
	}

	async delivery(deliveryId: string, { signal }: CallOptions = {}): Promise<DeliveryRecord> {
		return (await this.transport.send("getDelivery", { segment: deliveryId, signal })).data;
	}

	/** Sends the same event once more, with the same `webhook-id`. */
	async resend(deliveryId: string, options: CreateOptions = {}): Promise<DeliveryRecord> {
		const call = { segment: deliveryId, ...creation(undefined, options) };
		return (await this.transport.send("resendDelivery", call)).data;
	}
}
