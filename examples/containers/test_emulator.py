"""Testcontainers for Python: `docker build -t telephony-emulator -f emulator/Dockerfile .`, then `python -m unittest`."""

import json
import unittest
import urllib.request
import uuid

from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import LogMessageWaitStrategy

TOKEN = str(uuid.uuid4())


class EmulatorTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.container = (
            DockerContainer("telephony-emulator")
            .with_command("--host 0.0.0.0 --memory --clock virtual --kyc 2h")
            .with_env("TELEPHONY_CONTROL_TOKEN", TOKEN)
            .with_exposed_ports(4010)
            .waiting_for(LogMessageWaitStrategy("listening on"))
            .start()
        )
        host, port = cls.container.get_container_host_ip(), cls.container.get_exposed_port(4010)
        cls.emulator = f"http://{host}:{port}"

    @classmethod
    def tearDownClass(cls):
        cls.container.stop()

    def ask(self, path, bearer, body=None):
        headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self.emulator + path, data, headers)) as answer:
            return json.load(answer)

    def test_a_german_number_is_active_once_kyc_is_approved(self):
        number = self.ask("/v1/numbers", "emulator-key", {"country": "DE", "type": "mobile"})
        self.assertEqual(number["status"], "pending")
        self.ask("/_emulator/clock", TOKEN, {"advance": "2h"})
        self.assertEqual(self.ask(f"/v1/numbers/{number['id']}", "emulator-key")["status"], "active")


if __name__ == "__main__":
    unittest.main()
