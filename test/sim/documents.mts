/** The documents of simulated programs, and the secrets that no state, log or error may show. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "../helpers/host-process.mts";

/** Part of every secret of a program, and of nothing else. */
export const secretMark = "s3cr3t";

const documentKinds = ["identity", "proof_of_address", "letter_of_authorization"] as const;
const versions = 3;
const fileOf = (kind: string, version: number) => `${kind}-${version}.pdf`;

let made: string | undefined;

/** Returns the folder of all simulated programs; it is deleted when the process exits. */
export function programFolder(): string {
	if (made !== undefined) return made;
	const folder = mkdtempSync(join(tmpdir(), "telephony-sim-"));
	writeFileSync(join(folder, "Pulumi.yaml"), "name: sim\nruntime: nodejs\n");
	symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
	for (const kind of documentKinds)
		for (let version = 0; version < versions; version++)
			writeFileSync(join(folder, fileOf(kind, version)), `%PDF-1.7\n${secretMark} ${kind} ${version}`);
	process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
	made = folder;
	return folder;
}

export const documentOf = (kind: (typeof documentKinds)[number], version: number) => ({
	kind,
	file: fileOf(kind, version % versions),
});

/** Operations of a run that files documents. */
export const documentOperations = ["createKycDocument", "listKycDocuments"] as const;
