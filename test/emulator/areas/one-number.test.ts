/** No number is on the account twice. */
import { expect, test } from "vitest";
import type { PortOrderRow } from "../../../emulator";
import { submitPort } from "../../helpers/ports";
import { refusal, useVirtualEmulator } from "../fixture";

const virtual = useVirtualEmulator();
const { emulator, call } = virtual;
const kind = { country: "NL", type: "geographic" };

const buy = async () => (await call("POST", "/numbers", kind)).body;
const offered = async (): Promise<string[]> =>
	(await call("GET", "/available_numbers?country=NL&type=geographic")).body.data.map(({ number }) => String(number));
const first = async () => (await offered())[0] ?? "";

const port = (number: string) => submitPort(virtual, [number]);
const far = "+31701234567";

test.each<[string, (number: string) => Promise<unknown> | unknown]>([
	["an order names", port],
	[
		"an order names after a change",
		async (number) => {
			const { body } = await call("POST", "/port_orders", {
				...{ numbers: [far], country: "NL", carrier: { name: "Old Telecom" } },
				subscriber: { name: "Example B.V.", address: "Damrak 1, Amsterdam" },
			});
			expect((await call("PATCH", `/port_orders/${body.id}`, { numbers: [number] })).status).toBe(200);
		},
	],
	[
		"an order names after an edit outside",
		async (number) => emulator.control.patchPortOrder(await port(far), { numbers: [number] }),
	],
	["was set outside", async (number) => emulator.control.patchNumber((await buy()).id, { number })],
	[
		"a snapshot holds",
		async (number) => {
			const { id } = await buy();
			const { format, tables } = emulator.control.snapshot();
			const rows = (tables.numbers ?? []).map(([key, row]): [string, unknown] => [key, { ...(row as object), number }]);
			expect(rows).toMatchObject([[id, {}]]);
			emulator.control.restore({ format, tables: { ...tables, numbers: rows, used: [], taken: [] } });
		},
	],
])("the inventory doesn't sell a number that %s", async (_, hold) => {
	const [, , number = ""] = await offered();
	await hold(number);
	expect(await offered()).not.toContain(number);
	for (let bought = 0; bought < 3; bought++) expect((await buy()).number).not.toBe(number);
});

test("refuses the change-over of a number that is on the account by then", async () => {
	const number = await first();
	const id = await port(number);
	const bought = await buy();
	emulator.control.patchNumber(bought.id, { number });
	const order: PortOrderRow = emulator.control.decidePortOrder(id, "complete");
	expect(order).toMatchObject({ status: "exception", exceptions: [{ code: "number_not_portable" }], number_ids: [] });
	expect(emulator.control.state().numbers).toHaveLength(1);
});

test("doesn't restore a released number that was ported since", async () => {
	const { id, number } = await buy();
	await call("DELETE", `/numbers/${id}`);
	emulator.control.decidePortOrder(await port(String(number)), "complete");
	expect(await call("POST", `/numbers/${id}/restore`)).toMatchObject(refusal(409, "not_restorable"));
	expect((await call("GET", "/numbers")).body.data).toMatchObject([{ number, source: "port" }]);
});
