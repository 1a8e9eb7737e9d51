import * as telephony from "pulumi-telephony";

// Twenty lines as one resource: the engine works for one resource instead of twenty.
const support = new telephony.NumberPool("support", {
	count: 20,
	country: "NL",
	type: "geographic",
	area: "20",
	label: "support-{index}",
	routing: { type: "sip_uri", uri: "sip:support@pbx.example.com", ringTimeoutSeconds: 20 },
});

// Raise `count`, and `up` buys the difference. With a lower one, surplus numbers end as `onDelete` says.
export const lines = support.numbers.apply((numbers) =>
	numbers.map(({ name, phoneNumber }) => `${name} ${phoneNumber}`),
);
export const first = support.numbers.apply(([number]) => number?.phoneNumber);
