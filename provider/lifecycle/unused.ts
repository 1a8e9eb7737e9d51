/** The delete of an object that numbers may still use, such as a trunk. */
import type { Removal } from "../api/client";
import { errorCodes, idsUsedBy, inUseCode, type NumberRecord, type UsedKind } from "../api/contract";
import { isTelephonyError, TelephonyError } from "../api/errors";
import { nameOf } from "../api/record";
import { pauses, until } from "../api/until";
import type { Referenced } from "../ownership/claim";
import { isRetained } from "../ownership/reference";
import { listed } from "../properties/display";
import type { Service } from "../session/session";
import type { Run } from "./definition";
import { MustStay, removeObject } from "./end";

/**
 * Removes the object. While this run may still be writing numbers that use it, and while the service lags behind that, it
 * is tried again.
 * @throws MustStay if only retained numbers use it
 */
export async function onceUnused<R extends Referenced>(
	run: Run<R>,
	record: R,
	kind: UsedKind,
	remove: () => Promise<Removal>,
): Promise<void> {
	const { session, service } = run;
	const isInUse = (error: unknown) => isTelephonyError(error) && isConflict(error, inUseCode(kind));
	const findUsers = () => usersOf(service, kind, record.id);
	let users: readonly NumberRecord[] | undefined;
	const tryToRemove = async () => {
		try {
			await removeObject(run, record, remove);
		} catch (error) {
			if (users === undefined && isInUse(error)) {
				users = await findUsers();
				if (users.length > 0 && users.every(({ reference }) => isRetained(reference)))
					throw new MustStay(
						`retained numbers still use it (${listed(users.map(nameOf), ", ")}). Release those first.`,
					);
			}
			throw error;
		}
	};
	try {
		await until(session, tryToRemove, () => true, { for: pauses.inUse, passes: isInUse });
	} catch (error) {
		const names = isInUse(error) ? (await findUsers()).map(nameOf) : [];
		if (!isTelephonyError(error) || names.length === 0) throw error;
		const text = `${error.message} These numbers use it: ${listed(names, ", ")}.`;
		throw new TelephonyError(error.kind, text, { cause: error });
	}
}

/** True for a conflict that may be due to use. A service may have a code of its own for it. */
const isConflict = ({ status, errorCode = "" }: TelephonyError, inUse: string): boolean =>
	errorCode === inUse || (status === 409 && !(errorCode in errorCodes));

/** Returns the numbers that use the object, as far as the account's list shows them. */
const usersOf = async ({ numbers }: Service, kind: UsedKind, id: string): Promise<readonly NumberRecord[]> =>
	(await numbers.fresh().catch(() => [])).filter((number) => idsUsedBy(number, kind).includes(id));
