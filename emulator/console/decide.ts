/** Buttons that decide in place of KYC reviewers and carriers. */
import { html } from "hono/html";
import { button, form, type Html, input, more } from "./html";

export interface Decidable {
	/** Below `/_console`. */
	readonly path: string;
	/** Tells screen readers which object the buttons are for. */
	readonly of: string;
	/** The decisions that are possible now, with their labels; the first is the usual one. */
	readonly decisions: readonly (readonly [decision: string, label: string])[];
	/** Suggested reasons of a rejection; undefined if it is impossible. */
	readonly reject?: { readonly codes: readonly string[]; readonly message: string } | undefined;
}

export const decide = ({ path, of, decisions, reject }: Decidable): Html => {
	const buttons = decisions.map(([value, label], index) =>
		button(label, { of, name: "decision", value, variant: index === 0 ? "main" : "plain" }),
	);
	const rejection =
		reject &&
		more(
			"Reject…",
			form(
				path,
				html`<input type="hidden" name="decision" value="reject">${input("Reason", "code", "", { list: reject.codes, placeholder: String(reject.codes[0]) })}${input("Message", "message", "", { wide: true, placeholder: reject.message })}<div class="actions">${button("Reject", { of, variant: "danger" })}</div>`,
				"grid",
			),
			of,
		);
	return html`<div class="decide">${buttons.length === 0 ? "" : form(path, html`${buttons}`)}${rejection ?? ""}</div>`;
};
