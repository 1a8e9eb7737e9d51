/** Three numbers move to the account over several runs of one stack: an objection, its correction, and three Numbers. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../emulator";
import { useEmulator } from "../helpers/emulator";
import { createProject, flat, plugin, seenAt, stepsIn, succeeds } from "../helpers/engine";
import { content } from "../helpers/papers";

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
	adopt,
	country: "NL",
	type: index === 2 ? "mobile" : "geographic",
	label: "desk " + index,
	waitForActive: false,
}, { dependsOn: order }));
exports.status = order.status;
exports.numberIds = order.numberIds;
exports.ids = desks.map(({ id }) => id);
`;

describe("a port of three numbers", { timeout: 5 * 60_000 }, () => {
	test("is corrected, completed and adopted: nothing is bought, and destroy keeps the numbers", async () => {
		const project = await createProject({ front: plugin, service: emulator, program: program("0000") });
		writeFileSync(join(project.folder, "loa.pdf"), content("pdf"));
		const { ledger, live } = seenAt(emulator);

		await succeeds(project.up());
		expect(await project.ids()).toMatchObject({
			move: expect.stringMatching(/^port_/),
			"desk-0": "+31201234567",
			"desk-2": "+31612345678",
		});
		await succeeds(project.drift());

		time.advance(25 * hour);
		const objected = await succeeds(project.up("--refresh"));
		expect(flat(objected)).toMatch(/pin_invalid.*\[telephony:port-exception\]/);

		project.write(program(pin));
		await succeeds(project.up());
		expect(emulator.control.state().portOrders).toMatchObject([{ status: "submitted", carrier: { pin } }]);

		time.advance(97 * hour);
		await succeeds(project.up("--refresh"));
		expect(live().map(({ label, source }) => [label, source])).toEqual([0, 1, 2].map((n) => [`desk ${n}`, "port"]));
		const ids = live().map(({ id }) => id);
		expect(await project.outputs()).toMatchObject({ status: "completed", numberIds: ids });
		await succeeds(project.refresh("--expect-no-changes"));
		expect(Object.values(await project.ids()).sort(), "a refresh gives each entry its number's id").toEqual(
			[...ids, emulator.control.state().portOrders[0]?.id].sort(),
		);

		emulator.edit("number", ids[1] ?? "", { label: "by hand" });
		const drifted = await project.drift();
		expect({ code: drifted.code === 0, steps: stepsIn(drifted) }).toEqual({
			code: false,
			steps: { "desk-1": "update" },
		});
		await succeeds(project.up("--refresh"));
		expect(live()[1]?.label).toBe("desk 1");
		expect(await project.outputs(), "the program has the numbers' ids").toMatchObject({ ids });
		expect(await project.state()).not.toContain(pin);

		const destroyed = await succeeds(project.destroy());
		expect(flat(destroyed)).toMatch(/Removed the completed port order.*\+31612345678/);
		for (const { reference } of live()) expect(reference).toContain(".left~");
		expect({ bought: ledger("purchase"), released: ledger("release") }).toEqual({ bought: [], released: [] });
		expect([objected, destroyed].map(({ output }) => output.includes(pin))).toEqual([false, false]);
		expect(emulator.writes().filter((each) => each === "POST /kyc/documents" || each === "POST /port_orders")).toEqual([
			"POST /port_orders",
			"POST /kyc/documents",
		]);
	});
});
