import * as telephony from "pulumi-telephony";

// A fleet in a regulated market. `up` buys all numbers at once, and one resource waits for the identity checks (KYC) of
// all of them. If they take longer than 30 minutes, `up` fails with the reasons, and the next `up` continues to wait.
const areas = { berlin: "30", hamburg: "40", munich: "89" };

const numbers = Object.entries(areas).map(
	([city, area]) =>
		new telephony.Number(city, { country: "DE", type: "geographic", area, label: city, waitForActive: false }),
);

const fleet = new telephony.Activation("fleet", { numberIds: numbers.map(({ id }) => id), timeoutSeconds: 1800 });

export const states = fleet.numbers;
