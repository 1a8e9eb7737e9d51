/** With the key of an account that shows nothing of the stack, a run buys, creates and forgets nothing. */
import { type Control, liveIds } from "../account.mts";
import { allIn, type State } from "../engine.mts";
import { must } from "./check.mts";

const namesIn = (state: State): string =>
	allIn(state)
		.flatMap(({ name, id }) => (id.startsWith("+") ? [] : [`${name} ${id}`]))
		.sort()
		.join(", ");

/** True if the state holds an object that the other account lacks. */
export const isJudgeable = (state: State): boolean => namesIn(state) !== "";

/** Judges a run with another account's key. */
export function mustChangeNothing(what: string, wrong: Control, before: State, after: State): void {
	const made = [...liveIds(wrong), ...wrong.ledger()];
	must(made.length === 0, () => `${what} with a wrong key made ${JSON.stringify(made)}`);
	const [had, has] = [namesIn(before), namesIn(after)];
	must(had === has, () => `${what} with a wrong key: the state had ${had}, and has ${has}`);
}
