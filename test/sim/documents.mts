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

const document = (kind: (typeof documentKinds)[number], version: number) => ({
	kind,
	file: fileOf(kind, version % versions),
});

export const profileArgs = (name: string, version: number) => ({
	...{ entityType: "individual", name, country: "DE", idNumber: `L01-${secretMark}` },
	address: { street: "Heidestr. 17", city: "Berlin", postalCode: "10557", country: "DE" },
	documents: [document("identity", version), document("proof_of_address", version + 1)],
});

/** Returns the arguments of a port order, without its numbers. */
export const portArgs = (subscriber: string, version: number) => ({
	country: "NL",
	carrier: { name: "Old Telecom", accountNumber: `A-${version}`, pin: `pin-${secretMark}` },
	subscriber: { name: subscriber, address: "Damrak 1, Amsterdam" },
	documents: [document("letter_of_authorization", version)],
});

/** Returns numbers that no other order names. */
export const portNumbers = (order: number) => ({
	numbers: [0, 1].map((index) => `+3120${String(1_000_000 + order * 2 + index)}`),
});
