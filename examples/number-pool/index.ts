import * as telephony from "pulumi-telephony";

// Twenty numbers as one resource, which is faster than twenty resources.
const support = new telephony.NumberPool("support", {
	count: 20,
	country: "NL",
	type: "geographic",
	area: "20",
	label: "support-{index}",
	routing: { type: "sip_uri", uri: "sip:support@pbx.example.com", ringTimeoutSeconds: 20 },
});

// If you raise `count`, `up` buys the difference. If you lower it, `onDelete` decides about the surplus numbers.
export const lines = support.numbers.apply((numbers) =>
	numbers.map(({ name, phoneNumber }) => `${name} ${phoneNumber}`),
);
export const first = support.numbers.apply(([number]) => number?.phoneNumber);
