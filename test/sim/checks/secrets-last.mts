/** The state has the secret that the service has, and it changes only if the program asks for another one. */
import { allIn, objectIn } from "../engine.mts";
import { kinds, rowsOf } from "../kinds/index.mts";
import { passwordsIn } from "../program.mts";
import { type Before, type Checker, type Happening, must, type Ran, type Watch } from "./check.mts";

export class SecretsLast implements Checker {
	readonly #watch: Watch;
	/** Secrets after the last good `up`, by object. */
	readonly #secrets = new Map<string, unknown>();

	constructor(watch: Watch) {
		this.#watch = watch;
	}

	happened(happening: Happening): void {
		if (happening.what === "secrets forgotten") this.#secrets.clear();
		if (happening.what !== "edited") return;
		const { resource, property } = happening;
		if (kinds[resource.kind].secret?.edits[property]) this.#secrets.delete(objectIn(resource));
	}

	begin({ options: { replace = [] } }: Before): void {
		if (replace.length > 0) this.#secrets.clear();
	}

	end({ state, isFair }: Ran): void {
		if (!isFair) this.#secrets.clear();
		const ids = allIn(state).map(objectIn);
		for (const id of [...this.#secrets.keys()]) {
			// The next state of a left trunk gets another secret, and so does a second resource with the same object.
			if (ids.filter((held) => held === id).length !== 1) this.#secrets.delete(id);
		}
	}

	settled({ before: { program }, state }: Ran): void {
		for (const declared of program) {
			const { name, kind } = declared;
			const resource = state.resources.get(name);
			const row =
				resource && rowsOf(this.#watch.control.state(), kinds[kind]).find(({ id }) => id === objectIn(resource));
			const secret = row && kinds[kind].secret?.of(row);
			if (secret === undefined || this.#watch.chronicle.isChanged(row?.id ?? "")) continue;
			const [password] = passwordsIn([declared]);
			must(password === undefined || password === secret, () => `${name}: its password isn't the declared one`);
			const saved = resource?.outputs.secret ?? resource?.outputs.password;
			must(saved === secret, () => `${name}: the state's secret isn't the service's`);
			const before = this.#secrets.get(row?.id ?? "");
			must(
				password !== undefined || before === undefined || before === secret,
				() => `${name}: its secret changed, and no program asked for it`,
			);
			this.#secrets.set(row?.id ?? "", secret);
		}
	}
}
