"""What pytest finds by itself. Nothing is loaded before a test asks for it."""

import pytest


@pytest.fixture
def telephony_account():
    """An account of the test's own, in memory. It ends with the test, and its stacks with it."""
    from .account import Account

    with Account() as account:
        yield account


@pytest.fixture
def telephony_mocks():
    """Mocks in place of the engine, for `@pulumi.runtime.test`: they fill outputs as the service would."""
    import pulumi

    from .account import Account
    from .mocks import TelephonyMocks

    with Account() as account, TelephonyMocks(account) as mocks:
        pulumi.runtime.set_mocks(mocks)
        yield mocks
