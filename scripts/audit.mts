/** `node scripts/audit.mts`: fails if a package that users install or our bundles contain has a known vulnerability. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import spawn from "cross-spawn";
import { npmFolders } from "./release/artifacts.mts";
import { projectOf } from "./release/bom.mts";

const root = resolve(import.meta.dirname, "..");
const work = mkdtempSync(join(tmpdir(), "telephony-audit-"));
try {
	for (const folder of npmFolders) {
		const { status } = spawn.sync("npm", ["audit"], { cwd: projectOf(root, folder, work), stdio: "inherit" });
		if (status !== 0) process.exitCode = 1;
	}
} finally {
	rmSync(work, { recursive: true, force: true, maxRetries: 3 });
}
