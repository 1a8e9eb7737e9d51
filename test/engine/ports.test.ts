/** Three numbers move to the account over several runs of one stack: an objection, its correction, and three Numbers. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { VirtualClock } from "../../emulator";
import { useEmulator } from "../helpers/emulator";
import { createProject, flat, plugin, stepsIn, succeeds } from "../helpers/engine";
import { content } from "../helpers/papers";

vi.setConfig({ testTimeout: 600_000 });
const hour = 3_600_000;
const time = new VirtualClock();
const emulator = useEmulator({ clock: time });
const pin = "canary-4711";

const program = (carrierPin: string) => `
	const numbers = ["+31201234567", "+31201234568", "+31612345678"];
	const order = new telephony.PortOrder("move", {
		numbers,
		country: "NL",
		carrier: { name: "Old Telecom", accountNumber: "A-1", pin: ${JSON.stringify(carrierPin)} },
		subscriber: { name: "Example B.V.", address: "Damrak 1, Amsterdam" },
		documents: [{ kind: "letter_of_authorization", file: "loa.pdf" }],
	});
	const desks = numbers.map((adopt, index) => new telephony.Number("desk-" + index, {
		adopt, country: "NL", type: index === 2 ? "mobile" : "geographic", label: "desk " + index, waitForActive: false,
	}, { dependsOn: order }));
	Object.assign(exports, { status: order.status, numberIds: order.numberIds, ids: desks.map(({ id }) => id) });
`;

test("corrects and completes a port, adopts its numbers, and keeps them", async () => {
	const stack = await createProject({ front: plugin, service: emulator, program: program("0000") });
	writeFileSync(join(stack.folder, "loa.pdf"), content("pdf"));
	await succeeds(stack.up());
	const coming = { "desk-0": "+31201234567", "desk-1": "+31201234568", "desk-2": "+31612345678" };
	expect(await stack.ids()).toEqual({ move: expect.stringMatching(/^port_/), ...coming });
	await succeeds(stack.drift());

	time.advance(25 * hour);
	const objected = await succeeds(stack.up("--refresh"));
	expect(flat(objected)).toMatch(/pin_invalid.*\[telephony:port-exception\]/);
	stack.write(program(pin));
	await succeeds(stack.up());
	const orders = () => emulator.control.state().portOrders;
	expect(orders()).toMatchObject([{ status: "submitted", carrier: { pin } }]);

	time.advance(97 * hour);
	await succeeds(stack.up("--refresh"));
	expect(emulator.live().map(({ label, source }) => [label, source])).toEqual(
		[0, 1, 2].map((n) => [`desk ${n}`, "port"]),
	);
	const ids = emulator.live().map(({ id }) => id);
	expect(await stack.outputs()).toMatchObject({ status: "completed", numberIds: ids });
	await succeeds(stack.refresh("--expect-no-changes"));
	expect(Object.values(await stack.ids()).sort()).toEqual([...ids, orders()[0]?.id].sort());

	emulator.edit("number", ids[1] ?? "", { label: "by hand" });
	expect(stepsIn(await stack.drift())).toEqual({ "desk-1": "update" });
	await succeeds(stack.up("--refresh"));
	expect(emulator.live()[1]?.label).toBe("desk 1");
	expect(await stack.outputs()).toMatchObject({ ids });
	expect(await stack.state()).not.toContain(pin);

	const destroyed = await succeeds(stack.destroy());
	expect(flat(destroyed)).toMatch(/Removed the completed port order.*\+31612345678/);
	for (const { reference } of emulator.live()) expect(reference).toContain(".left~");
	expect(emulator.kinds().filter((kind) => /purchase|release/.test(kind))).toEqual([]);
	expect(objected.output + destroyed.output).not.toContain(pin);
	const posts = emulator.writes().filter((each) => /^POST .*(documents|port_orders)$/.test(each));
	expect(posts).toEqual(["POST /port_orders", "POST /kyc/documents"]);
});
