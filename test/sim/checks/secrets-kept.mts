/** No secret, old or new, is printed in any form, sent in a path, or saved in clear text. */
import { secretMark } from "../documents.mts";
import { allIn } from "../engine.mts";
import { allKinds } from "../kinds/index.mts";
import { passwordsIn } from "../program.mts";
import { apiKey, formsOf } from "../secrets.mts";
import { type Checker, must, type Ran, type Watch } from "./check.mts";

/** Returns the secrets of a row, by the names of their fields. */
function secretsOf(row: unknown): string[] {
	if (typeof row !== "object" || row === null) return [];
	return Object.entries(row).flatMap(([key, value]) =>
		typeof value === "string" && /^(secret|password|previous_secret)$/.test(key) ? [value] : secretsOf(value),
	);
}

export class SecretsKept implements Checker {
	readonly #watch: Watch;
	readonly #secrets = new Set<string>([apiKey]);

	constructor(watch: Watch) {
		this.#watch = watch;
	}

	end({ log, state, before: { program }, requests }: Ran): void {
		const account = this.#watch.control.state();
		const rows = allKinds.flatMap(({ table }): readonly unknown[] => account[table]);
		for (const secret of [...passwordsIn(program), ...rows.flatMap(secretsOf)]) this.#secrets.add(secret);
		const text = [log, ...requests.map(({ path }) => path)].join("\n");
		for (const form of [secretMark, ...[...this.#secrets].flatMap(formsOf)].map((secret) =>
			secret.replace(/.?=*$/, ""),
		))
			must(!text.includes(form), () => `a secret was printed: ${text.split("\n").find((line) => line.includes(form))}`);
		for (const { name, outputs } of allIn(state)) {
			const plain = JSON.stringify(outputs, (key, value) => (key === "idNumber" || key === "pin" ? undefined : value));
			must(!plain.includes(secretMark), () => `${name}: a secret is in its state`);
		}
	}
}
