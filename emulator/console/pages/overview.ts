import { html } from "hono/html";
import { type Html, panel } from "../html";
import type { Section } from "../section";
import { kycTable, policyForm, waitingForKyc } from "./kyc";
import { requestTable } from "./requests";

const tile = (href: string, title: string, value: number, note: string): Html =>
	html`<li><a href="/_console/${href}"><span>${title}</span><b>${value}</b><small>${note}</small></a></li>`;

/** How often each word occurs: `2 active, 1 pending`. */
const counted = (words: Iterable<string>): string => {
	const counts = new Map<string, number>();
	for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
	return [...counts].map(([word, count]) => `${count}\u00a0${word.replaceAll("_", "\u00a0")}`).join(", ") || "none yet";
};

export const overview: Section = {
	title: "Overview",

	list: ({ service }) => {
		const { store, journal, ledger, faults } = service;
		const live = [...store.numbers].filter(({ status }) => status !== "released");
		const waiting = waitingForKyc(service);
		const all = html`<a href="/_console/kyc">All ${waiting.length}</a>`;
		const fired = faults.list().reduce((total, rule) => total + rule.fired, 0);
		return {
			title: "Overview",
			body: html`<ul class="tiles">
${tile("numbers", "Numbers", live.length, counted(live.map(({ status }) => status)))}
${tile("kyc", "Waiting for KYC", waiting.length, counted(waiting.map(({ kyc }) => kyc?.status ?? "")))}
${tile("trunks", "Trunks", store.trunks.size, counted([...store.trunks].map(({ status }) => status)))}
${tile("webhooks", "Webhooks", store.webhooks.size, counted([...store.webhooks].map(({ status }) => status)))}
${tile("requests", "Requests", journal.size, `${journal.refused} refused`)}
${tile("ledger", "Ledger", ledger.size, counted([...ledger].map(({ kind }) => kind)))}
${tile("faults", "Faults", faults.list().length, `${fired} fired`)}
</ul>
${waiting.length > 0 ? panel("Waiting for KYC", kycTable(service, waiting.slice(0, 5)), waiting.length > 5 ? all : "") : ""}
${panel("Latest requests", requestTable(journal.latest(12).reverse()), html`<a href="/_console/requests">All requests</a>`)}
<div class="columns"><div>${panel("KYC of new numbers", policyForm(service))}</div></div>`,
		};
	},
};
