import type { z } from "zod";
import { validate } from "../request/validate";
import { type Control, KycDecision, KycPolicy, PortOrderDecision } from "./control";
import { editRoutes } from "./edits";

/** `sent` is the body, or the query of a GET. Undefined, also as a promise, gives 204. */
type Handle = (id: string, sent: never) => unknown;

export interface ControlRoute {
	readonly method: string;
	/** Below `/_emulator`. */
	readonly path: string;
	/** In bytes; undefined is the limit of every request. */
	readonly maxBody: number | undefined;
	readonly handle: (id: string, sent: unknown) => unknown;
}

/** Passes all that is sent. */
const whole =
	<Sent>(run: (sent: Sent) => unknown): Handle =>
	(_, sent: Sent) =>
		run(sent);

type Decided<Decision> = { readonly decision: Decision; readonly reasons?: unknown };

const decision =
	<Body extends Decided<unknown>>(
		schema: z.ZodType<Body>,
		decide: (id: string, decision: Body["decision"], reasons: Body["reasons"]) => unknown,
	): Handle =>
	(id, sent) => {
		const { decision, reasons } = validate(schema, sent) as Body;
		return decide(id, decision, reasons);
	};

/** Every operation of the control API, with its function. */
const handles = (control: Control): Readonly<Record<string, Handle>> => ({
	"GET /state": control.state,
	"GET /snapshot": control.snapshot,
	"POST /restore": whole(control.restore),
	"POST /reset": control.reset,
	"GET /requests": whole(control.requestsPage),
	"DELETE /requests": control.clearRequests,
	"GET /ledger": () => ({ data: control.ledger() }),
	"GET /kyc": () => control.state().kyc,
	"POST /kyc": (_, body) => {
		const { policy } = validate(KycPolicy, body);
		control.kyc(policy);
		return { policy };
	},
	"POST /numbers/{id}/kyc": decision(KycDecision, control.decide),
	"POST /kyc/profiles/{id}": decision(KycDecision, control.decideProfile),
	"POST /port_orders/{id}": decision(PortOrderDecision, control.decidePortOrder),
	...editRoutes(control),
	"GET /settings": () => control.settings(),
	"PATCH /settings": whole(control.settings),
	"GET /clock": () => control.clock(),
	"POST /clock": whole(control.clock),
	"POST /calls": whole(control.receiveCall),
	"POST /messages": whole(control.receiveMessage),
	"POST /trigger": whole(control.trigger),
	"POST /deliveries/{id}/resend": control.resend,
	"POST /settled": control.settled,
	"GET /script": () => ({ data: control.script.list() }),
	"POST /script": whole(control.script.add),
	"DELETE /script": () => control.script.clear(),
	"DELETE /script/{id}": control.script.clear,
	"GET /faults": () => ({ data: control.faults.list() }),
	"POST /faults": whole(control.faults.set),
	"DELETE /faults": () => control.faults.clear(),
	"DELETE /faults/{id}": control.faults.clear,
	"POST /faults/{id}/release": control.faults.release,
});

/** A snapshot may hold a hundred thousand numbers. */
const maxBodies: Readonly<Record<string, number>> = { "POST /restore": 256 * 1024 * 1024 };

export const controlRoutes = (control: Control): readonly ControlRoute[] =>
	Object.entries(handles(control)).map(([route, handle]) => {
		const [method = "", path = ""] = route.split(" ");
		return { method, path, maxBody: maxBodies[route], handle: handle as ControlRoute["handle"] };
	});
