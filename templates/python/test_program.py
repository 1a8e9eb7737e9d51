import runpy

import pulumi


@pulumi.runtime.test
def test_the_desk_has_a_number_in_amsterdam_which_rings_on_the_trunk(telephony_mocks):
    program = runpy.run_path("__main__.py")

    def check(values):
        number, trunk_id = values
        assert number.startswith("+3120")
        (desk,) = [each for each in telephony_mocks.resources if each.name == "desk"]
        assert desk.inputs["routing"] == {"type": "trunk", "trunkId": trunk_id}

    return pulumi.Output.all(program["desk"].phone_number, program["office"].id).apply(check)


def test_the_stack_goes_up_shows_what_others_change_and_is_destroyed(telephony_account):
    stack = telephony_account.stack(work_dir=".")
    stack.up()
    telephony_account.edit(telephony_account.ids(stack)["SipTrunk office"], capacity=7)
    assert [each["name"] for each in telephony_account.drift(stack)["resources"]] == ["office"]
    stack.destroy()
    assert [each["kind"] for each in telephony_account.ledger()] == ["purchase", "release"]
