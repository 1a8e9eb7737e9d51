/** `telephony service check` in process: runs it, and reads its report. */
import { criteriaIn, offerPurchase } from "../../cli/service/buying";
import type { Checkup } from "../../cli/service/checkup";
import { lineOf } from "../../cli/service/finding";
import { checkService, type ServiceReport } from "../../cli/service/report";
import type { Emulator } from "../../emulator";
import type { Clock } from "../../provider/api/clock";
import { ServiceDescription } from "../../provider/api/description/service-description";
import { readConfig } from "../../provider/session/config";
import { FakeClock } from "./clock";

type Trial = (checkup: Checkup) => Promise<void>;

export function check(
	{ url, apiKey }: Pick<Emulator, "url" | "apiKey">,
	service?: unknown,
	trial?: Trial,
	clock: Clock = new FakeClock(),
): Promise<ServiceReport> {
	const config = readConfig(() => undefined, { TELEPHONY_API_KEY: apiKey, TELEPHONY_BASE_URL: url }, ".");
	const described = service === undefined ? undefined : new ServiceDescription(service, "the test");
	return checkService({ ...config, service: described }, trial, clock);
}

/** Returns a trial that buys a number and releases it. */
export const buying =
	(criteria = "NL/mobile", print: (line: string) => void = () => {}): Trial =>
	(checkup) =>
		offerPurchase(checkup, criteriaIn(criteria), true, print);

/** Returns the lines that the report states for the description. */
export const linesOf = ({ rows }: ServiceReport): string[] =>
	rows.flatMap(({ state }) => (state === undefined ? [] : [lineOf(state)]));

type Row = ServiceReport["rows"][number];

/** Returns the rows with this verdict, as texts. */
export const rowsOf = (
	{ rows }: ServiceReport,
	verdict: Row["verdict"],
	textOf: (row: Row) => string = ({ what }) => what,
): string[] => rows.filter((row) => row.verdict === verdict).map(textOf);
