/** The error objects of the service. */
import type { Description } from "../provider/api/description/description";
import { at, isObject } from "../provider/api/json";
import { isOk, type Seen } from "./service-checkup";
import { manners, pathIn } from "./service-names";
import { about, type Look, type Looking, proposal, type Row } from "./service-rows";

export const lookAtErrors: Look = (looking) => {
	const errors = [looking.last("wrongKey"), looking.last("unknown")].flatMap((each) =>
		each !== undefined && !isOk(each) ? [each] : [],
	);
	const objects = errors.filter(({ json }) => isObject(json));
	const first = objects[0];
	if (first === undefined)
		return errors.length === 0
			? []
			: [about("an error", "error, message, request_id").unseen("no error object, as of a gateway")];
	const rows = (Object.keys(parts) as (keyof typeof parts)[]).flatMap((part) =>
		partRow(first, part, looking.description),
	);
	const description = proposal(rows, looking.description);
	return [...rows, ...keyRows(looking), ...goneRows({ ...looking, description })];
};

const isWord = (value: unknown) =>
	typeof value === "number" || (typeof value === "string" && !/\s/.test(value) && value !== "");
const isText = (value: unknown) => typeof value === "string" && value !== "";

const parts = {
	code: { what: "code of an error", assumed: "error", fits: isWord },
	message: { what: "message of an error", assumed: "message", fits: isText },
	requestId: { what: "request id of an error", assumed: "request_id", fits: isWord },
} as const;

function partRow({ json, answer }: Seen, part: keyof typeof parts, { errors }: Description): readonly Row[] {
	const { what, fits, assumed: ours } = parts[part];
	const assumed = errors?.[part] ?? ours;
	const row = about(what, assumed);
	if (fits(at(json, assumed))) return [row.holds()];
	const found = pathIn(json, manners(part), fits);
	if (found !== undefined) return [row.state(found, { errors: { [part]: found } })];
	if (part === "requestId") {
		const header = answer.headers["x-request-id"];
		return [header === undefined ? row.unseen("none") : row.holds("in the header x-request-id")];
	}
	return [row.decide("none", `state errors.${part}: where an error has it`)];
}

function keyRows({ last }: Looking): readonly Row[] {
	const wrong = last("wrongKey");
	if (wrong === undefined) return [];
	const { status } = wrong.answer;
	const row = about("a wrong key", "HTTP 401");
	if (status === 401) return [row.holds()];
	// No description can change this. Only the hint in the error message fits less well.
	return [row.unseen(isOk(wrong) ? `accepted (HTTP ${status})` : `HTTP ${status}`)];
}

export const codeOf = ({ json }: Seen, { errors }: Description): string | undefined => {
	const code = at(json, errors?.code ?? "error");
	return typeof code === "string" || typeof code === "number" ? String(code) : undefined;
};

/** The error codes for an operation that the service doesn't have. */
export const noOperation: ReadonlySet<string> = new Set(["operation_not_offered", "method_not_allowed"]);

/** The answer for a number that doesn't exist. Only this code takes a number out of a state. */
function goneRows({ last, description, says }: Looking): readonly Row[] {
	const [unknown, single] = [last("unknown"), last("single")];
	if (unknown === undefined || isOk(unknown) || says("getById") === false) return [];
	// A single read that fails for a number that is there says nothing about one that isn't.
	if (single !== undefined && !isOk(single)) return [];
	const row = about("a number that isn't there", "not_found");
	const { status } = unknown.answer;
	const code = codeOf(unknown, description);
	if (code !== undefined && noOperation.has(code)) return [];
	const { not_found = [], gone = [] } = description.errors?.codes ?? {};
	if (code !== undefined && ["not_found", "gone", not_found, gone].flat().includes(code)) return [row.holds(code)];
	const seen = `${code ?? "no code"} (HTTP ${status})`;
	if (code === undefined)
		return [
			row.decide(
				seen,
				"state -getById: nothing else proves that a number is gone; or ask the service for an error object",
			),
		];
	const state: Description = { errors: { codes: { not_found: [code] } } };
	if ((status === 404 || status === 410) && single !== undefined) return [row.state(seen, state)];
	return [row.decide(seen, `if this is the answer for a lost number, state errors.codes.not_found: [${code}]`)];
}
