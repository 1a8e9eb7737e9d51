/** The PIN of an adopted port order, which the service never shows. */
import { expect, test } from "vitest";
import { useAccount } from "../../../helpers/account";
import { content, createPapers } from "../../../helpers/papers";
import { aPortOrder, create, openProvider } from "../../../helpers/provider";
import { differs } from "../../../helpers/runs";

const { clock, emulator } = useAccount();
const hour = 3_600_000;
const carrier = { name: "Old Telecom", accountNumber: "A-1" };

function office() {
	const { folder, write } = createPapers();
	write("loa.pdf", content("pdf"));
	return () => openProvider(emulator, { clock, cwd: folder });
}
const declared = (adopt: string) =>
	aPortOrder({ adopt, documents: [{ kind: "letter_of_authorization", file: "loa.pdf" }] });
const row = (id: string) => emulator.control.state().portOrders.find((order) => order.id === id);
/** An order from the dashboard, with a letter. */
async function byHand(pin?: string): Promise<string> {
	const document = { kind: "letter_of_authorization", filename: "loa.pdf", media_type: "application/pdf" };
	const body = { ...document, content: content("pdf").toString("base64") };
	const { id } = (await emulator.call("POST", "/kyc/documents", body)).body;
	const { numbers, country, subscriber } = aPortOrder();
	const order = {
		...{ numbers, country, subscriber, document_ids: [id] },
		carrier: { name: carrier.name, account_number: carrier.accountNumber, ...(pin && { pin }) },
	};
	return (await emulator.call("POST", "/port_orders", order)).body.id;
}

test("reaches a draft", async () => {
	const open = office();
	const id = await byHand();
	const made = await create(open().portOrder, declared(id));
	expect(row(id)).toMatchObject({ status: "submitted", carrier: { pin: "4711" } });
	expect(await differs(open(), made, declared(id))).toBe(false);
});

test("reaches an order that the carriers refused because of its PIN", async () => {
	const open = office();
	const id = await byHand("0000");
	await emulator.call("POST", `/port_orders/${id}/submit`);
	await clock.sleep(25 * hour);
	expect(row(id)).toMatchObject({ status: "exception", exceptions: [{ code: "pin_invalid" }] });
	await create(open().portOrder, declared(id));
	expect(row(id)).toMatchObject({ status: "submitted", carrier: { pin: "4711" } });
});

test("isn't sent to an order in progress, which can't change", async () => {
	const open = office();
	const id = await byHand("4711");
	await emulator.call("POST", `/port_orders/${id}/submit`);
	await create(open().portOrder, declared(id));
	expect(row(id)).toMatchObject({ status: "submitted", carrier: { pin: "4711" } });
});
