/** The compiled tables: Node can't run the provider's sources as they are. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
export const { resources } =
	require("../../dist/provider/resources/index.js") as typeof import("../../provider/resources/index.ts");
export const { functions } =
	require("../../dist/provider/functions/index.js") as typeof import("../../provider/functions/index.ts");
