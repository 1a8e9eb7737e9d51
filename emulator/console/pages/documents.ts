import { html } from "hono/html";
import type { Service } from "../../service/service";
import type { KycDocumentRow } from "../../store/store";
import { type Column, code, type Html, panel, table } from "../html";
import { kindSection, nameColumn } from "../section";

/** The properties that tell documents apart: the emulator doesn't keep their content. */
const columns: readonly Column<KycDocumentRow>[] = [
	{ title: "Kind", cell: ({ kind }) => kind.replaceAll("_", " ") },
	{ title: "Bytes", cell: ({ size }) => size, right: true },
	{ title: "SHA-256", cell: ({ sha256 }) => html`<span title="${sha256}">${code(`${sha256.slice(0, 8)}…`)}</span>` },
];

export const kycDocuments = kindSection("kycDocuments", {
	about: () => "Documents of profiles and port orders.",
	columns: () => [...columns, "created_at"],
});

/** The documents of a profile or a port order. */
export const documentsOf = ({ store }: Service, ids: readonly string[]): Html =>
	panel(
		"Documents",
		table<KycDocumentRow>({
			caption: "Documents",
			columns: [nameColumn("kycDocuments"), ...columns],
			rows: ids.flatMap((id) => store.kycDocuments.get(id) ?? []),
			idOf: ({ id }) => id,
			empty: "No documents.",
		}),
	);
