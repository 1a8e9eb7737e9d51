import { html } from "hono/html";
import { area, button, form, type Html, more } from "../html";

/** A form for everything else that the control API can change, as its JSON. */
export const anyEdit = (action: string, example = '{"metadata": {"team": "sales"}}'): Html =>
	more(
		"Any other change, as JSON",
		form(
			`${action}/json`,
			html`${area("PATCH", "json", "", `Such as ${example}: what PATCH under /_emulator takes.`)}<div class="actions">${button("Send the JSON")}</div>`,
			"grid",
		),
	);
