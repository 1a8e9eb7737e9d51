import { html } from "hono/html";
import type { Service } from "../../service/service";
import type { KycDocumentRow } from "../../store/store";
import { code, type Html, table, time } from "../html";

/** Documents by what tells one from another: nobody keeps their content. */
export const documentTable = (rows: readonly KycDocumentRow[]): Html =>
	table<KycDocumentRow>({
		caption: "Documents",
		columns: [
			{ title: "File", cell: ({ filename, id }) => html`<b>${filename}</b><small class="id">${id}</small>` },
			{
				title: "Kind",
				cell: ({ kind, created_at }) => html`${kind.replaceAll("_", " ")}<small>${time(created_at)}</small>`,
			},
			{ title: "Bytes", cell: ({ size }) => size, right: true },
			{
				title: "SHA-256",
				cell: ({ sha256 }) => html`<span title="${sha256}">${code(`${sha256.slice(0, 8)}…`)}</span>`,
			},
		],
		rows,
		idOf: ({ id }) => id,
		empty: "No documents.",
	});

/** The documents that a profile or a port order names. */
export const documentsOf = ({ store }: Service, ids: readonly string[]): Html =>
	documentTable(ids.flatMap((id) => store.kycDocuments.get(id) ?? []));
