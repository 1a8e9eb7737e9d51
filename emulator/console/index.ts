import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { html } from "hono/html";
import { type KindName, kinds } from "../../provider/api/contract";
import type { Access, Asker } from "../control/access";
import type { Control } from "../control/control";
import { notFound, ServiceError } from "../request/errors";
import { readForm } from "../request/validate";
import { type Service, versionOf } from "../service/service";
import { type Action, consoleActions } from "./actions";
import { morphing, script } from "./browser";
import type { Send } from "./buy";
import { sectionPath } from "./facts";
import { type Frame, icon, layout, liveParts, loginPage, type Notice } from "./layout";
import { LivePages, pushPage } from "./live";
import { invoices, usage } from "./pages/billing";
import { kycDocuments } from "./pages/documents";
import { faults } from "./pages/faults";
import { kyc } from "./pages/kyc";
import { kycProfiles } from "./pages/kyc-profiles";
import { numbers } from "./pages/numbers";
import { overview } from "./pages/overview";
import { portOrders } from "./pages/port-orders";
import { ledger, requests } from "./pages/requests";
import { settings } from "./pages/settings";
import { calls, messages } from "./pages/traffic";
import { trunks } from "./pages/trunks";
import { deliveries, webhooks } from "./pages/webhooks";
import { kindSection, type Page, type Section } from "./section";
import { stylesheet } from "./style";

type Env = { Bindings: HttpBindings; Variables: { isSignedIn: boolean } };
type Ctx = Context<Env>;
type Status = 200 | 400;

const root = "/_console";

/** Sections with more than a record shows. */
const kindPages: Readonly<Partial<Record<KindName, Section>>> = {
	numbers,
	trunks,
	webhooks,
	deliveries,
	kycProfiles,
	kycDocuments,
	calls,
	messages,
	portOrders,
	invoices,
};

const kindSections = Object.fromEntries(
	(Object.keys(kinds) as KindName[]).map((name) => [sectionPath(name), kindPages[name] ?? kindSection(name)]),
);

/** The navigation, in order; the key is the path. */
const sections: Readonly<Record<string, Section>> = {
	"": overview,
	numbers,
	kyc,
	...kindSections,
	usage,
	requests,
	ledger,
	faults,
	settings,
};

/** Only own files, nothing inline, no framing. The referrer leads back after a form. */
const headers = {
	"Content-Security-Policy":
		"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	"X-Content-Type-Options": "nosniff",
	"Referrer-Policy": "same-origin",
	"Cache-Control": "no-store",
};

const files: Readonly<Record<string, readonly [type: string, text: () => string]>> = {
	"/console.css": ["text/css; charset=utf-8", () => stylesheet],
	"/console.js": ["text/javascript; charset=utf-8", () => script],
	"/idiomorph.js": ["text/javascript; charset=utf-8", morphing],
	"/icon.svg": ["image/svg+xml", () => String(icon)],
};

const missing = (error: ServiceError): Page => ({
	title: "Not found",
	body: html`<p class="empty">${error.message} <a href="${root}">Back to the overview</a></p>`,
});

/** Decodes an id as hono does on other paths. An invalid encoding stays as it is and matches no row. */
const decoded = (text: string): string => {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
};

/** The page at an address, or one that explains why there is none. */
const frameOf = (service: Service, address: URL): { frame: Frame; status: number } => {
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

/** The page with the form: browsers send it as the referrer, curl doesn't. */
const origin = (c: Ctx): URL => {
	const here = new URL(c.req.url);
	const from = URL.canParse(c.req.header("referer") ?? "") ? new URL(c.req.header("referer") ?? "") : undefined;
	const ours = from?.host === here.host && (from.pathname === root || from.pathname.startsWith(`${root}/`));
	const page = new URL(ours ? `${from.pathname}${from.search}` : root, here.origin);
	page.searchParams.delete("done");
	return page;
};

const cookie = "telephony_console";

const askerOf = (c: Ctx): Asker => ({
	headers: c.req.raw.headers,
	remoteAddress: c.env?.incoming?.socket.remoteAddress,
	session: getCookie(c, cookie),
});

/** False if a token would give access. @throws ServiceError if access is impossible */
const isSignedIn = (access: Access, c: Ctx): boolean => {
	try {
		access.check(askerOf(c));
		return true;
	} catch (error) {
		if (error instanceof ServiceError && error.error === "unauthorized") return false;
		throw error;
	}
};

/** Sends the page that a reader looks at. */
const pushLive = (service: Service, pages: LivePages, c: Ctx): Response => {
	const at = c.req.query("at") ?? "";
	const address = new URL(URL.canParse(at, c.req.url) ? at : root, c.req.url);
	return pushPage(c, async () => {
		await service.committed();
		return pages.read(address.href, versionOf(service), () => liveParts(frameOf(service, address).frame));
	});
};

/**
 * The console: the service's state as pages, and the control API as forms.
 * @param send sends a request to the API
 */
export const createConsole = (service: Service, control: Control, access: Access, send: Send): Hono<Env> => {
	const actions = consoleActions(service, control, send);
	const app = new Hono<Env>();
	const pages = new LivePages();

	const showPage = async (c: Ctx, address: URL, notice?: Notice, failed?: number) => {
		// A page shows only what is on disk.
		await service.committed();
		const { frame, status } = frameOf(service, address);
		return c.html(layout(frame, `${new URL(c.req.url).origin}/v1`, notice), (failed ?? status) as Status);
	};

	/** Exchanges the control token for a cookie that scripts can't read and other sites can't send. */
	const signIn = async (c: Ctx): Promise<Response> => {
		const { token = "", next = "" } = await readForm(c.req.raw);
		const page = /^\/_console($|[/?])/.test(next) ? next : root;
		const session = access.signIn(askerOf(c), token);
		if (session === undefined) return c.html(loginPage(page, "Wrong control token."), 401);
		setCookie(c, cookie, session, { path: root, httpOnly: true, sameSite: "Strict" });
		return c.redirect(page, 303);
	};

	const act = async (c: Ctx, { path, run, next }: Action): Promise<Response> => {
		const page = origin(c);
		let result: unknown;
		try {
			result = await run(c.req.param("id") ?? "", await readForm(c.req.raw));
			await service.committed();
		} catch (error) {
			if (!(error instanceof ServiceError)) throw error;
			return showPage(c, page, { text: error.message, bad: true }, error.status);
		}
		const leadsTo = next?.(result, c.req.param("id") ?? "");
		const target = leadsTo === undefined ? page : new URL(root + leadsTo, page);
		target.searchParams.set("done", path);
		return c.redirect(target.pathname + target.search, 303);
	};

	app.onError((error, c) => {
		if (!(error instanceof ServiceError)) throw error;
		return c.text(`${error.message}\n`, error.status as Status);
	});
	app.use(async (c, next) => {
		await next();
		for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
	});
	app.use(async (c, next) => {
		c.set("isSignedIn", isSignedIn(access, c));
		await next();
	});
	app.post("/login", signIn);
	// The sign-in page needs these files, and they contain no secret.
	for (const [path, [type, text]] of Object.entries(files))
		app.get(path, (c) => c.body(text(), 200, { "Content-Type": type }));
	app.use(async (c, next) => {
		if (c.get("isSignedIn")) return next();
		const page = c.req.method === "GET" ? new URL(c.req.url) : origin(c);
		return c.html(loginPage(page.pathname + page.search), 401);
	});
	for (const action of actions) app.post(action.path.replace("{id}", ":id"), (c) => act(c, action));
	app.get("/live", (c) => pushLive(service, pages, c));
	app.get("/*", (c) => {
		const address = new URL(c.req.url);
		const done = actions.find(({ path }) => path === address.searchParams.get("done"))?.done;
		return showPage(c, address, done === undefined ? undefined : { text: done, bad: false });
	});
	return app;
};
