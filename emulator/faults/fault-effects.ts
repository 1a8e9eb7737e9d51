import type { ServerResponse } from "node:http";
import { type ErrorCode, errorCodes, type OperationName } from "../../provider/api/contract";
import type { Reply, Sent } from "../store/idempotency";
import type { FaultRule, StatusRule } from "./fault-rules";

/** A rule with the requests that it stops now. */
export interface Fault {
	readonly rule: FaultRule;
	/** Continues with `true`, or drops the request with `false`. */
	readonly stopped: Set<(continues: boolean) => void>;
}

/** A request that may fail. */
export interface Attempt {
	readonly operation: OperationName;
	readonly requestId: string;
	/** The connection to the client; undefined for a request of the console. */
	readonly outgoing: ServerResponse | undefined;
	/** Carries the request out. Never throws. */
	readonly work: () => Promise<Reply>;
	/** Frees the request's Idempotency-Key for other requests. */
	readonly settle: () => void;
	/** An empty page with a cursor to the requested one. */
	readonly emptyPage: () => unknown;
}

const errorReply = (status: number, error: string, message: string, { requestId }: Attempt): Reply => ({
	status,
	body: { error, message, request_id: requestId },
});

const statusReply = (rule: StatusRule, attempt: Attempt): Reply => {
	const usual = Object.hasOwn(errorCodes, rule.error ?? "") ? errorCodes[rule.error as ErrorCode] : 503;
	const status = rule.status ?? usual;
	const [code = "injected_fault"] = Object.entries(errorCodes).find(([, codeStatus]) => codeStatus === status) ?? [];
	const { error = code, message = "A fault of the emulator.", retryAfter } = rule;
	const headers: Record<string, string> = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) };
	return { ...errorReply(status, error, message, attempt), headers };
};

const repeatLast = (reply: Reply): Reply => {
	const page = reply.body as { data?: unknown[] };
	return page.data === undefined
		? reply
		: { ...reply, body: { ...page, data: [...page.data, ...page.data.slice(-1)] } };
};

/** Sends nothing more. Ends the connection, or (`blackhole`) waits until the client closes it. */
const fallSilent = async ({ kind }: FaultRule, outgoing?: ServerResponse): Promise<undefined> => {
	if (outgoing === undefined || outgoing.closed) return;
	if (kind === "blackhole") await new Promise<void>((resolve) => outgoing.once("close", resolve));
	else if (kind === "truncated") outgoing.socket?.destroySoon();
	else outgoing.socket?.resetAndDestroy();
};

/** The response instead of `reply`, which is undefined before the change; undefined is silence. */
const replace = (rule: FaultRule, attempt: Attempt, reply?: Reply): Reply | undefined | Promise<undefined> => {
	switch (rule.kind) {
		case "status":
			return statusReply(rule, attempt);
		case "html":
			return { status: rule.status, html: `<html><body><h1>${rule.status}</h1><hr>proxy</body></html>\n` };
		case "duplicate":
			return reply && repeatLast(reply);
		case "empty_page":
			return reply?.status === 200 ? { ...reply, body: attempt.emptyPage() } : reply;
		default:
			return fallSilent(rule, attempt.outgoing);
	}
};

const isStop = ({ kind }: FaultRule): boolean => kind === "hold" || kind === "delay";

/** Stops a request for a time or until it is released. Resolves to false if it is dropped. */
const stop = ({ rule, stopped }: Fault, outgoing?: ServerResponse): Promise<boolean> =>
	new Promise((resolve) => {
		const end = (continues: boolean) => {
			stopped.delete(end);
			clearTimeout(timer);
			outgoing?.off("close", leave);
			resolve(continues);
		};
		const leave = () => end(false);
		const timer = rule.kind === "delay" ? setTimeout(end, rule.ms, true).unref() : undefined;
		stopped.add(end);
		if (rule.phase === "before" && "whenGone" in rule && rule.whenGone === "commit") return;
		outgoing?.once("close", leave);
		if (outgoing?.closed) leave();
	});

/** Sends blanks, with which JSON may begin, until the client closes the connection. */
const drip = async (outgoing: ServerResponse, { status, headers }: Sent): Promise<void> => {
	if (outgoing.closed) return;
	outgoing.writeHead(status, headers);
	const timer = setInterval(() => outgoing.write(" "), 50);
	await new Promise<void>((resolve) => outgoing.once("close", resolve));
	clearInterval(timer);
};

/** Sends the headers and half of the body. */
const cut = async (fault: Fault, outgoing: ServerResponse, response: Sent): Promise<void> => {
	if (fault.rule.kind === "drip") return drip(outgoing, response);
	const body = typeof response.body === "string" ? Buffer.from(response.body) : Buffer.from(response.body ?? []);
	const half = body.length >> 1;
	outgoing.writeHead(response.status, { ...response.headers, "Content-Length": body.length });
	await new Promise((resolve) => outgoing.write(body.subarray(0, half), resolve));
	if (isStop(fault.rule) && (await stop(fault, outgoing))) outgoing.end(body.subarray(half));
	else await fallSilent(fault.rule, outgoing);
};

/** Responds as the rule says; undefined if there is no response. */
export const fail = async (fault: Fault, attempt: Attempt): Promise<Reply | undefined> => {
	const { rule } = fault;
	const { outgoing, work, settle } = attempt;
	if (rule.phase === "before" && !(isStop(rule) && (await stop(fault, outgoing)))) {
		settle();
		return replace(rule, attempt);
	}
	const reply = await work();
	// Until it is released, a stopped request still holds its Idempotency-Key.
	const isDropped = rule.phase === "after" && isStop(rule) && !(await stop(fault, outgoing));
	settle();
	if (rule.phase === "before") return outgoing?.closed ? undefined : reply;
	if (rule.phase === "mid") return outgoing ? { ...reply, cut: (response) => cut(fault, outgoing, response) } : reply;
	if (isStop(rule)) return isDropped ? fallSilent(rule, outgoing) : reply;
	return replace(rule, attempt, reply);
};
