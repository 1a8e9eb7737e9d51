package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"pulumi-telephony.example/pulumi-telephony/sdk/go/telephony"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		company, err := telephony.NewKycProfile(
			ctx,
			"company",
			&telephony.KycProfileArgs{
				EntityType: pulumi.String(telephony.KycProfileEntityTypeBusiness),
				Name:       pulumi.String("Example GmbH"),
				Country:    pulumi.String("DE"),
				Address: telephony.KycAddressArgs{
					Street:     pulumi.String("Ufer 1"),
					City:       pulumi.String("Berlin"),
					PostalCode: pulumi.String("10117"),
					Country:    pulumi.String("DE"),
				},
				IdNumber: pulumi.String("HRB 12345"),
				Documents: telephony.KycDocumentArray{
					telephony.KycDocumentArgs{
						Kind: pulumi.String(telephony.KycDocumentKindCompanyRegister),
						File: pulumi.String("documents/register.pdf"),
					},
					telephony.KycDocumentArgs{
						Kind: pulumi.String(telephony.KycDocumentKindProofOfAddress),
						File: pulumi.String("documents/bill.pdf"),
					},
				},
			},
		)
		if err != nil {
			return err
		}
		branch, err := telephony.NewNumber(ctx, "branch", &telephony.NumberArgs{
			Country:      pulumi.String("DE"),
			Type:         telephony.NumberTypeGeographic,
			Area:         pulumi.String("30"),
			KycProfileId: company.ID(),
		})
		if err != nil {
			return err
		}
		move, err := telephony.NewPortOrder(ctx, "move", &telephony.PortOrderArgs{
			Numbers: pulumi.ToStringArray([]string{"+31201234567"}),
			Country: pulumi.String("NL"),
			Carrier: telephony.PortCarrierArgs{
				Name:          pulumi.String("Old Telecom"),
				AccountNumber: pulumi.String("A-1042"),
			},
			Subscriber: telephony.PortSubscriberArgs{
				Name:    pulumi.String("Example B.V."),
				Address: pulumi.String("Damrak 1, 1012 LG Amsterdam"),
			},
			Documents: telephony.KycDocumentArray{telephony.KycDocumentArgs{
				Kind: pulumi.String(telephony.KycDocumentKindLetterOfAuthorization),
				File: pulumi.String("documents/letter.pdf"),
			}},
		})
		if err != nil {
			return err
		}
		ours := telephony.GetNumbersOutput(ctx, telephony.GetNumbersOutputArgs{
			Country: pulumi.String("NL"),
			Label:   pulumi.String("Front desk"),
		})
		free := telephony.GetAvailableNumbersOutput(
			ctx,
			telephony.GetAvailableNumbersOutputArgs{
				Country: pulumi.String("NL"),
				Limit:   pulumi.Int(3),
			},
		)
		market := telephony.GetKycRequirementsOutput(
			ctx,
			telephony.GetKycRequirementsOutputArgs{
				Country: pulumi.String("DE"),
				Type:    telephony.GetKycRequirementsTypeGeographic,
			},
		)
		ctx.Export("number", branch.PhoneNumber)
		ctx.Export("status", move.Status)
		ctx.Export("desks", ours.Numbers())
		ctx.Export("offers", free.Numbers())
		ctx.Export("asksFor", market.Requirements())
		return nil
	})
}
