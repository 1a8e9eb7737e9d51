/** Submits a port order outside Pulumi. */
import type { TestEmulator } from "./emulator";
import { content } from "./papers";

export async function submitPort({ call }: Pick<TestEmulator, "call">, numbers: readonly string[]): Promise<string> {
	const { body: paper } = await call("POST", "/kyc/documents", {
		...{ kind: "letter_of_authorization", filename: "loa.pdf", media_type: "application/pdf" },
		content: content("pdf").toString("base64"),
	});
	const { body } = await call("POST", "/port_orders", {
		...{ numbers, country: "NL", document_ids: [paper.id] },
		carrier: { name: "Old Telecom", account_number: "A-1", pin: "4711" },
		subscriber: { name: "Example B.V.", address: "Damrak 1, Amsterdam" },
	});
	await call("POST", `/port_orders/${body.id}/submit`);
	return body.id;
}
