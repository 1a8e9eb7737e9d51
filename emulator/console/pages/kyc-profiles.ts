import { html } from "hono/html";
import type { Decision } from "../../areas/kyc/kyc";
import { decidableProfiles } from "../../areas/kyc/profiles";
import { usersByObject } from "../../service/users";
import type { KycProfileRow } from "../../store/store";
import { decide } from "../decide";
import { numberLinks } from "../facts";
import { type Html, panel, state, text } from "../html";
import { kindSection } from "../section";
import { documentsOf } from "./documents";
import { labels, reasonLines, reject } from "./kyc";

/** Decisions on a profile that its state allows. */
const profileActions = ({ id, name, status }: KycProfileRow): Html =>
	decide<Decision>({
		path: `kyc/profiles/${id}`,
		of: name,
		labels,
		reject,
		can: (decision) => decidableProfiles[decision].includes(status),
	});

export const kycProfiles = kindSection(
	"kycProfiles",
	{
		about: () => "Holders of numbers. A decision applies to all numbers of the profile.",
		columns: (service) => {
			const users = usersByObject(service, "kycProfiles");
			return [
				{ title: "Holder", cell: ({ holder, country }) => `${holder} · ${country}` },
				{ title: "State", cell: ({ status, reasons }) => html`${state(status)}${reasonLines(reasons)}` },
				{ title: "Documents", cell: ({ document_ids }) => document_ids.length, right: true },
				{ title: "Numbers", cell: ({ id }) => users.get(id)?.length ?? 0, right: true },
				"submitted_at",
				{ title: "Decide", cell: profileActions },
			];
		},
		empty: html`No KYC profiles yet. Create one with <code>POST /v1/kyc/profiles</code>.`,
	},
	{
		omit: ["document_ids"],
		facts: ({ id, id_number }, service) => ({
			id_number: id_number === null ? text(null) : "stored",
			numbers: numberLinks(service, usersByObject(service, "kycProfiles").get(id) ?? []),
		}),
		leftColumn: ({ document_ids }, service) => documentsOf(service, document_ids),
		rightColumn: (row) => panel("Decide", profileActions(row)),
		removal: { label: "Delete", note: "At once, even if numbers use it." },
	},
);
