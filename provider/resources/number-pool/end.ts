/** The end of a pool: each of its numbers ends as a Number does, and none by accident. */
import { TelephonyError } from "../../api/errors";
import { identityFor } from "../../lifecycle/resource";
import type { Values } from "../../properties/table";
import type { Session } from "../../session/session";
import { changedCriteria } from "../number/properties";
import { memberInputs, membersIn } from "./members";
import { planOf, titleOf } from "./plan";
import { memberClaim, poolClaim } from "./properties";
import { Gathered } from "./reports";
import { Work } from "./work";

/** For `destroy`, a removed declaration or a replacement. What fails stays in the state with all the others. */
export async function endOf(session: Session, props: Values): Promise<void> {
	const service = await session.service();
	const { pool: pools, number: memory } = session.memory;
	const { token } = identityFor(poolClaim, props, service);
	const members = membersIn(props);
	const reports = new Gathered(session.progress, String(props.resourceUrn));
	const work = new Work(session, reports, props, members);
	try {
		const successor = pools.declaredLike(token)?.inputs as Values | undefined;
		if (successor === undefined) return await work.dismiss(members);
		const isSame = changedCriteria(props, successor).length === 0;
		const isMade = pools.idOf(token) !== undefined;
		const { leaving, staying, going } = planOf(members, props, { ...successor, count: members.length });
		const rest = [...staying, ...going];
		// The engine may delete first: then the create finds the numbers, or buys their successors before they go.
		if (!isMade) await new Work(session, reports, successor, []).declare(rest);
		const isWanted = ({ index }: { readonly index: number }) =>
			memory.declares(identityFor(memberClaim, memberInputs(successor, index), service).token);
		const left = isSame ? rest.filter((member) => !isWanted(member)) : [];
		if (left.length > 0)
			throw new TelephonyError(
				"Conflict",
				`${left.map((member) => titleOf(props, member)).join(", ")} not released: this program still declares the pool, which has other numbers in their place. Release them in the service's dashboard, or raise \`count\` and name them in \`adopt\`. Then run \`pulumi up\` again.`,
				{ messageCode: "duplicate" },
			);
		await work.giveUp(leaving);
		await work.release(rest);
	} finally {
		reports.tell();
	}
}
