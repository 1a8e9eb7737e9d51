/** Buttons that decide in place of KYC reviewers and carriers. */
import { html } from "hono/html";
import { button, form, type Html, input, more } from "./html";

export interface Decidable<Decision extends string> {
	/** Below `/_console`. */
	readonly path: string;
	/** Tells screen readers which object the buttons are for. */
	readonly of: string;
	/** Decisions with their labels; the first possible one is the usual one. */
	readonly labels: readonly (readonly [Exclude<Decision, "reject">, string])[];
	/** Suggested reasons of a rejection. */
	readonly reject: { readonly codes: readonly string[]; readonly message: string };
	/** True for a decision that is possible now. */
	can(decision: Decision | "reject"): boolean;
}

export const decide = <Decision extends string>({ path, of, labels, reject, can }: Decidable<Decision>): Html => {
	const possible = labels.filter(([decision]) => can(decision));
	const buttons = possible.map(([value, label], index) =>
		button(label, { of, name: "decision", value, variant: index === 0 ? "main" : "plain" }),
	);
	const rejection =
		can("reject") &&
		more(
			"Reject…",
			form(
				path,
				html`<input type="hidden" name="decision" value="reject">${input("Reason", "code", "", { list: reject.codes, placeholder: String(reject.codes[0]) })}${input("Message", "message", "", { wide: true, placeholder: reject.message })}<div class="actions">${button("Reject", { of, variant: "danger" })}</div>`,
				"grid",
			),
			of,
		);
	return html`<div class="decide">${buttons.length === 0 ? "" : form(path, html`${buttons}`)}${rejection || ""}</div>`;
};
