/** Configures a number, and waits for it: steps 8 and 9 of rule 1 in docs/guarantees.md. */
import type { NumberRecord } from "../../api/contract";
import { isTelephonyError, TelephonyError } from "../../api/errors";
import { pickBy } from "../../api/json";
import { phaseOf } from "../../api/record";
import type { CreateTarget, Run, WriteTarget } from "../../lifecycle/definition";
import type { Write } from "../../lifecycle/write";
import { createBody, urnOf, type Values } from "../../properties/table";
import type { Service } from "../../session/session";
import { assertAsOrdered, assertReadable, purchaseOf } from "./candidates";
import { readStatus, waitForActive } from "./kyc";
import { numberProperties } from "./properties";

/** @throws TelephonyError if the service can't configure the number, or the list hides one that may be this resource's */
export function assertBuyable(run: Run<NumberRecord>, target: CreateTarget<NumberRecord>): void {
	refuseUnoffered(run.service, target.inputs);
	assertReadable(purchaseOf(run, target), target.live);
}

/** Configures and claims the number in one request (step 8), then waits for it (step 9). Also used by updates. */
export async function configureNumber(
	{ session }: Run<NumberRecord>,
	write: Write<NumberRecord>,
	target: WriteTarget<NumberRecord>,
): Promise<void> {
	const { olds, news } = target;
	const wait = async () => {
		const latestRecord = () => withRegulation(write.record, target);
		write.record = await readStatus(session, latestRecord(), news, olds);
		await waitForActive(session, latestRecord(), news, (latest) => {
			write.record = { ...settingsOf(write.record), ...latest };
		});
	};
	try {
		await write.send();
	} catch (error) {
		// Some services refuse to configure a number that is still pending, or ignore it.
		const isIgnored = isTelephonyError(error) && error.messageCode === "not-applied" && isPending(write.record);
		const isRefused = isTelephonyError(error) && error.errorCode === "number_not_active";
		if (!(isRefused || isIgnored)) throw error;
		if (news.waitForActive === false) {
			if (isRefused) throw error;
			// The state keeps what is pending, and the next update writes it.
			session.progress.warn(urnOf(news), "not-applied", error.text);
			return;
		}
		await wait();
		await write.send();
	}
	if (target.isMade) assertAsOrdered(news, write.record);
	await wait();
}

/** Returns the fields that the program declares. A list that a wait reads may not show them. */
const settingsOf = (record: NumberRecord): object =>
	pickBy({ ...record }, (_, field) =>
		Object.values(numberProperties).some(({ wire, fixed }) => wire === field && !fixed),
	);

const isPending = (record: NumberRecord): boolean => phaseOf(record) === "pending";

/** Keeps `kyc_required` of the purchase: later responses may leave it out. */
export function withRegulation(record: NumberRecord, { start, olds }: WriteTarget<NumberRecord>): NumberRecord {
	const isRegulated = start.kyc_required === true || olds.kycRequired === true;
	return isRegulated && record.kyc_required === undefined ? { ...record, kyc_required: true } : record;
}

/** @throws TelephonyError NotOffered if the program declares properties that the service can't set */
export function refuseUnoffered({ client }: Service, inputs: Values): void {
	const wanted = Object.keys(createBody(numberProperties, inputs)).filter((field) => !client.sets("number", field));
	if (wanted.length === 0) return;
	const names = Object.keys(numberProperties).filter((key) => wanted.includes(String(numberProperties[key]?.wire)));
	throw new TelephonyError(
		"NotOffered",
		`This service can't configure numbers (feature patchNumber), so ${names.join(", ")} can't be set. Nothing was bought or changed. Remove ${names.length > 1 ? "these properties" : "this property"} from the program, or use a service that offers it.`,
		{ feature: "patchNumber" },
	);
}
