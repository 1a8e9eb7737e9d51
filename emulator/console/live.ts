import type { Context } from "hono";
import { streamSSE } from "hono/streaming";

/** Milliseconds of real time after which an open page shows a change, even with a virtual clock. */
const interval = 250;
const heartbeat = 15_000;

/**
 * Sends the page each time it changes. A page is rendered once for each version of the state, and takes at most a tenth
 * of the time, because an account of 100,000 rows takes long to render.
 */
export const pushPage = (c: Context, versionOf: () => string, render: () => Promise<string>): Response =>
	streamSSE(
		c,
		async (stream) => {
			let rendered: string | undefined;
			let sent: string | undefined;
			let silent = 0;
			while (!stream.aborted && !stream.closed) {
				const began = performance.now();
				const version = versionOf();
				const page = version === rendered ? sent : await render();
				rendered = version;
				const pause = Math.max(interval, 9 * (performance.now() - began));
				silent += pause;
				if (page !== undefined && page !== sent) {
					await stream.writeSSE({ event: "page", data: page });
					sent = page;
					silent = 0;
				} else if (silent >= heartbeat) {
					// Detects a reader that has gone without closing the connection.
					await stream.write(": still here\n\n");
					silent = 0;
				}
				await stream.sleep(pause);
			}
		},
		// The failure concerns this reader only.
		async () => {},
	);
