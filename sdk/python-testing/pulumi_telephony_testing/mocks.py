"""Mocks for unit tests. They are no second truth: the plugin itself checks and fills, on an account of the test's own."""

import itertools
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

import grpc
import pulumi
from google.protobuf import json_format, struct_pb2
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc, status_pb2

from .account import Account, TelephonyError, start, stop

#: They ask `up` to wait, and a test waits for nothing.
_WAITS = ("waitForApproval", "waitForCompletion")
_SECRET = "4dabf18193072939515e22adb298388d"


@dataclass(frozen=True)
class MockedResource:
    """What a program has registered. Properties have the names of the schema, such as `smsWebhookUrl`."""

    #: Such as `SipTrunk`; the full token if it isn't a telephony resource.
    type: str
    name: str
    id: str
    #: As the program gives them.
    inputs: Dict[str, Any]
    #: As the service fills them, secrets in clear.
    outputs: Dict[str, Any]


class TelephonyMocks(pulumi.runtime.Mocks):
    """For `pulumi.runtime.set_mocks`. All resources of other packages get their inputs back.

    :param account: where the resources are. A number in a regulated market stays `pending`, unless it says otherwise.
    """

    def __init__(self, account: Account) -> None:
        self.account = account
        #: What was registered or looked up so far.
        self.resources: List[MockedResource] = []
        self._counter = itertools.count()
        env = {**account.environment, "PULUMI_BACKEND_URL": "https://mocks.example"}
        self._process, port = start("pulumi-resource-telephony", env=env)
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port.strip()}", [("grpc.enable_http_proxy", 0)])
        self._plugin = provider_pb2_grpc.ResourceProviderStub(self._channel)
        self._plugin.Configure(provider_pb2.ConfigureRequest(acceptSecrets=True))

    def __enter__(self) -> "TelephonyMocks":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the plugin."""
        self._channel.close()
        stop(self._process)

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> Tuple[Optional[str], Dict[str, Any]]:
        if not args.typ.startswith("telephony:index:"):
            made = args.resource_id or f"{args.name}_id"
            self.resources.append(MockedResource(args.typ, args.name, made, args.inputs, args.inputs))
            return made, args.inputs
        # Two components may have resources of one name. The mocks aren't told the parent.
        urn = f"urn:pulumi:stack::project::mocks:index:Resource{next(self._counter)}${args.typ}::{args.name}"
        try:
            made, state = self._read(urn, args) if args.resource_id else self._create(urn, args.inputs)
        except grpc.RpcError as error:
            made, state = _saved(error)
        kind = args.typ.split(":")[-1]
        self.resources.append(MockedResource(kind, args.name, made, args.inputs, _opened(state)))
        return made, state

    def call(self, args: pulumi.runtime.MockCallArgs) -> Dict[str, Any]:
        if not args.token.startswith("telephony:"):
            return {}
        answer = self._plugin.Invoke(provider_pb2.InvokeRequest(tok=args.token, args=_struct(args.args)))
        _assert_none(answer.failures)
        return json_format.MessageToDict(getattr(answer, "return"))

    def _read(self, urn: str, args: pulumi.runtime.MockResourceArgs) -> Tuple[str, Dict[str, Any]]:
        request = provider_pb2.ReadRequest(id=args.resource_id, urn=urn, properties=_struct(args.inputs))
        found = self._plugin.Read(request)
        return found.id, json_format.MessageToDict(found.properties)

    def _create(self, urn: str, inputs: Dict[str, Any]) -> Tuple[str, Dict[str, Any]]:
        checked = self._plugin.Check(provider_pb2.CheckRequest(urn=urn, news=_struct(inputs)))
        _assert_none(checked.failures)
        given = json_format.MessageToDict(checked.inputs)
        waits = {key: given[key] for key in _WAITS if key in given}
        sent = _struct({**given, **{key: False for key in waits}})
        made = self._plugin.Create(provider_pb2.CreateRequest(urn=urn, properties=sent, timeout=0.001))
        return made.id, {**json_format.MessageToDict(made.properties), **waits}


def _saved(error: grpc.RpcError) -> Tuple[str, Dict[str, Any]]:
    """What exists, and isn't as wanted yet: such as a number that is pending."""
    for key, value in error.trailing_metadata() or ():
        if key != "grpc-status-details-bin":
            continue
        for packed in status_pb2.Status.FromString(value).details:
            detail = provider_pb2.ErrorResourceInitFailed()
            if packed.Unpack(detail):
                return detail.id, json_format.MessageToDict(detail.properties)
    raise TelephonyError(error.details()) from None


def _struct(values: Any) -> struct_pb2.Struct:
    return json_format.ParseDict(dict(values), struct_pb2.Struct())


def _assert_none(failures: Any) -> None:
    if failures:
        raise TelephonyError("\n".join(": ".join(filter(None, (one.property, one.reason))) for one in failures))


def _opened(value: Any) -> Any:
    """Without the marks of secrets."""
    if isinstance(value, list):
        return [_opened(item) for item in value]
    if not isinstance(value, dict):
        return value
    return _opened(value["value"]) if _SECRET in value else {key: _opened(item) for key, item in value.items()}
