/** Papers of the programs that campaigns run: files in a folder that is the program's, and what must be secret of them. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "../helpers/host-process.mts";

/** In each secret, and in nothing else: no state, log or error may have it. */
export const secretMark = "s3cr3t";

const kindsOfPapers = ["identity", "proof_of_address", "letter_of_authorization"] as const;
const versions = 3;
const fileOf = (kind: string, version: number) => `${kind}-${version}.pdf`;

let made: string | undefined;

/** One for the whole process, gone at its end. */
export function papersFolder(): string {
	if (made !== undefined) return made;
	const folder = mkdtempSync(join(tmpdir(), "telephony-campaign-papers-"));
	writeFileSync(join(folder, "Pulumi.yaml"), "name: campaign\nruntime: nodejs\n");
	symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
	for (const kind of kindsOfPapers)
		for (let version = 0; version < versions; version++)
			writeFileSync(join(folder, fileOf(kind, version)), `%PDF-1.7\n${secretMark} ${kind} ${version}`);
	process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
	made = folder;
	return folder;
}

const paper = (kind: (typeof kindsOfPapers)[number], version: number) => ({
	kind,
	file: fileOf(kind, version % versions),
});

/** A profile as a program declares it. */
export const profileArgs = (name: string, version: number) => ({
	...{ entityType: "individual", name, country: "DE", idNumber: `L01-${secretMark}` },
	address: { street: "Heidestr. 17", city: "Berlin", postalCode: "10557", country: "DE" },
	documents: [paper("identity", version), paper("proof_of_address", version + 1)],
});

/** A port order, without its numbers. */
export const portArgs = (subscriber: string, version: number) => ({
	country: "NL",
	carrier: { name: "Old Telecom", accountNumber: `A-${version}`, pin: `pin-${secretMark}`.slice(0, 20) },
	subscriber: { name: subscriber, address: "Damrak 1, Amsterdam" },
	documents: [paper("letter_of_authorization", version)],
});

/** Numbers that no other order names. */
export const portNumbers = (order: number) => ({
	numbers: [0, 1].map((index) => `+3120${String(1_000_000 + order * 2 + index)}`),
});
