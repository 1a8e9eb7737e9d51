/** A carrier that keeps references without some of their characters. */
import { describe, expect, test } from "vitest";
import { aNumber } from "../../helpers/provider";
import { failedUp } from "../../helpers/runs";
import { useCarrier } from "../../helpers/scripted-carrier";

const carrier = useCarrier("-idempotencyKey reference");
const { open } = carrier;

describe.each<[string, (text: string) => string]>([
	["without dots, tildes and slashes", (text) => text.replace(/[^\w-]/g, "")],
	["with underscores instead", (text) => text.replace(/\W/g, "_")],
	["without tildes and slashes", (text) => text.replace(/[~/]/g, "")],
	["with hyphens in place of tildes", (text) => text.replaceAll("~", "-")],
	["with HTML entities", (text) => text.replaceAll("/", "&#x2F;")],
])("references %s", (_, strip) => {
	const alter = () => {
		carrier.make.change = (row, { reference, ...body }) =>
			Object.assign(row, body, typeof reference === "string" && { reference: strip(reference) });
	};

	test("stop a run after its first purchase", async () => {
		alter();
		const run = open();
		expect((await failedUp(run, aNumber({}, "a"))).error.message).toContain("[telephony:reference-cut]");
		await failedUp(run, aNumber({}, "b")).catch(() => undefined);
		expect(carrier.purchases).toEqual(["n1"]);
	});

	test("lose no number on the way to a description without references", async () => {
		alter();
		const saved = await failedUp(open(), aNumber());
		const retried = await failedUp(open(), aNumber(), saved);
		expect(retried.error.message).toContain("[telephony:reference-cut]");
		await open().number.delete(retried.id, retried.outs);
		expect([carrier.rows, carrier.purchases]).toEqual([[], ["n1"]]);
	});
});
