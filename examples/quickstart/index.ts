import * as telephony from "pulumi-telephony";

const trunk = new telephony.SipTrunk("office", {
	auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] },
	capacity: 30,
});

const amsterdam = new telephony.Number("amsterdam", {
	country: "NL",
	type: "geographic",
	area: "20",
	label: "Front desk",
	routing: { type: "trunk", trunkId: trunk.id, failover: { type: "forward", to: "+31 20 123 4567" } },
});

const support = new telephony.Number("support", {
	country: "US",
	type: "toll_free",
	label: "Support",
	routing: { type: "trunk", trunkId: trunk.id },
});

const sms = new telephony.Webhook("sms", {
	url: "https://hooks.example.com/sms",
	events: ["message.received", "message.status"],
});

export const trunkId = trunk.id;
export const sipDomain = trunk.sipDomain;
export const officeNumber = amsterdam.phoneNumber;
export const supportId = support.id;
export const supportNumber = support.phoneNumber;
export const webhookSecret = sms.secret;
