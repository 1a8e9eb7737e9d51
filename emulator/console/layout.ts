import { html, raw } from "hono/html";
import { type Service, timeOf } from "../service/service";
import { SwitchableClock } from "../time/clock";
import { button, form, type Html, input, state, timeWords } from "./html";
import type { Page, Section } from "./section";

export interface Frame {
	readonly service: Service;
	readonly sections: Readonly<Record<string, Section>>;
	/** Key of the section shown. */
	readonly current: string;
	readonly page: Page;
}

export interface Notice {
	readonly text: string;
	readonly bad: boolean;
}

/** The browser updates a running clock; a frozen one can be advanced. */
const clock = (service: Service): Html => {
	const currentTime = timeOf(service);
	const clockText = timeWords(currentTime);
	if (!(service.clock instanceof SwitchableClock)) return html`<time>${clockText}</time>`;
	if (service.clock.mode === "real")
		return html`${state("running", "good")}<time id="now" data-ticks="${service.clock.ahead}">${clockText}</time>${form("clock", button("Freeze", { name: "mode", value: "virtual", of: "the clock" }))}`;
	const steps = ["1m", "1h", "1d", "10d"].map((step) =>
		button(`+${step}`, { name: "advance", value: step, of: "on the clock" }),
	);
	return html`${state("frozen", "wait")}<time id="now" datetime="${currentTime}">${clockText}</time>
${form("clock", button("Run", { name: "mode", value: "real", of: "in real time" }))}
${form("clock", html`${steps}`, "row steps")}${form("clock", html`${input("Advance by", "advance", "", { placeholder: "90s", required: true })}${button("Advance")}`, "row by")}`;
};

/** The parts that a live update replaces. */
const live = ({
	service,
	sections,
	current,
	page,
}: Frame): Html => html`<section class="clock" id="clock" aria-label="Clock">${clock(service)}</section>
<nav id="sections" aria-label="Sections"><ul>${Object.entries(sections).map(([key, { title, count }]) => {
	const number = count?.(service);
	return html`<li><a href="/_console${key === "" ? "" : `/${key}`}"${key === current ? html` aria-current="page"` : ""}><span>${title}</span>${number ? html`<b>${number}</b>` : ""}</a></li>`;
})}</ul></nav>
<main id="main" tabindex="-1"><div class="title"><h1>${page.title}</h1>${page.about ? html`<p>${page.about}</p>` : ""}</div>
${page.body}</main>`;

const brand = html`<a class="brand" href="/_console"><img src="/_console/icon.svg" alt="" width="22" height="22">telephony emulator</a>`;

const documentOf = (title: string, body: Html, script: Html | "" = ""): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – telephony emulator</title>
<link rel="icon" href="/_console/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/_console/console.css">
${script}
</head>
<body>
${body}
</body>
</html>
`;

const noticeOf = ({ text, bad }: Notice): Html =>
	html`<div class="notice" id="notice" role="${bad ? "alert" : "status"}" data-tone="${bad ? "bad" : "good"}">${text}</div>`;

/** A whole page: the first response, and every response without JavaScript. */
export const layout = (frame: Frame, address: string, notice: Notice = { text: "", bad: false }): Html =>
	documentOf(
		frame.page.title,
		html`<a class="skip" href="#main">Skip to the content</a>
<header class="top">${brand}<code class="address">${address}</code>${frame.service.profile === "seed" ? state("profile seed", "wait") : ""}<span class="live" id="live" hidden>live</span></header>
<div id="page">${live(frame)}</div>
${noticeOf(notice)}`,
		html`<script src="/_console/idiomorph.js" defer></script><script src="/_console/console.js" defer></script>`,
	);

/** The page for another host that has no session. `next` is the requested page. */
export const loginPage = (next: string, notice = ""): Html =>
	documentOf(
		"Sign in",
		html`<header class="top">${brand}</header>
<div id="page"><main id="main" tabindex="-1"><div class="title"><h1>Sign in</h1><p>Other hosts need the control token.</p></div>
${form("login", html`<input type="hidden" name="next" value="${next}">${input("Control token", "token", "", { type: "password", required: true })}${button("Sign in", { variant: "main" })}`)}</main></div>
${noticeOf({ text: notice, bad: true })}`,
	);

/** The parts that change, without the time of a running clock, which the browser updates. */
export const liveParts = async (frame: Frame): Promise<string> =>
	String(await live(frame)).replace(/(<time id="now" data-ticks="\d+">)[^<]*/, "$1");

export const icon = raw(
	`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0d6b66"/><g fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"><path d="M9 20v3M14 16v7M19 12v11M24 8v15"/></g></svg>`,
);
