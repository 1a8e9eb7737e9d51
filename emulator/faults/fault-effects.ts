import type { ServerResponse } from "node:http";
import { type ErrorCode, errorCodes, type OperationName } from "../../provider/api/contract";
import type { Reply, Sent } from "../store/idempotency";
import type { FaultRule, StatusRule } from "./fault-rules";

/** A rule, and the requests that it holds. */
export interface Fault {
	readonly rule: FaultRule;
	/** Ends the wait of each held request: true lets it go on, false doesn't. */
	readonly stopped: Set<(goOn: boolean) => void>;
}

/** A request that rules can apply to: it has the right key, a whole body, and no running request with the same key. */
export interface Meeting {
	readonly operation: OperationName;
	readonly requestId: string;
	readonly cursor: string | undefined;
	/** Undefined if there is no socket. */
	readonly outgoing: ServerResponse | undefined;
	/** Carries out the request, or repeats an earlier answer. Never throws. */
	readonly work: () => Promise<Reply>;
	/** Ends the request for others with the same Idempotency-Key. */
	readonly settle: () => void;
	/** An empty page, with a cursor to the requested one. */
	readonly emptyPage: () => unknown;
}

const errorReply = (status: number, error: string, message: string, { requestId }: Meeting): Reply => ({
	status,
	body: { error, message, request_id: requestId },
});

const statusReply = (rule: StatusRule, meeting: Meeting): Reply => {
	const status = rule.status ?? errorCodes[rule.error as ErrorCode] ?? 503;
	const known = Object.entries(errorCodes).find(([, its]) => its === status);
	const { error = known?.[0] ?? "injected_fault", message = "This fault was set in the emulator.", retryAfter } = rule;
	const headers: Record<string, string> = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) };
	return { ...errorReply(status, error, message, meeting), headers };
};

const repeatLast = (reply: Reply): Reply => {
	const page = reply.body as { data?: unknown[] };
	return page.data === undefined
		? reply
		: { ...reply, body: { ...page, data: [...page.data, ...page.data.slice(-1)] } };
};

/** Sends nothing more. Ends the connection at once, or (`blackhole`) waits until the client closes it. */
const fallSilent = async ({ kind }: FaultRule, outgoing?: ServerResponse): Promise<undefined> => {
	if (outgoing === undefined || outgoing.closed) return;
	if (kind === "blackhole") await new Promise<void>((resolve) => outgoing.once("close", resolve));
	else if (kind === "truncated") outgoing.socket?.destroySoon();
	else outgoing.socket?.resetAndDestroy();
};

/** What is sent instead of the answer; undefined is nothing. */
const replace = (rule: FaultRule, meeting: Meeting, reply?: Reply): Reply | undefined | Promise<undefined> => {
	switch (rule.kind) {
		case "status":
			return statusReply(rule, meeting);
		case "html":
			return { status: rule.status, html: `<html><body><h1>${rule.status}</h1><hr>proxy</body></html>\n` };
		case "expired_cursor":
			return errorReply(400, "invalid_cursor", "The cursor is no longer valid: start from the first page.", meeting);
		case "duplicate":
			return reply && repeatLast(reply);
		case "empty_page":
			return reply?.status === 200 ? { ...reply, body: meeting.emptyPage() } : reply;
		default:
			return fallSilent(rule, meeting.outgoing);
	}
};

const stops = ({ kind }: FaultRule): boolean => kind === "hold" || kind === "delay";

/** Holds a request for a time or until it is released. Resolves to false if it must not go on. */
const stop = ({ rule, stopped }: Fault, outgoing?: ServerResponse): Promise<boolean> =>
	new Promise((resolve) => {
		const end = (goOn: boolean) => {
			stopped.delete(end);
			clearTimeout(timer);
			outgoing?.off("close", leave);
			resolve(goOn);
		};
		const leave = () => end(false);
		const timer = rule.kind === "delay" ? setTimeout(end, rule.ms, true).unref() : undefined;
		stopped.add(end);
		if (rule.phase === "before" && "whenGone" in rule && rule.whenGone === "commit") return;
		outgoing?.once("close", leave);
		if (outgoing?.closed) leave();
	});

/** Sends blanks, which JSON may begin with, for as long as the client reads them. */
const drip = async (outgoing: ServerResponse, { status, headers }: Sent): Promise<void> => {
	if (outgoing.closed) return;
	outgoing.writeHead(status, headers);
	const timer = setInterval(() => outgoing.write(" "), 50);
	await new Promise<void>((resolve) => outgoing.once("close", resolve));
	clearInterval(timer);
};

/** Sends the headers and half of the body, then stops, as the rule says. */
const cut = async (fault: Fault, outgoing: ServerResponse, answer: Sent): Promise<void> => {
	if (fault.rule.kind === "drip") return drip(outgoing, answer);
	const body = typeof answer.body === "string" ? Buffer.from(answer.body) : Buffer.from(answer.body ?? []);
	const half = body.length >> 1;
	outgoing.writeHead(answer.status, { ...answer.headers, "Content-Length": body.length });
	await new Promise((resolve) => outgoing.write(body.subarray(0, half), resolve));
	if (stops(fault.rule) && (await stop(fault, outgoing))) outgoing.end(body.subarray(half));
	else await fallSilent(fault.rule, outgoing);
};

export const carryOut = async ({ work, settle }: Meeting): Promise<Reply> => {
	const reply = await work();
	settle();
	return reply;
};

const failBefore = async (fault: Fault, meeting: Meeting): Promise<Reply | undefined> => {
	const { outgoing, settle } = meeting;
	if (stops(fault.rule) && (await stop(fault, outgoing))) {
		const reply = await carryOut(meeting);
		return outgoing?.closed ? undefined : reply;
	}
	// Nothing was done, so nothing is kept under the key.
	settle();
	return replace(fault.rule, meeting);
};

const failAfter = async (fault: Fault, meeting: Meeting): Promise<Reply | undefined> => {
	if (!stops(fault.rule)) return replace(fault.rule, meeting, await carryOut(meeting));
	const reply = await meeting.work();
	const goesOn = await stop(fault, meeting.outgoing);
	// Not before: until here, the request is still running for others with its key.
	meeting.settle();
	return goesOn ? reply : fallSilent(fault.rule, meeting.outgoing);
};

const failHalfway = async (fault: Fault, meeting: Meeting): Promise<Reply> => {
	const { outgoing } = meeting;
	const reply = await carryOut(meeting);
	return outgoing ? { ...reply, cut: (answer) => cut(fault, outgoing, answer) } : reply;
};

/** Answers the request as the rule says. Undefined: there is no answer to send. */
export const fail = (fault: Fault, meeting: Meeting): Promise<Reply | undefined> =>
	({ before: failBefore, after: failAfter, mid: failHalfway })[fault.rule.phase](fault, meeting);
