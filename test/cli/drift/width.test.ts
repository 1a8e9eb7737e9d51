/** The Markdown of `telephony drift` as GitHub shows it, 980 px wide. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { driftView } from "../../../cli/drift/view";
import { markdownText } from "../../../cli/report/markdown";
import { findChromium, openBrowser } from "../../helpers/browser.mts";
import { active, pending, reported, step } from "../../helpers/engine-events";

const chromium = findChromium();
let browser: Browser | undefined;
beforeAll(async () => {
	if (chromium !== undefined) browser = await openBrowser(chromium);
});
afterAll(() => browser?.close());

/** As GitHub's style sheet has it, where it matters for widths. */
const style = `
	body { box-sizing: border-box; max-width: 980px; margin: 0 auto; padding: 45px; overflow-wrap: break-word;
		font: 16px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
	table { display: block; width: max-content; max-width: 100%; overflow: auto; border-collapse: collapse; }
	th, td { padding: 6px 13px; border: 1px solid; }
	code { padding: .2em .4em; font: 85% ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
		white-space: break-spaces; }
`;

const html = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
/** Our tables hold code spans, entities and <br>, and nothing else. */
const cell = (text: string) =>
	text
		.split(/((?<!`)`[^`]+`(?!`))/)
		.map((part, index) => (index % 2 === 0 ? part : `<code>${html(part.slice(1, -1)).replaceAll("\\|", "|")}</code>`))
		.join("");

function pageOf(markdown: string): string {
	const rows = markdown.split("\n").filter((line) => line.startsWith("| "));
	const cells = rows.map((row) => row.slice(2, -2).split(/ (?<!\\)\| /));
	const table = cells.map((row) => `<tr>${row.map((each) => `<td>${cell(each)}</td>`).join("")}</tr>`).join("");
	return `<!doctype html><meta charset="utf-8"><style>${style}</style><body><table>${table}</table>`;
}

const long = `https://hooks.example.com/${"a-long-path/".repeat(12)}`;
const kyc = {
	status: "rejected",
	reasons: [{ code: "document_unreadable_in_every_one_of_its_pages", message: `See ${long} for what to hand in` }],
};
const drifted = [
	step("support", {
		inputs: { routing: { type: "trunk", trunkId: "trk_madnkum4rtiy" }, smsWebhookUrl: long },
		outputs: active,
		live: {
			inputs: {
				routing: { type: "sip_uri", uri: "sip:desk@a-rather-long-name-of-a-host.example.com;transport=tls" },
				smsWebhookUrl: long.replace("hooks", "evil"),
			},
		},
	}),
	step("a-name-that-is-far-longer-than-any-column-of-a-table-could-ever-be", { outputs: active, live: null }),
	step("berlin", { outputs: pending, live: { outputs: { ...pending, kyc } }, op: "update" }),
	step("office", {
		type: "SipTrunk",
		inputs: { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] }, capacity: 30 },
		live: { inputs: { auth: { mode: "ip_acl", allowedCidrs: ["0.0.0.0/0"] }, capacity: 7 } },
	}),
];

test.skipIf(chromium === undefined)("fits the page without squeezing a column", async () => {
	const page = await browser?.newPage({ viewport: { width: 980, height: 1200 } });
	if (page === undefined) throw new Error("the browser is gone");
	await page.setContent(pageOf(markdownText(driftView(reported(...drifted), []))));
	const table = page.locator("table");
	const [wide, room] = await table.evaluate((it) => [it.scrollWidth, it.clientWidth]);
	const cells = await page.locator("tr:first-child td").all();
	const columns = await Promise.all(cells.map(async (each) => (await each.boundingBox())?.width ?? 0));
	expect(columns).toHaveLength(5);
	expect(wide).toBeLessThanOrEqual(room ?? 0);
	// Readers look at the changes and consequences.
	expect(Math.min(...columns.slice(3))).toBeGreaterThan(180);
});
