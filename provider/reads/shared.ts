/** A function whose concurrent calls share the run of the first one. */
export function shared<A extends readonly unknown[], T>(run: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
	let running: Promise<T> | undefined;
	return (...args) => {
		running ??= run(...args).finally(() => {
			running = undefined;
		});
		return running;
	};
}
