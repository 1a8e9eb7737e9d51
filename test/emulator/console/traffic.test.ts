import { expect, test } from "vitest";
import { describeInBrowser, patient, press, row, said, useConsole } from "../../helpers/console";

describeInBrowser("what goes through the service, in Chromium,", () => {
	const { emulator, call, buy, visit, listen, receiver, settled } = useConsole();
	const state = () => emulator.control.state();

	test("an SMS from outside is received, told to the webhook, and resent at a press", async () => {
		const { id, number } = await buy("US");
		const { id: hookId } = await listen(["message.received"]);
		await visit("/messages", async (page) => {
			await page.getByLabel("To a number of the account").fill(String(number));
			await page.getByLabel("From", { exact: true }).fill("+12025550143");
			await page.getByLabel("Text", { exact: true }).fill("Is anybody there?");
			await press(page, "Receive it");
			await said(page, "The SMS is received.");
			await row(page, "Is anybody there?").getByText("received").waitFor();
			await settled();
			expect(receiver.posts).toMatchObject([{ event: { data: { number_id: id, text: "Is anybody there?" } } }]);

			await page.goto(new URL(`/_console/webhooks/${hookId}`, emulator.url).href);
			const table = page.getByRole("table", { name: "Deliveries" });
			expect(await table.getByRole("row").nth(1).getByRole("cell").allInnerTexts()).toMatchObject([
				expect.stringMatching(/^message\.received\s+dlv_/),
				"delivered",
				expect.stringMatching(/^2\d\d\s+first try$/),
				receiver.url,
				expect.any(String),
				expect.stringMatching(/^Resend/),
			]);
			await table.getByRole("button", { name: /^Resend message\.received/ }).click();
			await said(page, "It is on its way once more.");
			await settled();
			await expect.poll(() => table.getByRole("row").count(), patient).toBe(3);
			await table.getByRole("link", { name: "message.received" }).first().click();
			await page.getByRole("heading", { level: 1, name: "message.received" }).waitFor();
			expect(await page.locator("pre").textContent()).toContain('"text": "Is anybody there?"');
		});
		const [first, second] = receiver.posts;
		expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
		expect(state().numbers).toHaveLength(1);
	});

	test("a message that is sent, and where it has got to", async () => {
		const { number } = await buy("US");
		await visit("/messages", async (page) => {
			await call("POST", "/messages", { from: number, to: "+12025550143", text: "On my way" });
			await row(page, "On my way").getByText("queued").waitFor();
			await press(page, "+1m on the clock");
			await row(page, "On my way").getByText("delivered").waitFor();
		});
	});

	test("a call from outside rings, is answered and ends, as the clock goes", async () => {
		const { id, number } = await buy("US");
		await call("PATCH", `/numbers/${id}`, { routing: { type: "forward", to: "+12025550199" } });
		await visit("/calls", async (page) => {
			await page.getByLabel("To a number of the account").fill(String(number));
			await page.getByLabel("From", { exact: true }).fill("+12025550143");
			await press(page, "Let it ring");
			await said(page, "It rings.");
			expect(state().calls).toMatchObject([{ direction: "inbound", number_id: id, from: "+12025550143" }]);
			await press(page, "+1h on the clock");
			await row(page, "+12025550143").getByText("completed").waitFor();
		});
		expect(state().calls).toMatchObject([{ status: "completed" }]);
	});
});
