/** Facts about the numbers of an account. */
import type { Client } from "../../provider/api/client";
import type { NumberRecord } from "../../provider/api/contract";
import { isReleasedOrFailed } from "../../provider/api/record";

export async function liveNumbers(client: Client): Promise<NumberRecord[]> {
	const live: NumberRecord[] = [];
	for await (const record of client.numbers.list()) if (!isReleasedOrFailed(record)) live.push(record);
	return live;
}

/** Says if a released number can be restored. */
export const restoreNote = (client: Pick<Client, "offers">): string =>
	client.offers("restore")
		? "The service can restore a released number during its quarantine; after that, the number is lost."
		: "A released number may be lost: this service isn't known to restore numbers.";
