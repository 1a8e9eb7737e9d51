import { type KindName, kinds } from "../../provider/api/contract";
import type { Control } from "../control/control";
import { rulesOf } from "../control/kinds";
import { controlRoutes } from "../control/routes";
import type { Service } from "../service/service";
import { Settings } from "../service/settings";
import { buyNumber, type Send } from "./buy";
import { sectionPath } from "./facts";
import { editOf, type Fields, labelOf, numberOf, valuesOf } from "./forms";

export interface Action {
	/** Below `/_console`. */
	readonly path: string;
	/** The message shown when it is done. */
	readonly done: string;
	/** Returns the next page; undefined is the one with the form. */
	readonly next?: (result: unknown, id: string) => string | undefined;
	readonly run: (id: string, fields: Fields) => unknown;
}

/** A form that sends one request of the control API. */
interface ControlForm {
	/** Method and path of the request. */
	readonly route: string;
	readonly done: string;
	readonly next?: Action["next"];
	/** The body of the request. @default the fields */
	readonly body?: (fields: Fields, id: string) => unknown;
	/** @default the path of the request, with `/edit` for a PATCH of an object and `/delete` for a DELETE */
	readonly path?: string;
}

const decision = ({ decision, code, message = "" }: Fields) => ({
	decision,
	...(code ? { reasons: [{ code, message }] } : {}),
});

const faultRule = ({ when, count, ...fields }: Fields): object => {
	const n = numberOf(count) ?? "";
	const times = { every: { every: true }, nth: { nth: n }, probability: { probability: n } };
	const rule = {
		...fields,
		...(times[when as keyof typeof times] ?? {}),
		status: numberOf(fields.status),
		retryAfter: numberOf(fields.retryAfter),
		ms: numberOf(fields.ms),
	};
	return Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined && value !== ""));
};

/** The forms that edit and remove objects. */
const kindForms = ({ store }: Service): readonly ControlForm[] => {
	const forms: ControlForm[] = [];
	for (const name of Object.keys(kinds) as KindName[]) {
		const { path, noun } = kinds[name];
		const { patch, remove } = rulesOf(name);
		if (patch !== undefined)
			forms.push({
				route: `PATCH ${path}/{id}`,
				done: "Changes saved.",
				body: (fields, id) => editOf(patch.shape, store[name].get(id) ?? {}, fields),
			});
		if (remove !== undefined)
			forms.push({
				route: `DELETE ${path}/{id}`,
				done: `${labelOf(noun)} removed.`,
				// A released number keeps its page.
				next: (_, id) => (store[name].has(id) ? undefined : `/${sectionPath(name)}`),
			});
	}
	return forms;
};

const controlForms = (service: Service): readonly ControlForm[] => [
	{
		route: "POST /clock",
		done: "Clock changed.",
		body: ({ mode, advance }) => ({
			...(mode ? { mode } : {}),
			...(advance === undefined ? {} : { advance: advance.trim() }),
		}),
	},
	{ route: "POST /kyc", done: "KYC policy changed. It applies to new numbers." },
	{ route: "POST /numbers/{id}/kyc", done: "KYC decided.", body: decision },
	{ route: "POST /kyc/profiles/{id}", done: "KYC profile decided.", body: decision },
	{ route: "POST /port_orders/{id}", done: "Port order changed.", body: decision },
	{
		route: "PATCH /webhooks/{id}",
		path: "/webhooks/{id}/rotate",
		done: "Secret rotated.",
		body: () => ({ rotate_secret: true }),
	},
	...kindForms(service),
	{ route: "POST /calls", done: "Call started." },
	{ route: "POST /messages", done: "SMS received." },
	{ route: "POST /deliveries/{id}/resend", done: "Event sent again." },
	{ route: "POST /faults", done: "Fault set.", body: faultRule },
	{ route: "DELETE /faults", done: "All faults removed." },
	{ route: "DELETE /faults/{id}", done: "Fault removed." },
	{ route: "POST /faults/{id}/release", done: "Held requests continue." },
	{ route: "PATCH /settings", done: "Settings saved.", body: (fields) => valuesOf(Settings.shape, fields) },
	{
		route: "PATCH /settings",
		path: "/settings/features",
		done: "Features saved.",
		body: (fields) => ({ features: valuesOf(Settings.shape.features.shape, fields) }),
	},
	{ route: "POST /reset", done: "Emulator reset." },
];

const purchase = (service: Service, send: Send): Action => ({
	path: "/buy",
	done: "Number bought.",
	next: (result) => {
		const { id } = result as { readonly id?: string };
		return id === undefined ? "/numbers" : `/numbers/${id}`;
	},
	run: (_, fields) => buyNumber(send, service.apiKey, fields),
});

/** Tells forms for the same object apart. */
const suffixOf = (method: string, target: string): string => {
	if (method === "DELETE") return "/delete";
	return method === "PATCH" && target.endsWith("{id}") ? "/edit" : "";
};

export const consoleActions = (service: Service, control: Control, send: Send): readonly Action[] => {
	const routes = new Map(controlRoutes(control).map(({ method, path, handle }) => [`${method} ${path}`, handle]));
	const forms = controlForms(service).map(({ route, done, next, body, path }): Action => {
		const [method, target = ""] = route.split(" ");
		return {
			path: path ?? `${target}${suffixOf(String(method), target)}`,
			done,
			...(next !== undefined && { next }),
			run: (id, fields) => routes.get(route)?.(id, body === undefined ? fields : body(fields, id)),
		};
	});
	return [...forms, purchase(service, send)];
};
