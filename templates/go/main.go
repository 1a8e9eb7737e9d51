package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"pulumi-telephony.example/pulumi-telephony/sdk/go/telephony"
)

func main() { pulumi.Run(program) }

func program(ctx *pulumi.Context) error {
	office, err := telephony.NewSipTrunk(ctx, "office", &telephony.SipTrunkArgs{
		// The addresses of your own equipment.
		Auth:     telephony.IpAclSipTrunkAuthArgs{Mode: pulumi.String("ip_acl"), AllowedCidrs: pulumi.ToStringArray([]string{"198.51.100.0/24"})},
		Capacity: pulumi.Int(30),
	})
	if err != nil {
		return err
	}
	desk, err := telephony.NewNumber(ctx, "desk", &telephony.NumberArgs{
		Country: pulumi.String("NL"),
		Type:    telephony.NumberTypeGeographic,
		Area:    pulumi.String("20"),
		Label:   pulumi.String("Front desk"),
		Routing: telephony.TrunkRoutingArgs{Type: pulumi.String("trunk"), TrunkId: office.ID()},
	})
	if err != nil {
		return err
	}
	events, err := telephony.NewWebhook(ctx, "events", &telephony.WebhookArgs{
		Url: pulumi.String("https://hooks.example.com/telephony"),
		Events: pulumi.StringArray{
			pulumi.String(telephony.WebhookEventNumberActivated),
			pulumi.String(telephony.WebhookEventNumberReleased),
		},
	})
	if err != nil {
		return err
	}
	ctx.Export("phoneNumber", desk.PhoneNumber)
	ctx.Export("sipDomain", office.SipDomain)
	ctx.Export("webhookSecret", events.Secret)
	return nil
}
