import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { html } from "hono/html";
import type { Access, Asker } from "../control/access";
import type { Control } from "../control/control";
import { notFound, ServiceError } from "../request/errors";
import { readForm } from "../request/validate";
import type { Service } from "../service/service";
import { type Action, consoleActions } from "./actions";
import { createAsk } from "./ask";
import { script } from "./browser";
import { type Frame, icon, layout, liveParts, type Notice } from "./layout";
import { pushPage } from "./live";
import { loginPage } from "./login";
import { calls } from "./pages/calls";
import { deliveries } from "./pages/deliveries";
import { faults } from "./pages/faults";
import { invoices } from "./pages/invoices";
import { kyc } from "./pages/kyc";
import { ledger } from "./pages/ledger";
import { messages } from "./pages/messages";
import { numbers } from "./pages/numbers";
import { overview } from "./pages/overview";
import type { Page, Section } from "./pages/page";
import { portOrders } from "./pages/port-orders";
import { requests } from "./pages/requests";
import { settings } from "./pages/settings";
import { trunks } from "./pages/trunks";
import { usage } from "./pages/usage";
import { webhooks } from "./pages/webhooks";
import { stylesheet } from "./style";

type Ctx = Context<{ Bindings: HttpBindings }>;

const root = "/_console";

/** The navigation, in order; the key is the path. */
const sections: Readonly<Record<string, Section>> = {
	"": overview,
	numbers,
	kyc,
	trunks,
	webhooks,
	deliveries,
	calls,
	messages,
	port_orders: portOrders,
	usage,
	invoices,
	requests,
	ledger,
	faults,
	settings,
};

/** Nothing from elsewhere, nothing inline, no framing. The referrer leads back after a form. */
const headers = {
	"Content-Security-Policy":
		"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	"X-Content-Type-Options": "nosniff",
	"Referrer-Policy": "same-origin",
	"Cache-Control": "no-store",
};

const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
	"console.css": ["text/css; charset=utf-8", stylesheet],
	"console.js": ["text/javascript; charset=utf-8", script],
	"icon.svg": ["image/svg+xml", String(icon)],
};

const missing = (error: ServiceError): Page => ({
	title: "Nothing here",
	body: html`<p class="empty">${error.message} <a href="${root}">Back to the overview</a></p>`,
});

/** Decodes an id as hono does on other paths. What can't be decoded stays as it is, and matches no row. */
const decoded = (text: string): string => {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
};

const cookie = "telephony_console";

const askerOf = (c: Ctx): Asker => ({
	headers: c.req.raw.headers,
	remoteAddress: c.env?.incoming?.socket.remoteAddress,
	session: getCookie(c, cookie),
});

const login = async (status: number, next: string, notice?: string): Promise<Response> =>
	new Response(String(await loginPage(next, notice)), {
		status,
		headers: { ...headers, "Content-Type": "text/html; charset=utf-8" },
	});

const refusal = ({ message, status }: ServiceError): Response =>
	new Response(`${message}\n`, { status, headers: { ...headers, "Content-Type": "text/plain; charset=utf-8" } });

/** The console: the state of the service as pages, and the control plane as forms. */
export const mountConsole = (
	app: Hono<{ Bindings: HttpBindings }>,
	service: Service,
	control: Control,
	access: Access,
): void => {
	const ask = createAsk((path, init) => app.request(path, init), service.apiKey);
	const actions = consoleActions(service, control, ask);

	const frameOf = (address: URL): { frame: Frame; status: number } => {
		const [current = "", id = "", rest] = address.pathname.slice(root.length + 1).split("/");
		const section = Object.hasOwn(sections, current) ? sections[current] : undefined;
		const show = id === "" ? section?.list : section?.item;
		const frame = (page: Page): Frame => ({ service, sections, current, page });
		try {
			if (show === undefined || rest !== undefined) throw notFound("page", address.pathname);
			return { frame: frame(show({ service, id: decoded(id), query: address.searchParams })), status: 200 };
		} catch (error) {
			if (!(error instanceof ServiceError)) throw error;
			return { frame: frame(missing(error)), status: error.status };
		}
	};

	const answer = async (c: Ctx, address: URL, notice?: Notice, failed?: number) => {
		// Nothing is shown that a crash could undo.
		await service.committed();
		const { frame, status } = frameOf(address);
		const page = await layout(frame, `${new URL(c.req.url).origin}/v1`, notice);
		return new Response(String(page), {
			status: failed ?? status,
			headers: { ...headers, "Content-Type": "text/html; charset=utf-8" },
		});
	};

	const refused = (c: Ctx): ServiceError | undefined => {
		try {
			access.check(askerOf(c));
			return undefined;
		} catch (error) {
			if (error instanceof ServiceError) return error;
			throw error;
		}
	};

	const forbidden = (c: Ctx): Response | undefined => {
		const error = refused(c);
		return error === undefined || error.error === "unauthorized" ? undefined : refusal(error);
	};

	const guard = (c: Ctx): Response | Promise<Response> | undefined => {
		const error = refused(c);
		if (error?.error !== "unauthorized") return error && refusal(error);
		const page = c.req.method === "GET" ? new URL(c.req.url) : origin(c);
		return login(error.status, page.pathname + page.search);
	};

	/** Takes the control token once, for a cookie that no script can read and no other site can send. */
	const signIn = async (c: Ctx): Promise<Response> => {
		const { token = "", next = "" } = await readForm(c.req.raw);
		const page = /^\/_console($|[/?])/.test(next) ? next : root;
		const session = access.signIn(askerOf(c), token);
		if (session === undefined) return login(401, page, "That is not the control token.");
		setCookie(c, cookie, session, { path: root, httpOnly: true, sameSite: "Strict" });
		for (const [name, value] of Object.entries({ ...headers, Location: page })) c.header(name, value);
		return c.body(null, 303);
	};

	/** The page with the form: browsers send it as the referrer, curl doesn't. */
	const origin = (c: Ctx): URL => {
		const here = new URL(c.req.url);
		const from = URL.canParse(c.req.header("referer") ?? "") ? new URL(c.req.header("referer") ?? "") : undefined;
		const ours = from?.host === here.host && (from.pathname === root || from.pathname.startsWith(`${root}/`));
		const page = new URL(ours ? `${from.pathname}${from.search}` : root, here.origin);
		page.searchParams.delete("done");
		return page;
	};

	const act = async (c: Ctx, { path, run, next }: Action): Promise<Response> => {
		const page = origin(c);
		let result: unknown;
		try {
			result = await run(c.req.param("id") ?? "", await readForm(c.req.raw));
			await service.committed();
		} catch (error) {
			if (!(error instanceof ServiceError)) throw error;
			return answer(c, page, { text: error.message, bad: true }, error.status);
		}
		const leadsTo = typeof next === "function" ? next(result) : next;
		const target = leadsTo === undefined ? page : new URL(root + leadsTo, page);
		target.searchParams.set("done", path);
		return new Response(null, { status: 303, headers: { ...headers, Location: target.pathname + target.search } });
	};

	const mount = (method: string, path: string, handle: (c: Ctx) => Response | Promise<Response>) =>
		app.on(method, root + path.replace("{id}", ":id"), (c) => guard(c) ?? handle(c));

	app.post(`${root}/login`, (c) =>
		signIn(c).catch((error: unknown) => {
			if (error instanceof ServiceError) return refusal(error);
			throw error;
		}),
	);
	for (const action of actions) mount("POST", action.path, (c) => act(c, action));
	for (const [name, [type, text]] of Object.entries(files)) {
		// The page to sign in needs them too, and they tell nothing.
		app.get(
			`${root}/${name}`,
			(c) => forbidden(c) ?? new Response(text, { headers: { ...headers, "Content-Type": type } }),
		);
	}
	mount("GET", "/live", (c) => {
		const at = c.req.query("at") ?? "";
		const address = new URL(URL.canParse(at, c.req.url) ? at : root, c.req.url);
		const response = pushPage(c, async () => {
			await service.committed();
			return liveParts(frameOf(address).frame);
		});
		for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
		return response;
	});
	for (const path of ["", "/*"]) {
		mount("GET", path, (c) => {
			const address = new URL(c.req.url);
			const done = actions.find(({ path: its }) => its === address.searchParams.get("done"))?.done;
			return answer(c, address, done === undefined ? undefined : { text: done, bad: false });
		});
	}
};
