/** Runs of the engine, in process: what a run makes is in the state of the next one. */
import { isTelephonyError } from "../../provider/api/errors";
import { InitError } from "../../provider/lifecycle/resource";
import type { Values } from "../../provider/properties/table";
import { aNumber, checked, type Provider } from "./provider";

export type State = Map<string, { id: string; outs: Values }>;

/** One run of the engine over these declarations; a killed one saves nothing of what it made. */
export async function up(run: Provider, state: State, names: readonly string[], killed = false): Promise<unknown[]> {
	const errors: unknown[] = [];
	const made = await Promise.all(
		names.map(async (name) => {
			const inputs = await checked(run.number, aNumber({}, name));
			const entry = state.get(name);
			try {
				if (entry === undefined) return { name, ...(await run.number.create(inputs)) };
				if (!(await run.number.diff(entry.id, entry.outs, inputs)).changes) return { name, ...entry };
				return { name, id: entry.id, ...(await run.number.update(entry.id, entry.outs, inputs)) };
			} catch (error) {
				errors.push(error);
				if (error instanceof InitError) return { name, id: error.id, outs: error.properties };
				if (!isTelephonyError(error)) throw error;
				return entry && { name, ...entry };
			}
		}),
	);
	// One agent per run: thousands would use up the sockets.
	await (await run.session.service()).client.close();
	if (!killed) for (const each of made) if (each) state.set(each.name, { id: each.id, outs: each.outs });
	return errors;
}
