import type { useEvents } from "../fixture";

type Furnishing = Pick<ReturnType<typeof useEvents>, "emulator" | "call" | "buy" | "trunk" | "listen" | "settled">;

/** An account with something on each page, the longest names and references among it. */
export const furnish = async ({ emulator, call, buy, trunk, listen, settled }: Furnishing): Promise<string[]> => {
	const { id: trunkId } = await trunk({ name: "a trunk with a rather long name, as somebody will have" });
	const { id: hookId } = await listen(["*"]);
	const { id, number } = await buy("US");
	const { id: german } = await buy("DE");
	await call("PATCH", `/numbers/${id}`, {
		label: "the support line of the whole company, at night and at weekends".slice(0, 64),
		routing: { type: "trunk", trunk_id: trunkId, failover: { type: "forward", to: "+12025550143" } },
		reference: `v1.${"0123456789abcdef".repeat(3)}.${"0123456789abcdef".repeat(3)}`,
	});
	const address = { street: "Unter den Linden 1", city: "Berlin", postal_code: "10117", country: "DE" };
	const { body: profile } = await call("POST", "/kyc/profiles", {
		holder: "business",
		name: "Example Gesellschaft mit beschränkter Haftung",
		country: "DE",
		address,
	});
	await call("PATCH", `/numbers/${german}`, { kyc_profile_id: profile.id });
	emulator.control.decide(String(german), "reject", [{ code: "document_unreadable", message: "Send a sharper copy." }]);
	emulator.control.receiveCall({ to: String(number), from: "+12025550143" });
	emulator.control.receiveMessage({ to: String(number), from: "+12025550143", text: "Is anybody there?" });
	await settled();
	const { body } = await call("POST", "/numbers", { country: "ZZ", type: "mobile" });
	emulator.control.faults.set({ operation: "buyNumber", kind: "status", status: 429, retryAfter: 2, nth: 3 });
	const { body: order } = await call("POST", "/port_orders", {
		numbers: ["+12025550143", "+12025550144"],
		country: "US",
		carrier: { name: "A carrier whose name is longer than most", account_number: "A-1", pin: "0000" },
		subscriber: { name: "Example Gesellschaft mit beschränkter Haftung", address: "Damrak 1, Amsterdam" },
	});
	await call("POST", `/port_orders/${order.id}/submit`);
	emulator.control.clock({ advance: "32d" });
	await settled();
	const invoice = emulator.control.state().invoices[0]?.id;
	const delivery = emulator.control.state().deliveries[0]?.id;
	return [
		...[
			"",
			"/numbers",
			`/numbers/${id}`,
			`/numbers/${german}`,
			"/kyc",
			`/kyc/${profile.id}`,
			"/trunks",
			`/trunks/${trunkId}`,
		],
		...["/webhooks", `/webhooks/${hookId}`, "/deliveries", `/deliveries/${delivery}`, "/calls", "/messages"],
		...[
			"/usage",
			"/usage?group_by=number",
			"/invoices",
			`/invoices/${invoice}`,
			"/port_orders",
			`/port_orders/${order.id}`,
		],
		...["/requests", `/requests/${body.request_id}`, "/ledger", "/faults", "/settings"],
	];
};
