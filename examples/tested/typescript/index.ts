import * as pulumi from "@pulumi/pulumi";
import * as telephony from "pulumi-telephony";

const trunk = new telephony.SipTrunk("support", {
	auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] },
	capacity: 30,
});

const line = new telephony.Number("support", {
	country: new pulumi.Config("telephony-tested").get("country") ?? "NL",
	type: "mobile",
	routing: { type: "trunk", trunkId: trunk.id },
	waitForActive: false,
});

export const number = line.phoneNumber;
export const status = line.status;
