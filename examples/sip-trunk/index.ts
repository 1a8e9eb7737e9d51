import * as telephony from "pulumi-telephony";

// Fixed equipment: an access list of public addresses, calls shared between two hosts.
const office = new telephony.SipTrunk("office", {
	auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24", "203.0.113.7"] },
	capacity: 60,
	callsPerSecond: 10,
	targets: [
		{ host: "sbc1.example.com", port: 5061, transport: "tls", priority: 1 },
		{ host: "sbc2.example.com", port: 5061, transport: "tls", priority: 2 },
	],
	mediaEncryption: "srtp",
	codecs: ["opus", "PCMA"],
});

// Equipment that moves: a user name and a password, which the service makes. Another value of `passwordRotation` makes a new one.
const remote = new telephony.SipTrunk("remote", {
	auth: { mode: "digest", username: "remote-desk" },
	capacity: 5,
	passwordRotation: "2026-11",
});

export const officeDomain = office.sipDomain;
export const remotePassword = remote.password;
