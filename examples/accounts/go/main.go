package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
	"pulumi-telephony.example/pulumi-telephony/sdk/go/telephony"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		settings := config.New(ctx, "")
		accounts := map[string]*telephony.Provider{}
		for _, name := range []string{"eu", "us"} {
			provider, err := telephony.NewProvider(ctx, name, &telephony.ProviderArgs{
				ApiKey:   settings.RequireSecret(name + "Key"),
				BaseUrl:  pulumi.String(settings.Require(name + "Url")),
				OnDelete: pulumi.String("release"),
			})
			if err != nil {
				return err
			}
			accounts[name] = provider
		}
		if _, err := telephony.NewNumber(ctx, "amsterdam", &telephony.NumberArgs{
			Country: pulumi.String("NL"),
			Type:    telephony.NumberTypeMobile,
		}, pulumi.Provider(accounts["eu"])); err != nil {
			return err
		}
		_, err := telephony.NewNumber(ctx, "austin", &telephony.NumberArgs{
			Country: pulumi.String("US"),
			Type:    telephony.NumberTypeMobile,
		}, pulumi.Provider(accounts["us"]))
		return err
	})
}
