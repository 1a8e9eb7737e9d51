import { html } from "hono/html";

/** HTML made by hono's `html`, which escapes every value that isn't HTML. */
export type Html = ReturnType<typeof html>;

export const nothing = html``;

/** The states that are good, that wait for a person, and that are bad. Any other state is off. */
const tones: Readonly<Record<string, string>> = {
	good: "active approved enabled delivered completed answered in_progress received paid ok",
	wait: "pending action_required in_review provisioning submitted scheduled queued ringing sending sent retrying open processing refusal virtual",
	bad: "suspended rejected expired failed undelivered exception busy no_answer refused",
};

export const toneOf = (word: string): string =>
	Object.entries(tones).find(([, words]) => words.split(" ").includes(word))?.[0] ?? "off";

/** The name of a state, with a color that repeats its meaning. */
export const state = (word: string, tone: string = toneOf(word)): Html =>
	html`<span class="state" data-tone="${tone}">${word.replaceAll("_", " ")}</span>`;

/** An HTTP status; null if no response was sent, or not yet. */
export const httpStatus = (status: number | null): Html =>
	status === null
		? state("no response", "wait")
		: state(String(status), status < 400 ? "good" : status < 500 ? "wait" : "bad");

export const timeWords = (at: string): string => `${at.slice(0, 19).replace("T", " ")} UTC`;

export const time = (at: string | null | undefined): Html =>
	at ? html`<time datetime="${at}" title="${at}">${timeWords(at)}</time>` : html`<span class="none">–</span>`;

export const code = (text: string | null | undefined): Html =>
	text ? html`<code>${text}</code>` : html`<span class="none">–</span>`;

export const text = (value: string | null | undefined): Html =>
	value ? html`${value}` : html`<span class="none">–</span>`;

/** A number by its E.164 or an object by its name, with the id below. */
export const named = (href: string, name: string, id: string): Html =>
	html`<a href="${href}" class="${name.startsWith("+") ? "name e164" : "name"}">${name}</a><small class="id">${id}</small>`;

export interface Column<Row> {
	readonly title: string;
	readonly cell: (row: Row) => Html | string | number;
	/** Right-aligned, for figures. */
	readonly right?: boolean;
}

interface Table<Row> {
	readonly caption: string;
	readonly columns: readonly Column<Row>[];
	readonly rows: readonly Row[];
	readonly idOf: (row: Row) => string;
	/** Shown if there are no rows. */
	readonly empty: Html | string;
}

/**
 * Rows with a caption for screen readers. Each row has an id, by which a live update finds it. Roles are explicit,
 * because a narrow window turns rows into cards, which have no roles.
 */
export const table = <Row>({ caption, columns, rows, idOf, empty }: Table<Row>): Html =>
	rows.length === 0
		? html`<p class="empty">${empty}</p>`
		: html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
<table role="table">
<caption class="unseen">${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(({ title, right }) => html`<th role="columnheader" scope="col"${right ? html` class="right"` : ""}>${title}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
				(row) =>
					html`<tr id="${idOf(row)}" role="row">${columns.map(({ title, cell, right }) => html`<td role="cell" data-title="${title}"${right ? html` class="right"` : ""}><div>${cell(row)}</div></td>`)}</tr>
`,
			)}</tbody>
</table>
</div>`;

/** Names and values in two columns. */
export const facts = (rows: Readonly<Record<string, Html | string | number>>): Html =>
	html`<dl class="facts">${Object.entries(rows).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

export const panel = (title: string, body: Html, note: Html | string = ""): Html =>
	html`<section class="panel" aria-label="${title}"><header><h2>${title}</h2>${note ? html`<p>${note}</p>` : ""}</header>${body}</section>`;

/** A form that runs one of the console's actions. */
export const form = (action: string, body: Html, kind = "row"): Html =>
	html`<form method="post" action="/_console/${action}" class="${kind}">${body}</form>`;

interface ButtonOptions {
	/** Added to the label for screen readers: the object that the button is for. */
	readonly of?: string;
	readonly name?: string;
	readonly value?: string;
	readonly variant?: "plain" | "main" | "danger";
}

export const button = (label: string, { of, name, value = label, variant = "plain" }: ButtonOptions = {}): Html =>
	html`<button type="submit" class="${variant}"${name ? html` name="${name}"` : ""} value="${value}">${label}${of ? html`<span class="unseen"> ${of}</span>` : ""}</button>`;

/** Screen readers read the hint after the name. */
const field = (
	label: string,
	name: string,
	control: Html,
	{ wide, hint = "" }: Pick<InputOptions, "wide" | "hint">,
): Html =>
	html`<div class="field${wide ? " wide" : ""}"><label class="field"><span>${label}</span>${control}</label>${hint ? html`<small id="${name}-hint">${hint}</small>` : ""}</div>`;

interface InputOptions {
	readonly type?: string;
	readonly placeholder?: string;
	/** Suggested values. */
	readonly list?: readonly string[] | undefined;
	readonly required?: boolean;
	readonly hint?: string;
	/** True for values longer than a word or two. */
	readonly wide?: boolean | undefined;
}

/** A label and its input. */
export const input = (label: string, name: string, value: string | number = "", options: InputOptions = {}): Html => {
	const { type = "text", placeholder = "", list, required, hint = "", wide } = options;
	return field(
		label,
		name,
		html`<input type="${type}" name="${name}" value="${value}" placeholder="${placeholder}" autocomplete="off" spellcheck="false"${list ? html` list="${name}-list"` : ""}${hint ? html` aria-describedby="${name}-hint"` : ""}${required ? html` required` : ""}>${list ? html`<datalist id="${name}-list">${list.map((word) => html`<option value="${word}"></option>`)}</datalist>` : ""}`,
		{ wide, hint },
	);
};

export const area = (label: string, name: string, value = "", hint = ""): Html =>
	field(
		label,
		name,
		html`<textarea name="${name}" rows="3" spellcheck="false" autocomplete="off"${hint ? html` aria-describedby="${name}-hint"` : ""}>${value}</textarea>`,
		{ wide: true, hint },
	);

interface SelectOptions {
	readonly value: string;
	/** Values with their labels. */
	readonly options: readonly (readonly [string, string])[];
	readonly hint?: string;
}

export const select = (label: string, name: string, { value, options, hint = "" }: SelectOptions): Html =>
	field(
		label,
		name,
		html`<select name="${name}"${hint ? html` aria-describedby="${name}-hint"` : ""}>${options.map(([key, optionLabel]) => html`<option value="${key}"${key === value ? html` selected` : ""}>${optionLabel}</option>`)}</select>`,
		{ hint },
	);

export const same = (words: readonly string[]): [string, string][] =>
	words.map((word) => [word, word.replaceAll("_", " ")]);

/** A checkbox whose form also sends `false`: clearing it is a change, a missing field is none. */
export const check = (label: string, name: string, on: boolean, hint = ""): Html =>
	html`<div class="check"><label><input type="hidden" name="${name}" value="false"><input type="checkbox" name="${name}" value="true"${on ? html` checked` : ""}${hint ? html` aria-describedby="${name}-hint"` : ""}><span>${label}</span></label>${hint ? html`<small id="${name}-hint">${hint}</small>` : ""}</div>`;

/** Content that opens on request. */
export const more = (summary: string, body: Html, of = ""): Html =>
	html`<details class="more"><summary>${summary}${of ? html`<span class="unseen"> ${of}</span>` : ""}</summary><div>${body}</div></details>`;
