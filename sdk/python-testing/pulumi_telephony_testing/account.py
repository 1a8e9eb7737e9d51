"""An account of its own for one test, and what other people do to it."""

import atexit
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional

from pulumi import automation

#: Path of each kind of object in the control API.
_PATHS = {
    "numbers": "numbers",
    "trunks": "trunks",
    "webhooks": "webhooks",
    "kycProfiles": "kyc/profiles",
    "portOrders": "port_orders",
}


class TelephonyError(Exception):
    """Something a test asked for can't be done; the message says why."""


def cli() -> Path:
    """The `telephony` command of the npm package: TELEPHONY_CLI, or the one beside the program, or on the PATH."""
    folders = [Path.cwd(), *Path.cwd().parents]
    beside = [folder / "node_modules/pulumi-telephony/bin/telephony" for folder in folders]
    named = [Path(path) for path in (os.environ.get("TELEPHONY_CLI"), shutil.which("telephony")) if path]
    for path in [*named[:1], *beside, *named[1:]]:
        if path.exists():
            return path.resolve()
    raise TelephonyError(
        "The npm package pulumi-telephony isn't here: run `npm install --save-dev pulumi-telephony` beside the program, "
        "or name its bin/telephony in TELEPHONY_CLI."
    )


#: The emulator and the engine are on this machine, which no proxy can reach.
_open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open


def _reach_the_engine_directly() -> None:
    """Adds this machine to the hosts that gRPC reaches without a proxy. The gRPC library doesn't trim their names."""
    hosts = next(filter(None, map(os.environ.get, ("no_grpc_proxy", "no_proxy", "NO_PROXY"))), "")
    named = [host.strip() for host in hosts.split(",") if host.strip()]
    os.environ["no_grpc_proxy"] = ",".join(dict.fromkeys([*named, "127.0.0.1", "localhost"]))


def start(name: str, *args: str, env: Optional[Mapping[str, str]] = None) -> "tuple[subprocess.Popen[str], str]":
    """Runs a command of the npm package. Returns its process, and its first line."""
    command = ["node", str(cli().with_name(name)), *args]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **(env or {})})
    # A test that is broken off doesn't close what it has started.
    atexit.register(process.kill)
    assert process.stdout is not None
    line = process.stdout.readline()
    if line:
        return process, line
    raise TelephonyError(f"{name} has not started: it ended with {process.wait()}. What it printed says why.")


def stop(process: "subprocess.Popen[str]") -> None:
    """Ends it, and waits for that."""
    process.terminate()
    process.wait()
    if process.stdout:
        process.stdout.close()
    atexit.unregister(process.kill)


class Account:
    """An account that nobody else uses, in memory. `with Account() as account:` ends it.

    :param options: of `telephony emulator`, such as `"--kyc", "immediate"` or `"--clock", "virtual"`.
    """

    def __init__(self, *options: str) -> None:
        _reach_the_engine_directly()
        self._process, line = start("telephony", "emulator", "--memory", "--port", "0", *options)
        self.url: str = line.split()[2]
        self.api_key = "emulator-key"
        self._folders: List[Callable[[], None]] = []
        path = os.pathsep.join([str(cli().parent), str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        #: The variables by which programs, providers and commands find the account; empty ones count as not set.
        self.environment: Dict[str, str] = {
            "TELEPHONY_API_KEY": self.api_key,
            "TELEPHONY_BASE_URL": self.url,
            **{f"TELEPHONY_{name}": "" for name in ("ALLOW_HTTP", "FEATURES", "SERVICE")},
            "PATH": path,
        }

    def __enter__(self) -> "Account":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the service, and removes its stacks' folders and states."""
        for remove in self._folders:
            remove()
        stop(self._process)

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """One call of the control API: `account.control("POST", "kyc", {"policy": "immediate"})`."""
        address = f"{self.url[: -len('/v1')]}/_emulator/{path}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address, data, {"Content-Type": "application/json"}, method=method)
        try:
            with _open(request) as answer:
                return json.loads(answer.read() or "null")
        except urllib.error.HTTPError as error:
            raise TelephonyError(f"{method} {path}: {error.read().decode()}") from None

    def state(self) -> Dict[str, Any]:
        """All that the account has: `numbers`, `trunks`, `webhooks` and so on, in the service's words."""
        return self.control("GET", "state")

    def ledger(self) -> List[Dict[str, Any]]:
        """What was bought, released and refused so far, the first first."""
        return self.control("GET", "ledger")["data"]

    def edit(self, object_id: str, **changes: Any) -> None:
        """Changes an object as somebody would in the dashboard: `account.edit(trunk_id, capacity=7)`."""
        self.control("PATCH", f"{self._path(object_id)}/{object_id}", changes)

    def remove(self, object_id: str) -> None:
        """Releases a number, or deletes an object, as somebody would in the dashboard."""
        self.control("DELETE", f"{self._path(object_id)}/{object_id}")

    def decide(self, object_id: str, decision: str) -> None:
        """Decides on the identity checks of a number or a KYC profile: `approve`, `reject` or `expire`."""
        path = self._path(object_id)
        self.control("POST", f"{path}/{object_id}{'/kyc' if path == 'numbers' else ''}", {"decision": decision})

    def advance(self, duration: str) -> None:
        """Moves the time on by a duration such as `10m` or `2h`, and waits until what is due then is done."""
        self.control("POST", "clock", {"advance": duration})
        self.control("POST", "settled")

    def _path(self, object_id: str) -> str:
        state = self.state()
        for rows, path in _PATHS.items():
            if any(row["id"] == object_id for row in state[rows]):
                return path
        raise TelephonyError(f"There is no {object_id} on the account.")

    def stack(
        self, work_dir: Optional[str] = None, program: Optional[automation.PulumiFn] = None
    ) -> automation.Stack:
        """A stack of a program on this account, with a state of its own: Pulumi's own object of the Automation API.

        :param work_dir: the folder of a program in any language, or
        :param program: a function of this process.
        """
        folder = Path(tempfile.mkdtemp(prefix="telephony-stack-"))
        name = f"test-{secrets.token_hex(4)}"
        settings = Path(work_dir or folder) / f"Pulumi.{name}.yaml"
        self._folders.append(lambda: (settings.unlink() if settings.exists() else None, shutil.rmtree(folder))[0])
        env = {
            **self.environment,
            "PULUMI_BACKEND_URL": folder.as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "PULUMI_CONFIG_PASSPHRASE_FILE": "",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
        }
        options = automation.LocalWorkspaceOptions(env_vars=env)
        if program is None:
            return automation.create_stack(name, work_dir=str(work_dir), opts=options)
        return automation.create_stack(name, project_name="telephony-test", program=program, opts=options)

    def ids(self, stack: automation.Stack) -> Dict[str, str]:
        """The ids of a stack's telephony resources, by type and name: `ids["SipTrunk office"]`."""
        resources = (stack.export_stack().deployment or {}).get("resources", [])
        ours = [each for each in resources if each["type"].startswith(("telephony:index:", "pulumi-nodejs:dynamic/telephony:"))]
        return {f"{each['type'].split(':')[-1]} {each['urn'].split('::')[-1]}": each["id"] for each in ours}

    def drift(self, stack: automation.Stack) -> Dict[str, Any]:
        """What others have changed: the JSON of `telephony drift`. It changes nothing."""
        workspace = stack.workspace
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "drift.json"
            command = ["node", str(cli()), "drift", "--cwd", workspace.work_dir, "--stack", stack.name, "--output", str(report)]
            env = {**os.environ, **workspace.env_vars}
            done = subprocess.run(command, capture_output=True, text=True, env=env)
            if report.exists():
                return json.loads(report.read_text())
        raise TelephonyError(f"telephony drift could not find out what has changed:\n{done.stderr}{done.stdout}")
