/** Returns a function whose concurrent calls with the same argument share one run. */
export function shared<T, A = void>(run: (argument: A) => Promise<T>): (argument: A) => Promise<T> {
	const runs = new Map<A, Promise<T>>();
	return (argument) => {
		const earlier = runs.get(argument);
		if (earlier !== undefined) return earlier;
		const current = run(argument).finally(() => runs.delete(argument));
		runs.set(argument, current);
		return current;
	};
}

/** Returns the result of a read; undefined if it fails with an expected error. */
export async function unless<R>(isExpected: (error: unknown) => boolean, reading: Promise<R>): Promise<R | undefined> {
	try {
		return await reading;
	} catch (error) {
		if (isExpected(error)) return undefined;
		throw error;
	}
}
