import pulumi
import pulumi_telephony as telephony

office = telephony.SipTrunk(
    "office",
    auth=telephony.IpAclSipTrunkAuthArgs(
        mode="ip_acl", allowed_cidrs=["198.51.100.0/24"]
    ),
    capacity=30,
)

desk = telephony.Number(
    "desk",
    country="NL",
    type=telephony.NumberType.GEOGRAPHIC,
    area="20",
    label="Front desk",
    routing=telephony.TrunkRoutingArgs(type="trunk", trunk_id=office.id),
)

ready = telephony.Activation(
    "ready",
    number_ids=[desk.id],
    timeout_seconds=3600,
)

sms = telephony.Webhook(
    "sms",
    url="https://hooks.example.com/sms",
    events=[telephony.WebhookEvent.MESSAGE_RECEIVED],
)

support = telephony.NumberPool(
    "support",
    count=3,
    country="NL",
    type=telephony.NumberPoolType.GEOGRAPHIC,
    label="support-{index}",
    routing=telephony.SipUriRoutingArgs(
        type="sip_uri", uri="sip:support@pbx.example.com"
    ),
)

pulumi.export("number", desk.phone_number)
pulumi.export("active", ready.numbers)
pulumi.export("sipDomain", office.sip_domain)
pulumi.export("secret", sms.secret)
pulumi.export("lines", support.numbers)
