package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"pulumi-telephony.example/pulumi-telephony/sdk/go/telephony"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		office, err := telephony.NewSipTrunk(ctx, "office", &telephony.SipTrunkArgs{
			Auth: telephony.IpAclSipTrunkAuthArgs{
				Mode:         pulumi.String("ip_acl"),
				AllowedCidrs: pulumi.ToStringArray([]string{"198.51.100.0/24"}),
			},
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
			Routing: telephony.TrunkRoutingArgs{
				Type:    pulumi.String("trunk"),
				TrunkId: office.ID(),
			},
		})
		if err != nil {
			return err
		}
		ready, err := telephony.NewActivation(ctx, "ready", &telephony.ActivationArgs{
			NumberIds:      pulumi.StringArray{desk.ID()},
			TimeoutSeconds: pulumi.Int(3600),
		})
		if err != nil {
			return err
		}
		sms, err := telephony.NewWebhook(ctx, "sms", &telephony.WebhookArgs{
			Url: pulumi.String("https://hooks.example.com/sms"),
			Events: pulumi.StringArray{
				pulumi.String(telephony.WebhookEventMessageReceived),
			},
		})
		if err != nil {
			return err
		}
		support, err := telephony.NewNumberPool(
			ctx,
			"support",
			&telephony.NumberPoolArgs{
				Count:   pulumi.Int(3),
				Country: pulumi.String("NL"),
				Type:    telephony.NumberPoolTypeGeographic,
				Label:   pulumi.String("support-{index}"),
				Routing: telephony.SipUriRoutingArgs{
					Type: pulumi.String("sip_uri"),
					Uri:  pulumi.String("sip:support@pbx.example.com"),
				},
			},
		)
		if err != nil {
			return err
		}
		ctx.Export("number", desk.PhoneNumber)
		ctx.Export("active", ready.Numbers)
		ctx.Export("sipDomain", office.SipDomain)
		ctx.Export("secret", sms.Secret)
		ctx.Export("lines", support.Numbers)
		return nil
	})
}
