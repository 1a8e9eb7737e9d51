import { scheduleBilling, scheduleInvoice } from "./billing";
import { scheduleCall } from "./calls";
import { scheduleDelivery } from "./deliveries";
import { scheduleKyc } from "./kyc";
import { scheduleKycProfile } from "./kyc-profiles";
import { scheduleMessage } from "./messages";
import { schedulePortOrder } from "./port-orders";
import { scheduleRecording } from "./recordings";
import type { Service } from "./service";

/** Sets up again what falls due, from what the rows say: one line for each area that does something by itself. */
export const schedule = (service: Service): void => {
	for (const row of service.store.numbers) scheduleKyc(service, row);
	for (const row of service.store.kycProfiles) scheduleKycProfile(service, row);
	for (const row of service.store.calls) scheduleCall(service, row);
	for (const row of service.store.recordings) scheduleRecording(service, row);
	for (const row of service.store.messages) scheduleMessage(service, row);
	for (const row of service.store.portOrders) schedulePortOrder(service, row);
	for (const row of service.store.invoices) scheduleInvoice(service, row);
	scheduleBilling(service);
	for (const row of service.store.deliveries) scheduleDelivery(service, row);
};
