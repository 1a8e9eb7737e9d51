import * as telephony from "pulumi-telephony";

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

export const phoneNumber = desk.phoneNumber;
export const sipDomain = office.sipDomain;
export const webhookSecret = events.secret;
