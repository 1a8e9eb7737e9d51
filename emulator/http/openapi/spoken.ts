/** The document of a service that uses other names: the contract's, renamed with the service description. */
import type { z } from "zod";
import { errorCodes, itemOf, type Operation, type OperationName } from "../../../provider/api/contract";
import type { Dialect } from "../../../provider/api/dialect/dialect";
import type { MappedField } from "../../../provider/api/dialect/mapping";
import { recordOf } from "../../../provider/api/dialect/records";
import { type Json, refTo } from "./schemas";

type Entry = readonly [OperationName, Operation];
type Names = ReadonlyMap<z.ZodType, string>;
type Moved = Pick<MappedField, "ours" | "theirs"> & Partial<Pick<MappedField, "way">>;
