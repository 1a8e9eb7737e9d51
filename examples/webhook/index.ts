import * as telephony from "pulumi-telephony";

const calls = new telephony.Webhook("calls", {
	url: "https://hooks.example.com/calls",
	events: ["call.initiated", "call.answered", "call.completed"],
	description: "Call log of the CRM",
	secretRotation: "2026-11",
});

export const secret = calls.secret;
export const secretVersion = calls.secretVersion;
