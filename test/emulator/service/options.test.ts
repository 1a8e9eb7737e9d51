/** Options that can't work: one sentence, and no emulator. */
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../helpers/engine";

const root = resolve(__dirname, "../../..");

test.each([
	["--data", "", /^telephony: --data is empty: name a folder, or leave it out\. \[telephony:usage\]\n$/],
	["--port", "99999", /^telephony: --port must be a number from 0 .* but is "99999"\. \[telephony:usage\]\n$/],
	["--start-at", "soon", /^telephony: --start-at must be a time such as .* but is "soon"\. \[telephony:usage\]\n$/],
	["--kyc", "soon", /^telephony: --kyc must be .* but is "soon"\. \[telephony:usage\]\n$/],
	["--api-key", "two words", /^telephony: --api-key must be printable ASCII without spaces/],
	["--control-token", "two words", /^telephony: --control-token must be printable ASCII without spaces/],
	["--control-token", "", /^telephony: --control-token must be printable ASCII/],
	["--allowed-hosts", "emulator,*", /^telephony: --allowed-hosts: each must be a host .*, but one is "\*"/],
	["--deliver-to", "http://app", /^telephony: --deliver-to: each must be a host .*, but one is "http:\/\/app"/],
])("%s %j is refused", async (option, value, sentence) => {
	const done = await run("node", ["bin/telephony", "emulator", option, value], root, process.env);
	expect(done).toMatchObject({ code: 2, stdout: "", output: expect.stringMatching(sentence) });
	expect(done.output, "a key or a token").not.toContain("two words");
});
