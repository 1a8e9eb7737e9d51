import * as pulumi from "@pulumi/pulumi";
import * as telephony from "pulumi-telephony";

// Moves two numbers from another carrier. `up` submits the order and ends. Each later `up --refresh` shows its progress.
const numbers = ["+31201234567", "+31201234568"];

const order = new telephony.PortOrder("move", {
	numbers,
	country: "NL",
	carrier: { name: "Old Telecom", accountNumber: "A-1042", pin: new pulumi.Config().getSecret("pin") },
	subscriber: { name: "Example B.V.", address: "Damrak 1, 1012 LG Amsterdam" },
	documents: [{ kind: "letter_of_authorization", file: "documents/letter.pdf" }],
});

// Buys nothing. The run doesn't wait: a later `up` adopts each number once it has arrived.
const lines = numbers.map(
	(adopt, index) =>
		new telephony.Number(
			`line-${index + 1}`,
			{ country: "NL", type: "geographic", adopt, label: `Line ${index + 1}`, waitForActive: false },
			{ dependsOn: order },
		),
);

export const status = order.status;
export const scheduledAt = order.scheduledAt;
export const states = lines.map((line) => line.status);
