import { z } from "zod";
import { eventNames } from "../../provider/api/contract";
import { type EventName, emit } from "../areas/webhooks/events";
import { validate } from "../request/validate";
import type { Service } from "../service/service";
import type { DeliveryRow } from "../store/store";
import { examples } from "./examples";

/** Values that differ from the example of the record. */
const particular: Partial<Readonly<Record<EventName, object>>> = {
	"number.suspended": { status: "suspended" },
	"number.released": { status: "released" },
	"call.initiated": { status: "ringing" },
	"call.answered": { status: "in_progress" },
	"message.received": { status: "received", direction: "inbound" },
};

const Trigger = z.strictObject({
	event: z.enum(eventNames, { error: `must be one of ${eventNames.join(", ")}` }),
	/** Replaces properties of the example. */
	data: z.record(z.string(), z.unknown()).optional(),
});
export type Trigger = z.input<typeof Trigger>;

export const trigger = (service: Service, sent: Trigger): { deliveries: DeliveryRow[] } => {
	const { event, data } = validate(Trigger, sent);
	const before = service.count;
	emit(service, event, { ...examples[event.split(".")[0] ?? ""], ...particular[event], ...data });
	return { deliveries: [...service.store.deliveries].filter(({ seq }) => seq > before) };
};
