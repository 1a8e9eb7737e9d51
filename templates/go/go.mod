module telephony-program

go 1.24.0

require (
	github.com/pulumi/pulumi/sdk/v3 v3.220.0
	pulumi-telephony.example/pulumi-telephony/sdk/go v0.1.0
	pulumi-telephony.example/pulumi-telephony/sdk/go-testing v0.1.0
)
