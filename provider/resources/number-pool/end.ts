/** The end of a pool, removed or replaced: each of its numbers ends as a Number does. */
import { identityFor } from "../../lifecycle/resource";
import type { Values } from "../../properties/table";
import type { Session } from "../../session/session";
import { changedCriteria } from "../number/properties";
import { membersIn } from "./members";
import { planOf } from "./plan";
import { poolClaim } from "./properties";
import { Gathered } from "./reports";
import { Work } from "./work";

/** Ends the numbers. What fails stays in the state with all the others. */
export async function endOf(session: Session, props: Values): Promise<void> {
	const service = await session.service();
	const pools = session.memory.pool;
	const { token } = identityFor(poolClaim, props, service);
	const members = membersIn(props);
	const reports = new Gathered(session.progress, String(props.resourceUrn));
	const work = new Work(session, reports, props, members);
	try {
		const successor = pools.declaredLike(token)?.inputs as Values | undefined;
		if (successor === undefined) return await work.dismiss(members);
		const isSame = changedCriteria(props, successor).length === 0;
		// The engine may delete first: then the create resumes the numbers.
		if (isSame && pools.idOf(token) === undefined)
			await new Work(session, reports, successor, []).declare(planOf(members, props, successor).staying);
		await work.release(members);
	} finally {
		reports.tell();
	}
}
