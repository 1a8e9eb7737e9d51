import * as pulumi from "@pulumi/pulumi";
import * as telephony from "pulumi-telephony/plugin";

const config = new pulumi.Config();

const eu = new telephony.Provider("eu", {
	apiKey: config.requireSecret("euKey"),
	baseUrl: config.require("euUrl"),
	onDelete: "release",
});
const us = new telephony.Provider("us", {
	apiKey: config.requireSecret("usKey"),
	baseUrl: config.require("usUrl"),
	onDelete: "release",
});

new telephony.Number("amsterdam", { country: "NL", type: "mobile" }, { provider: eu });
new telephony.Number("austin", { country: "US", type: "mobile" }, { provider: us });
