/** Buttons that decide about something in place of those who would. */
import { html } from "hono/html";
import { button, form, type Html, input, more } from "../html";

interface Decidable {
	/** Below `/_console`. */
	readonly path: string;
	/** Tells screen readers which one it is. */
	readonly of: string;
	/** The decisions that are possible now, with their labels; the first is the usual one. */
	readonly may: readonly (readonly [decision: string, label: string])[];
	/** For a rejection with its reason, if that is possible. */
	readonly reject?: { readonly codes: readonly string[]; readonly words: string } | undefined;
}

const rejection = ({ path, of }: Decidable, { codes, words }: NonNullable<Decidable["reject"]>): Html =>
	more(
		"Reject…",
		form(
			path,
			html`<input type="hidden" name="decision" value="reject">${input("Reason", "code", "", { list: codes, placeholder: String(codes[0]) })}${input("in words", "message", "", { wide: true, placeholder: words })}<div class="actions">${button("Reject", { of, look: "danger" })}</div>`,
			"grid",
		),
		of,
	);

export const decide = (about: Decidable): Html => {
	const { path, of, may, reject } = about;
	const buttons = may.map(([value, label], index) =>
		button(label, { of, name: "decision", value, look: index === 0 ? "main" : "plain" }),
	);
	return html`${buttons.length === 0 ? "" : form(path, html`${buttons}`)}${reject === undefined ? "" : rejection(about, reject)}`;
};
