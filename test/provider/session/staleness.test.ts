/** Errors of a read whose object only the list could show. */
import { expect, test } from "vitest";
import { unlisted } from "../../../provider/api/errors";
import type { SharedReads } from "../../../provider/reads/reads";
import type { Service, Session } from "../../../provider/session/session";
import { settledRead } from "../../../provider/session/staleness";
import { failureOf } from "../../helpers/provider";

const urn = "urn:pulumi:old-name::shop::pulumi-nodejs:dynamic/telephony:Number::desk";
const number = "+31201234567";

test.each([
	["a number, perhaps of a renamed stack", { number, resourceUrn: urn }, true],
	["an object of another kind", { resourceUrn: urn.replace("Number", "SipTrunk") }, true],
	["a number of a pool, which has no URN", { number, pool: urn, resourceUrn: `${urn}[0]` }, false],
])("names no URN that `pulumi state delete` may refuse: %s", async (_, known, canBeDeleted) => {
	const reads = { read: () => Promise.reject(unlisted("num_1")) } as unknown as SharedReads<{ readonly id: string }>;
	const error = await failureOf(settledRead({} as Session, {} as Service, { id: "num_1", known, reads }));
	expect(error.kind).toBe("Unlisted");
	expect(error.message).toContain("num_1");
	expect(error.message).not.toContain("urn:");
	expect(error.message.includes("pulumi state delete")).toBe(canBeDeleted);
});
