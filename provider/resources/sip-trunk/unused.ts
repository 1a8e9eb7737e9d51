/** The end of a trunk: it is deleted once no number of this run points to it any more. */
import type { NumberRecord } from "../../api/contract";
import { isTelephonyError, TelephonyError } from "../../api/errors";
import { nameOf } from "../../api/record";
import { othersMs } from "../../api/until";
import { listed } from "../../properties/display";
import type { Service, Session } from "../../session/session";

/** A trunk is in use until this run has pointed its numbers elsewhere, which may be happening right now. */
export async function onceUnused(
	session: Session,
	service: Service,
	id: string,
	remove: () => Promise<void>,
): Promise<void> {
	const { writes } = service.client.numbers;
	let [waited, idle, seen] = [0, 0, writes.all];
	for (let pause = 1_000; ; pause *= 2) {
		try {
			return await remove();
		} catch (error) {
			if (!isTelephonyError(error) || error.errorCode !== "trunk_in_use") throw error;
			if (writes.underWay > 0 || writes.all !== seen) [idle, seen] = [0, writes.all];
			const left = Math.min(othersMs.detaching - waited, othersMs.idle - idle);
			if (left <= 0 || session.ending.aborted) throw await naming(service, id, error);
			pause = Math.min(pause, left);
			await session.clock.sleep(pause, session.ending);
			[waited, idle] = [waited + pause, idle + pause];
		}
	}
}

/** The error, with the numbers that still use the trunk, as far as the account's list shows their routing. */
async function naming({ numbers }: Service, trunkId: string, error: TelephonyError): Promise<TelephonyError> {
	const uses = ({ routing }: NumberRecord) => [routing, routing?.failover].some((route) => route?.trunk_id === trunkId);
	const users = (await numbers.fresh().catch(() => [])).filter(uses).map(nameOf);
	if (users.length === 0) return error;
	return new TelephonyError(error.kind, `${error.message} They are ${listed(users, ", ")}.`, { cause: error });
}
