// Infrastructure as code for telephony: declare phone numbers, SIP trunks and webhooks in a Pulumi program.
package telephony
