/** An engine that can't start. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { telephony } from "../../helpers/drift-cli";
import { run } from "../../helpers/engine";
import { createFolder } from "../../helpers/folders";

test.each([["plan"], ["drift"], ["orphans"]])(
	"%s shows the last line of an engine that can't start",
	async (command) => {
		const folder = createFolder();
		const file = join(folder, "pulumi");
		writeFileSync(file, "#!/bin/sh\necho first >&2\necho 'pulumi: cannot execute: GLIBC_2.34 not found' >&2\nexit 1\n");
		chmodSync(file, 0o755);
		writeFileSync(join(folder, "Pulumi.yaml"), "name: shop\nruntime: nodejs\n");
		const env = {
			...process.env,
			PATH: `${folder}:${process.env.PATH}`,
			TELEPHONY_API_KEY: "k",
			TELEPHONY_BASE_URL: "http://127.0.0.1:9/v1",
		};
		const done = await run(process.execPath, [telephony, command], folder, env);
		expect(done.code).toBe(1);
		expect(done.output).toContain("exit code 1: pulumi: cannot execute: GLIBC_2.34 not found");
		expect(done.output).not.toContain("first");
	},
);
