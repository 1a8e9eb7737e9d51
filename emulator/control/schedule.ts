import { scheduleInvoice, startBilling } from "../areas/billing/billing";
import { scheduleCall } from "../areas/calls/calls";
import { scheduleRecording } from "../areas/calls/recordings";
import { scheduleKyc } from "../areas/kyc/kyc";
import { scheduleKycProfile } from "../areas/kyc/profiles";
import { scheduleMessage } from "../areas/messages/messages";
import { schedulePortOrder } from "../areas/port-orders/port-orders";
import { scheduleDelivery } from "../areas/webhooks/deliveries";
import type { Service } from "../service/service";

/** Sets all timers again from the rows. */
export const schedule = (service: Service): void => {
	for (const row of service.store.numbers) scheduleKyc(service, row);
	for (const row of service.store.kycProfiles) scheduleKycProfile(service, row);
	for (const row of service.store.calls) scheduleCall(service, row);
	for (const row of service.store.recordings) scheduleRecording(service, row);
	for (const row of service.store.messages) scheduleMessage(service, row);
	for (const row of service.store.portOrders) schedulePortOrder(service, row);
	for (const row of service.store.invoices) scheduleInvoice(service, row);
	startBilling(service);
	for (const row of service.store.deliveries) scheduleDelivery(service, row);
};
