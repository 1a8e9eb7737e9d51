import type { Context } from "hono";
import { streamSSE } from "hono/streaming";

/** Milliseconds of real time after which an open page shows a change, even with a virtual clock. */
const interval = 250;
const heartbeat = 15_000;

/** Sends the page each time it changes. It compares whole pages, so it misses no change. */
export const pushPage = (c: Context, render: () => Promise<string>): Response =>
	streamSSE(
		c,
		async (stream) => {
			let sent: string | undefined;
			let silent = 0;
			while (!stream.aborted && !stream.closed) {
				const page = await render();
				silent += interval;
				if (page !== sent) {
					await stream.writeSSE({ event: "page", data: page });
					sent = page;
					silent = 0;
				} else if (silent >= heartbeat) {
					// Detects a reader that has gone without closing the connection.
					await stream.write(": still here\n\n");
					silent = 0;
				}
				await stream.sleep(interval);
			}
		},
		// The failure concerns this reader only.
		async () => {},
	);

interface Rendering {
	/** The version of the state that it shows. */
	readonly version: string;
	readonly page: Promise<string>;
	/** Time from which a change is rendered. */
	expires: number;
}

/** Pages that several readers share. An account of 100,000 rows takes long to render. */
export class LivePages {
	readonly #pages = new Map<string, Rendering>();

	/** @param clock real time, ms */
	constructor(readonly clock: () => number = () => performance.now()) {}

	/** Returns a page, rendered once for each version, and less often if that would take more than a tenth of the time. */
	read(address: string, version: string, render: () => Promise<string>): Promise<string> {
		for (const [key, rendering] of this.#pages)
			if (rendering.version !== version && rendering.expires <= this.clock()) this.#pages.delete(key);
		const existing = this.#pages.get(address);
		if (existing !== undefined) return existing.page;
		const began = this.clock();
		const rendering: Rendering = { version, page: render(), expires: Number.POSITIVE_INFINITY };
		const settle = () => {
			const ended = this.clock();
			rendering.expires = ended + 9 * (ended - began);
		};
		rendering.page.then(settle, () => this.#pages.delete(address));
		this.#pages.set(address, rendering);
		return rendering.page;
	}
}
