"""For tests of Pulumi programs that use pulumi_telephony: an account on this machine, stacks, and mocks."""

from .account import Account, TelephonyError
from .mocks import MockedResource, TelephonyMocks

__all__ = ["Account", "MockedResource", "TelephonyError", "TelephonyMocks"]
