import * as telephony from "pulumi-telephony/plugin";

const office = new telephony.SipTrunk("office", {
	auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] },
	capacity: 30,
});

const desk = new telephony.Number("desk", {
	country: "NL",
	type: "geographic",
	area: "20",
	label: "Front desk",
	routing: { type: "trunk", trunkId: office.id },
});

const ready = new telephony.Activation("ready", {
	numberIds: [desk.id],
	timeoutSeconds: 3600,
});

const sms = new telephony.Webhook("sms", {
	url: "https://hooks.example.com/sms",
	events: ["message.received"],
});

const support = new telephony.NumberPool("support", {
	count: 3,
	country: "NL",
	type: "geographic",
	label: "support-{index}",
	routing: { type: "sip_uri", uri: "sip:support@pbx.example.com" },
});

export const number = desk.phoneNumber;
export const active = ready.numbers;
export const sipDomain = office.sipDomain;
export const secret = sms.secret;
export const lines = support.numbers;
