/** Facts of a plan: the preview's declarations in a session of the provider, and the account's numbers. */
import type { NumberRecord } from "../../provider/api/contract";
import { isTelephonyError } from "../../provider/api/errors";
import { isReleasedOrFailed } from "../../provider/api/record";
import type { Handler } from "../../provider/lifecycle/resource";
import { resources } from "../../provider/resources";
import type { ConfigSource } from "../../provider/session/config";
import { type Service, Session } from "../../provider/session/session";
import { asUsageError } from "../report/usage";
import type { PlanStep } from "./steps";

export interface Facts {
	readonly steps: readonly PlanStep[];
	/** Its memory has what the engine's check and diff of the next run put there. */
	readonly session: Session;
	readonly service: Service;
	/** The live numbers; undefined if they weren't read. */
	readonly live: readonly NumberRecord[] | undefined;
	/** Says why the account's numbers weren't read. */
	readonly warnings: readonly string[];
}

/** Opens a session as the provider of a run does. @param env the environment and the stack's settings @throws UsageError */
export async function withSession<T>(
	env: NodeJS.ProcessEnv,
	cwd: string,
	stack: ConfigSource,
	work: (session: Session) => Promise<T>,
): Promise<T> {
	// The preview has shown the warnings.
	const progress = { status: () => {}, warn: () => {}, inform: () => {}, debug: () => {} };
	const session = new Session({ env, cwd, progress });
	session.configure(stack);
	try {
		await session.service();
		return await work(session);
	} catch (error) {
		throw asUsageError(error);
	} finally {
		await session.close();
	}
}

/** Lists the account's numbers once, if the plan changes numbers. @param steps of a preview that succeeded */
export async function factsOf(steps: readonly PlanStep[], session: Session): Promise<Facts> {
	const service = await session.service();
	await declare(steps, session);
	const facts = { steps, session, service };
	if (!steps.some(changesNumbers)) {
		await assertKeyAccepted(service);
		return { ...facts, live: undefined, warnings: [] };
	}
	try {
		const live = (await service.numbers.all()).filter((record) => !isReleasedOrFailed(record));
		return { ...facts, live, warnings: [] };
	} catch (error) {
		if (!isTelephonyError(error) || error.kind === "Unauthorized") throw error;
		const warning = `The account's numbers can't be read, so it is unknown which numbers can be resumed: ${error.text}`;
		return { ...facts, live: undefined, warnings: [warning] };
	}
}

/** Reads one page: without a change of numbers, nothing else shows a rejected key. @throws TelephonyError Unauthorized */
async function assertKeyAccepted({ client }: Service): Promise<void> {
	try {
		await client.numbers.pages().next();
	} catch (error) {
		if (isTelephonyError(error, "Unauthorized")) throw error;
	}
}

const changesNumbers = ({ type, op }: PlanStep): boolean =>
	(type === "Number" || type === "NumberPool") && op !== "same";

/** Checks and compares each declaration as the engine does, which sends no request. */
async function declare(steps: readonly PlanStep[], session: Session): Promise<void> {
	for (const { type, op, keys, old, news, provider } of steps) {
		// Another provider is another process, with a memory of its own.
		if (news === undefined || provider !== undefined) continue;
		const handler: Handler = resources[type].handler(session);
		// After a taint or `--replace`, the engine passes no old inputs and compares nothing.
		const compared = op === "replace" && keys.length === 0 ? undefined : old;
		await handler.check(compared?.inputs ?? {}, news);
		if (compared !== undefined) await handler.diff(compared.id, compared.outputs, news);
	}
}
