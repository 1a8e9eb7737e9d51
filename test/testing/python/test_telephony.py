"""The package for pytest, as its users take it; test/engine/templates.test.ts runs this."""

import pulumi
import pulumi_telephony as telephony
import pytest
from pulumi_telephony_testing import Account, TelephonyError


@pulumi.runtime.test
def test_mocks_fill_what_the_service_would(telephony_mocks):
    office = telephony.SipTrunk("office", auth={"mode": "digest", "username": "pbx-1"}, capacity=30)
    desk = telephony.Number("desk", country="NL", type="geographic", area="20", routing={"type": "trunk", "trunk_id": office.id})
    berlin = telephony.Number("berlin", country="DE", type="mobile")
    sms = telephony.Webhook("sms", url="https://hooks.example.com/sms", events=["message.received"])
    ready = telephony.Activation("ready", number_ids=[berlin.id])
    found = telephony.get_number_output(id=desk.id)

    def check(values):
        number, status, pending, kyc, trunk, secret, waiting, same = values
        assert number.startswith("+3120") and status == "active"
        assert pending == "pending" and kyc["status"] == "action_required"
        assert trunk.startswith("trk_") and secret.startswith("whsec_")
        assert [one["status"] for one in waiting] == ["pending"]
        assert same.phone_number == number
        made = {f"{each.type} {each.name}": each for each in telephony_mocks.resources}
        assert set(made) == {"SipTrunk office", "Number desk", "Number berlin", "Webhook sms", "Activation ready"}
        assert made["Webhook sms"].outputs["secret"] == secret
        assert [entry["kind"] for entry in telephony_mocks.account.ledger()] == ["purchase", "purchase"]

    outputs = [desk.phone_number, desk.status, berlin.status, berlin.kyc, office.id, sms.secret, ready.numbers, found]
    return pulumi.Output.all(*outputs).apply(check)


def test_mocks_refuse_what_a_preview_refuses(telephony_mocks):
    wrong = pulumi.runtime.MockResourceArgs("telephony:index:Number", "desk", {"country": "Holland", "type": "mobile"})
    with pytest.raises(TelephonyError, match="country"):
        telephony_mocks.new_resource(wrong)


def test_a_stack_goes_up_drifts_and_is_destroyed(telephony_account):
    account = telephony_account

    def program():
        trunk = telephony.SipTrunk("office", auth={"mode": "ip_acl", "allowed_cidrs": ["198.51.100.0/24"]}, capacity=30)
        number = telephony.Number("office", country="NL", type="mobile", routing={"type": "trunk", "trunk_id": trunk.id})
        pulumi.export("number", number.phone_number)

    stack = account.stack(program=program)
    stack.set_config("telephony:onDelete", pulumi.automation.ConfigValue("release"))
    number = stack.up().outputs["number"].value
    assert [row["number"] for row in account.state()["numbers"]] == [number]
    account.edit(account.ids(stack)["SipTrunk office"], capacity=7)
    drift = account.drift(stack)
    assert [one["name"] for one in drift["resources"]] == ["office"]
    stack.destroy()
    assert [entry["kind"] for entry in account.ledger()] == ["purchase", "release"]


def test_an_account_is_edited_decided_on_and_turned():
    with Account("--clock", "virtual", "--kyc", "10d") as account:
        assert account.state()["numbers"] == []
        account.advance("1d")
        with pytest.raises(TelephonyError, match="num_gone"):
            account.edit("num_gone", label="x")
