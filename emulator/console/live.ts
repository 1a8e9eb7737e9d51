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
