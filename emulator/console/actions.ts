import type { Control } from "../control/control";
import { EditKycProfile, EditNumber, EditPortOrder, EditTrunk, EditWebhook } from "../control/edits";
import { controlRoutes } from "../control/routes";
import type { Service } from "../service/service";
import { Settings } from "../service/settings";
import type { Ask } from "./ask";
import { editOf, type Fields, numberOf, valuesOf } from "./forms";
import { completeProfile, createProfile } from "./profile";

export interface Action {
	/** Below `/_console`. */
	readonly path: string;
	/** The message shown when it is done. */
	readonly done: string;
	/** The next page, if it is not the one with the form. */
	readonly next?: string | ((result: unknown) => string);
	readonly run: (id: string, fields: Fields) => unknown;
}

/** A form that sends one request of the control API. */
interface ControlForm {
	/** Method and path of the request. */
	readonly route: string;
	readonly done: string;
	readonly next?: string;
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

/** Edits by the fields of a form. */
const edits = ({ store }: Service): readonly ControlForm[] =>
	[
		{ path: "numbers", rows: store.numbers, shape: EditNumber.shape },
		{ path: "kyc/profiles", rows: store.kycProfiles, shape: EditKycProfile.shape },
		{ path: "port_orders", rows: store.portOrders, shape: EditPortOrder.shape },
		{ path: "trunks", rows: store.trunks, shape: EditTrunk.shape },
		{ path: "webhooks", rows: store.webhooks, shape: EditWebhook.shape },
	].map(({ path, rows, shape }) => ({
		route: `PATCH /${path}/{id}`,
		done: "Changes saved.",
		body: (fields, id) => editOf(shape, rows.get(id) ?? {}, fields),
	}));

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
	{ route: "DELETE /numbers/{id}", done: "Number released." },
	{ route: "POST /kyc/profiles/{id}", done: "KYC profile decided.", body: decision },
	{ route: "DELETE /kyc/profiles/{id}", done: "KYC profile deleted.", next: "/kyc" },
	{ route: "POST /port_orders/{id}", done: "Port order changed.", body: decision },
	{ route: "DELETE /trunks/{id}", done: "Trunk deleted.", next: "/trunks" },
	{
		route: "PATCH /webhooks/{id}",
		path: "/webhooks/{id}/rotate",
		done: "Secret rotated.",
		body: () => ({ rotate_secret: true }),
	},
	{ route: "DELETE /webhooks/{id}", done: "Webhook deleted.", next: "/webhooks" },
	...edits(service),
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

/** Requests of the API itself, which follow the service's rules. */
const apiForms = (service: Service, ask: Ask): readonly Action[] => [
	{
		path: "/buy",
		done: "Number bought.",
		next: (result) => {
			const { id } = result as { readonly id?: string };
			return id === undefined ? "/numbers" : `/numbers/${id}`;
		},
		run: (_, { country = "", type, area = "" }) =>
			ask("POST", "/numbers", {
				country: country.trim().toUpperCase(),
				type,
				...(area.trim() ? { area: area.trim() } : {}),
			}),
	},
	{ path: "/kyc/profiles", done: "KYC profile created.", run: (_, fields) => createProfile(ask, fields) },
	{
		path: "/kyc/profiles/{id}/complete",
		done: "KYC profile submitted.",
		run: (id, fields) => completeProfile(service, ask, id, fields),
	},
];

/** Tells forms for the same object apart. */
const suffixOf = (method: string, target: string): string => {
	if (method === "DELETE") return "/delete";
	return method === "PATCH" && target.endsWith("{id}") ? "/edit" : "";
};

export const consoleActions = (service: Service, control: Control, ask: Ask): readonly Action[] => {
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
	return [...forms, ...apiForms(service, ask)];
};
