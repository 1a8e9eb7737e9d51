import type { View } from "../store/past";
import type { Collection, Stored } from "../store/store";
import type { Service } from "./service";

/** Returns the rows as a GET sees them, with the lag of the settings. */
export const seenBy = <Row extends Stored>(
	read: "get" | "list",
	service: Service,
	rows: Collection<Row>,
): View<Row> => {
	const { readLagMs, listLagMs } = service.settings;
	const lag = read === "list" ? Math.max(readLagMs, listLagMs) : readLagMs;
	return lag === 0 ? rows : rows.past.at(service.clock.now() - lag);
};
