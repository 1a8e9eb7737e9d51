/** Posts to hosts whose addresses a test makes up. */
import { onTestFinished } from "vitest";
import { parsePattern } from "../../../emulator/service/hosts";
import { createPost, type Resolve } from "../../../emulator/service/post";

export interface Sending {
	readonly to?: "loopback" | "any";
	readonly deliverTo?: readonly string[];
	readonly ownPort?: number;
	readonly signal?: AbortSignal;
}

/** What becomes of a post; without `names` by the machine's own resolver. */
export const send = async (
	url: string,
	names?: Resolve,
	{ to = "any", deliverTo = [], ownPort, signal }: Sending = {},
) => {
	const patterns = deliverTo.map(parsePattern).filter((pattern) => pattern !== undefined);
	const post = createPost({ deliver: to, deliverTo: patterns }, names);
	onTestFinished(() => post.close());
	if (ownPort !== undefined) post.refusePort(ownPort);
	return post.send({ url, headers: {}, body: "{}" }, 5000, signal ?? new AbortController().signal);
};

export const answering =
	(...addresses: string[]): Resolve =>
	(_, done) =>
		done(
			null,
			addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
		);
