/** The parts from which a make of carrier is built. */
import type { IncomingHttpHeaders } from "node:http";
import type { Kind, LogEntry, Row } from "./carrier.mts";
import { object, type Schema } from "./schema.mts";

export type Rows<N, T, W> = {
	readonly number: Map<string, N>;
	readonly trunk: Map<string, T>;
	readonly webhook: Map<string, W>;
};

export interface Reply {
	readonly status: number;
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
}

/** One authenticated request to a known path. */
export interface Call<N, T, W> {
	readonly account: string;
	readonly method: string;
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	readonly query: URLSearchParams;
	/** The id in the path, or an empty string. */
	readonly id: string;
	/** Milliseconds since 1970. */
	readonly time: number;
	readonly rows: Rows<N, T, W>;
	/** Returns the body, and refuses one that doesn't fit. */
	body<B>(schema: Schema): B;
	/** Returns 1, 2, 3, … for each kind of each account. */
	nextSerial(kind: Kind): number;
	/** Returns text that nobody can guess without the seed. */
	secret(): string;
	allocate(purchase: Purchase): Allocation;
	log(what: LogEntry["what"], kind: Kind, id: string, number?: string): void;
}

export type Reason = "malformed" | "unauthorized" | "notFound" | "conflict" | "busy" | "internal";

/** One make of carrier. */
export interface Make<N extends Row, T extends Row, W extends Row> {
	readonly name: string;
	/** Countries with numbers for sale; true if the market is regulated. */
	readonly markets: Readonly<Record<string, boolean>>;
	/** Status and error code for each reason. */
	readonly errors: Readonly<Record<Reason, readonly [status: number, code: string]>>;
	/** Message for a missing or invalid key. */
	readonly keyMessage: string;
	/** Handlers by method, path and the query parameters that they accept, as in `GET /numbers/:id?limit&after`. */
	readonly routes: Readonly<Record<string, (call: Call<N, T, W>) => Reply>>;
	/** Responses that need no key, by method and path; the function gets the base URL. */
	readonly publicPaths?: Readonly<Record<string, (url: string) => unknown>>;
	readonly limit?: { readonly perSecond: number; readonly retryAfterSeconds?: number };
	/** Applies the changes that time has brought. */
	settle?(rows: Rows<N, T, W>, time: number): void;
	/** Carries a call out, or returns the response to an earlier one. */
	carryOut?(call: Call<N, T, W>, handle: () => Reply): Reply;
	/** Tells whether the number waits for KYC. */
	isPending(row: N): boolean;
	approve(row: N, time: number): void;
}

export class Refusal extends Error {
	readonly reason: Reason;
	constructor(reason: Reason, message: string) {
		super(message);
		this.reason = reason;
	}
}

export interface Purchase {
	readonly country: string;
	readonly type: "geographic" | "mobile" | "toll_free" | "national";
	readonly area?: string;
}

export const purchaseSchema = object(
	{
		country: { type: "string", pattern: "^[A-Z]{2}$" },
		area: { type: "string", pattern: "^[0-9]{1,5}$" },
		type: { type: "string", enum: ["geographic", "mobile", "toll_free", "national"] },
	},
	["country", "type"],
);

/** A phone number in parts, and what the carrier records about it. */
export interface Allocation {
	readonly calling: string;
	readonly prefix: string;
	readonly subscriber: string;
	readonly e164: string;
	readonly isRegulated: boolean;
	/** The requested area, or the carrier's choice for a geographic number. */
	readonly area: string | null;
}

/** Calling code, then prefix and further digits of a geographic, mobile, toll-free and national number. */
const plans: Readonly<Record<string, readonly [string, string, string, string, string]>> = {
	US: ["1", "212+7", "917+7", "800+7", "855+7"],
	GB: ["44", "2079+6", "7455+6", "800+7", "330+7"],
	DE: ["49", "30+8", "1512+7", "800+7", "32+9"],
	FR: ["33", "1+8", "6+8", "80+7", "9+8"],
	SE: ["46", "8+7", "70+7", "20+7", "10+7"],
	AR: ["54", "11+8", "911+8", "800+7", "810+7"],
	CL: ["56", "22+7", "9+8", "800+6", "600+7"],
	NZ: ["64", "9+7", "21+6", "800+6", "3+7"],
	AU: ["61", "2+8", "4+8", "1800+6", "7+8"],
};

/** Position of an object in a list: ids only grow. */
const ordinal = (id: string) => Number(id.replace(/\D/g, ""));

/** Returns one page of a list in the public envelope. */
export function pageOf(
	records: ReadonlyMap<string, unknown>,
	cursor: string | null,
	size: number,
): { data: unknown[]; next_cursor: string | null } {
	const last = cursor === null ? "0" : Buffer.from(cursor, "base64url").toString();
	if (!/^([A-Z]+-)?\d+$/.test(last)) throw new Refusal("malformed", `cursor ${cursor} is invalid`);
	const rest = [...records].filter(([id]) => ordinal(id) > ordinal(last));
	const page = rest.slice(0, size);
	const lastId = page.at(-1)?.[0];
	const hasMore = rest.length > size && lastId !== undefined;
	return {
		data: page.map(([, row]) => row),
		next_cursor: hasMore ? Buffer.from(lastId).toString("base64url") : null,
	};
}

export function rowOf<R>(rows: ReadonlyMap<string, R>, id: string): R {
	const row = rows.get(id);
	if (row === undefined) throw new Refusal("notFound", `no object with id ${id}`);
	return row;
}

/** Returns a new phone number; the serial makes it unique. */
export function allocate(
	markets: Readonly<Record<string, boolean>>,
	{ country, type, area }: Purchase,
	serial: number,
): Allocation {
	const plan = plans[country];
	const isRegulated = markets[country];
	if (plan === undefined || isRegulated === undefined) {
		throw new Refusal("malformed", `country ${country} has no numbers`);
	}
	const [calling, geographic, mobile, tollFree, national] = plan;
	const [choice = "", digits] = { geographic, mobile, toll_free: tollFree, national }[type].split("+");
	const prefix = area ?? choice;
	const length = choice.length + Number(digits) - prefix.length;
	const subscriber = String(serial).padStart(4, "0").padStart(length, "5");
	return {
		calling,
		prefix,
		subscriber,
		e164: `+${calling}${prefix}${subscriber}`,
		isRegulated,
		area: area ?? (type === "geographic" ? choice : null),
	};
}
