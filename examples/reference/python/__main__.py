import pulumi
import pulumi_telephony as telephony

company = telephony.KycProfile(
    "company",
    entity_type=telephony.KycProfileEntityType.BUSINESS,
    name="Example GmbH",
    country="DE",
    address=telephony.KycAddressArgs(
        street="Ufer 1",
        city="Berlin",
        postal_code="10117",
        country="DE",
    ),
    id_number="HRB 12345",
    documents=[
        telephony.KycDocumentArgs(
            kind="company_register", file="documents/register.pdf"
        ),
        telephony.KycDocumentArgs(
            kind="proof_of_address", file="documents/bill.pdf"
        ),
    ],
)

branch = telephony.Number(
    "branch",
    country="DE",
    type=telephony.NumberType.GEOGRAPHIC,
    area="30",
    kyc_profile_id=company.id,
)

move = telephony.PortOrder(
    "move",
    numbers=["+31201234567"],
    country="NL",
    carrier=telephony.PortCarrierArgs(
        name="Old Telecom", account_number="A-1042"
    ),
    subscriber=telephony.PortSubscriberArgs(
        name="Example B.V.", address="Damrak 1, 1012 LG Amsterdam"
    ),
    documents=[
        telephony.KycDocumentArgs(
            kind="letter_of_authorization", file="documents/letter.pdf"
        )
    ],
)

ours = telephony.get_numbers_output(country="NL", label="Front desk")

free = telephony.get_available_numbers_output(country="NL", limit=3)

market = telephony.get_kyc_requirements_output(country="DE", type="geographic")

pulumi.export("number", branch.phone_number)
pulumi.export("status", move.status)
pulumi.export("desks", ours.numbers)
pulumi.export("offers", free.numbers)
pulumi.export("asksFor", market.requirements)
