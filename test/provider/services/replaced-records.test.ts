/** A carrier whose PATCH replaces the record: it clears what a request leaves out. */
import { expect, test } from "vitest";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { differs, failedUp, upAgain } from "../../helpers/runs";
import { useCarrier } from "../../helpers/scripted-carrier";

const unset = { label: null, routing: null, reference: null, sms_webhook_url: null, metadata: null };
const carrier = useCarrier("-idempotencyKey reference", ({ sell }) => ({
	sell: (serial, body) => ({ ...sell(serial, body), release_protection: false, ...unset }),
	change: (row, body) => void Object.assign(row, unset, { release_protection: false }, body),
}));
const { open } = carrier;
const forward = { type: "forward", to: "+31201234567" };

test("calls still arrive after a change of the label", async () => {
	const before = aNumber({ label: "a", routing: forward, metadata: { team: "x" } });
	const after = aNumber({ label: "b", routing: forward, metadata: { team: "x" } });
	const changed = await upAgain(open(), await create(open().number, before), after, before);
	expect(carrier.rows).toMatchObject([{ label: "b", routing: forward, metadata: { team: "x" } }]);
	expect(await differs(open(), changed, after)).toBe(false);
});

test("calls still arrive at a retained number", async () => {
	const news = aNumber({ routing: forward, onDelete: "retain" });
	const { id, outs } = await create(open().number, news);
	await open().number.delete(id, outs);
	expect(carrier.rows).toMatchObject([{ routing: forward, reference: expect.stringContaining(".left~") }]);
	expect((await create(open().number, news)).id).toBe(id);
});

test("an adopted number keeps what the program doesn't declare", async () => {
	carrier.rows.push({
		...{ id: "n9", number: "+31612345019", country: "NL", type: "mobile", status: "active", ...unset },
		...{ label: "Reception", routing: forward, release_protection: true },
	});
	await create(open().number, aNumber({ adopt: "n9" }));
	expect(carrier.rows).toMatchObject([{ label: "Reception", routing: forward, release_protection: true }]);
});

test("a removed label stays cleared", async () => {
	const before = aNumber({ label: "a", routing: forward });
	await upAgain(open(), await create(open().number, before), aNumber({ routing: forward }), before);
	expect(carrier.rows).toMatchObject([{ label: null, routing: forward }]);
});

test("a label that the carrier escapes is restored as declared", async () => {
	const { change } = carrier.make;
	carrier.make.change = (row, { label, ...body }) =>
		change(row, { ...body, ...(typeof label === "string" && { label: label.replaceAll("&", "&amp;") }) });
	const before = aNumber({ label: "A & B", metadata: { team: "x" } });
	const after = aNumber({ label: "A & B", metadata: { team: "y" } });
	const changed = await upAgain(open(), await create(open().number, before), after, before);
	expect(carrier.rows).toMatchObject([{ label: "A &amp; B", metadata: { team: "y" } }]);
	expect(await differs(open(), changed, after)).toBe(false);
});

const refusal = [422, { error: "validation_failed", message: "No.", request_id: "r" }] as const;

test("a retained number whose routing can't be restored is reported", async () => {
	const { id, outs } = await create(open().number, aNumber({ routing: forward, onDelete: "retain" }));
	carrier.make.intercept = ({ method, body }, respond) =>
		method === "PATCH" && body.includes("routing") ? refusal : respond();
	expect((await failureOf(open().number.delete(id, outs))).message).toContain("validation_failed");
});

test("a value that excludes another one clears only that one", async () => {
	const hook = "https://hooks.example.com/sms";
	carrier.rows.push({
		...{ id: "n9", number: "+31612345019", country: "NL", type: "mobile", status: "active", ...unset },
		...{ label: "Reception", metadata: { team: "x" }, sms_webhook_url: hook },
	});
	carrier.make.change = (row, body) => void Object.assign(row, body.routing && { sms_webhook_url: null }, body);
	carrier.make.intercept = ({ method, body }, respond) =>
		method === "PATCH" && body.includes("routing") && body.includes(hook) ? refusal : respond();
	const news = aNumber({ adopt: "n9", routing: forward });
	const adopted = await create(open().number, news);
	expect(await differs(open(), adopted, news)).toBe(false);
	expect(carrier.rows).toMatchObject([{ label: "Reception", metadata: { team: "x" }, routing: forward }]);
	const both = aNumber({ adopt: "n9", routing: { type: "forward", to: "+31201234568" }, smsWebhookUrl: hook });
	expect((await failedUp(open(), both, adopted)).error.message).toContain("validation_failed");
});
