import { html } from "hono/html";
import { button, form, type Html, input } from "./html";

/** The page for another host that has not shown the control token. `next` is the page that it asked for. */
export const loginPage = (next: string, notice = ""): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign in – telephony emulator</title>
<link rel="icon" href="/_console/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/_console/console.css">
</head>
<body>
<header class="top"><a class="brand" href="/_console"><img src="/_console/icon.svg" alt="" width="22" height="22">telephony emulator</a></header>
<div id="page"><main id="main" tabindex="-1"><div class="title"><h1>Sign in</h1><p>This console is open to other hosts that know the control token.</p></div>
${form("login", html`<input type="hidden" name="next" value="${next}">${input("Control token", "token", "", { type: "password", required: true })}${button("Sign in", { look: "main" })}`)}</main></div>
<div class="notice" id="notice" role="alert" data-tone="bad">${notice}</div>
</body>
</html>
`;
