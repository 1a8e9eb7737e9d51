/** The compiled tables: Node can't run the provider's sources as they are. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
export const { resources } =
	require("../../dist/provider/resources/index.js") as typeof import("../../provider/resources/index.ts");
export const { stateOf, states } =
	require("../../dist/provider/drift/states.js") as typeof import("../../provider/drift/states.ts");
export const { features, kinds, kycProfileStatuses, numberStatuses, operations, portStatuses } =
	require("../../dist/provider/api/contract.js") as typeof import("../../provider/api/contract.ts");
export const { functions } =
	require("../../dist/provider/functions/index.js") as typeof import("../../provider/functions/index.ts");
export const { typeOf } =
	require("../../dist/provider/properties/form.js") as typeof import("../../provider/properties/form.ts");
export const { neverDrift } =
	require("../../dist/provider/properties/table.js") as typeof import("../../provider/properties/table.ts");
export const { byState } =
	require("../../dist/provider/resources/rows.js") as typeof import("../../provider/resources/rows.ts");
export const { descriptionSchema } =
	require("../../dist/provider/api/description/description.js") as typeof import("../../provider/api/description/description.ts");
export const { fieldsOf, recordNames, recordOf } =
	require("../../dist/provider/api/description/records.js") as typeof import("../../provider/api/description/records.ts");
