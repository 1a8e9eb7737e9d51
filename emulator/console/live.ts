import type { Context } from "hono";
import { streamSSE } from "hono/streaming";

/** Real time, whatever the clock: how soon an open page shows what has happened. */
const interval = 250;
const heartbeat = 15_000;

/** Sends the page each time it has become another one. Whatever changes is seen: a page is compared, not its causes. */
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
					// Finds out about a reader that has gone without a word.
					await stream.write(": still here\n\n");
					silent = 0;
				}
				await stream.sleep(interval);
			}
		},
		// Said to the reader: the emulator goes on.
		async () => {},
	);
