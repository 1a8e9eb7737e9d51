/** `node scripts/drift-table.mts`: writes the tables of docs/drift.md anew, from the compiled definitions. */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const { driftTables } = createRequire(import.meta.url)(
	"../dist/provider/resources/drift-table.js",
) as typeof import("../provider/resources/drift-table.ts");
const file = resolve(fileURLToPath(import.meta.url), "../../docs/drift.md");
const [before, after] = ["<!-- made by scripts/drift-table.mts -->", "<!-- end -->"];
const text = readFileSync(file, "utf8");
const [head = ""] = text.split(before);
const tail = text.split(after).slice(1).join(after);
writeFileSync(file, `${head}${before}\n\n${driftTables()}\n\n${after}${tail}`);
