/** The end of what numbers need: a trunk or a KYC profile is deleted once no number names it any more. */
import type { NumberRecord } from "../api/contract";
import { isTelephonyError, TelephonyError } from "../api/errors";
import { nameOf } from "../api/record";
import { othersMs } from "../api/until";
import { isLeft } from "../ownership/reference";
import { listed } from "../properties/display";
import type { Service, Session } from "../session/session";
import { MustStay } from "./removal";

interface Needed {
	/** The service's error code while numbers name it. */
	readonly inUse: string;
	isUsedBy(number: NumberRecord): boolean;
	remove(): Promise<void>;
}

/** It is in use until this run has pointed its numbers elsewhere, which may be happening right now. */
export async function onceUnused(session: Session, service: Service, needed: Needed): Promise<void> {
	const { writes } = service.client.numbers;
	let [waited, idle, seen] = [0, 0, writes.all];
	for (let pause = 1_000; ; pause *= 2) {
		try {
			return await needed.remove();
		} catch (error) {
			const inUse = await inUseError(error, service, needed, waited === 0);
			if (writes.underWay > 0 || writes.all !== seen) [idle, seen] = [0, writes.all];
			const left = Math.min(othersMs.detaching - waited, othersMs.idle - idle);
			if (left <= 0 || session.ending.aborted) throw await naming(service, needed, inUse);
			pause = Math.min(pause, left);
			await session.clock.sleep(pause, session.ending);
			[waited, idle] = [waited + pause, idle + pause];
		}
	}
}

/** The error of an object in use. @throws MustStay at the first try; any other error as it is */
async function inUseError(error: unknown, service: Service, needed: Needed, isFirst: boolean): Promise<TelephonyError> {
	if (!isTelephonyError(error) || error.errorCode !== needed.inUse) throw error;
	if (isFirst) await assertUsedByOthers(service, needed);
	return error;
}

async function assertUsedByOthers({ numbers }: Service, needed: Needed): Promise<void> {
	const users = (await numbers.fresh().catch(() => [])).filter((number) => needed.isUsedBy(number));
	if (users.length > 0 && users.every(({ reference }) => isLeft(reference)))
		throw new MustStay(`retained numbers still use it (${listed(users.map(nameOf), ", ")}). Release those first.`);
}

/** The error, with the numbers that still name it, as far as the account's list shows that. */
async function naming({ numbers }: Service, needed: Needed, error: TelephonyError): Promise<TelephonyError> {
	const users = (await numbers.fresh().catch(() => [])).filter((number) => needed.isUsedBy(number)).map(nameOf);
	if (users.length === 0) return error;
	return new TelephonyError(error.kind, `${error.message} These numbers use it: ${listed(users, ", ")}.`, {
		cause: error,
	});
}
