const telephony = require("pulumi-telephony");

const office = new telephony.SipTrunk("office", {
	// The addresses of your own equipment.
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

const events = new telephony.Webhook("events", {
	url: "https://hooks.example.com/telephony",
	events: ["number.activated", "number.released"],
});

module.exports = {
	phoneNumber: desk.phoneNumber,
	sipDomain: office.sipDomain,
	webhookSecret: events.secret,
};
