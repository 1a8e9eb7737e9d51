import * as telephony from "pulumi-telephony";

// Germany requires identity checks (KYC). `up` buys the number and waits up to 20 minutes for them. If they take longer,
// `up` saves the number and fails with the reason, and the next `up` continues to wait.
const berlin = new telephony.Number("berlin", {
	country: "DE",
	type: "geographic",
	area: "30",
	label: "Berlin office",
	routing: { type: "forward", to: "+49 30 901820", ringTimeoutSeconds: 20 },
	metadata: { team: "sales" },
	releaseProtection: true,
	activationTimeoutSeconds: 1200,
});

// Inbound SMS goes to your own server.
const mobile = new telephony.Number("alerts", {
	country: "SE",
	type: "mobile",
	smsWebhookUrl: "https://hooks.example.com/sms",
});

export const berlinNumber = berlin.phoneNumber;
export const berlinStatus = berlin.status;
export const alertsNumber = mobile.phoneNumber;
