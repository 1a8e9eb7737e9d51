const telephony = require("pulumi-telephony/plugin");

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

exports.number = desk.phoneNumber;
exports.active = ready.numbers;
exports.sipDomain = office.sipDomain;
exports.secret = sms.secret;
exports.lines = support.numbers;
