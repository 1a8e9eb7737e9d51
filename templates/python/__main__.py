import pulumi
import pulumi_telephony as telephony

office = telephony.SipTrunk(
    "office",
    # The addresses of your own equipment.
    auth=telephony.IpAclSipTrunkAuthArgs(mode="ip_acl", allowed_cidrs=["198.51.100.0/24"]),
    capacity=30,
)

desk = telephony.Number(
    "desk",
    country="NL",
    type="geographic",
    area="20",
    label="Front desk",
    routing=telephony.TrunkRoutingArgs(type="trunk", trunk_id=office.id),
)

events = telephony.Webhook(
    "events",
    url="https://hooks.example.com/telephony",
    events=["number.activated", "number.released"],
)

pulumi.export("phoneNumber", desk.phone_number)
pulumi.export("sipDomain", office.sip_domain)
pulumi.export("webhookSecret", events.secret)
