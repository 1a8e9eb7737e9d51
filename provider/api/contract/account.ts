import type { z } from "zod";
import { get, ofFeature } from "./operation";
import * as s from "./schema";

const PlainAccountRecord = s.response(() => ({ id: s.id, name: s.words.optional() }));
export type AccountRecord = z.infer<typeof PlainAccountRecord>;
/** The account that a key belongs to. */
export const AccountRecord: s.Schema<AccountRecord> = PlainAccountRecord;

export const accountOperations = ofFeature("account", { getAccount: get("/account", AccountRecord) });
