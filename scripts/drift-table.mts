/** `node scripts/drift-table.mts`: rewrites the tables of docs/drift.md from the compiled definitions. */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const { driftTables } = require("../dist/provider/drift/table.js") as typeof import("../provider/drift/table.ts");
const { resources } = require("../dist/provider/resources/index.js") as typeof import("../provider/resources/index.ts");
const file = resolve(fileURLToPath(import.meta.url), "../../docs/drift.md");
const [before, after] = ["<!-- made by scripts/drift-table.mts -->", "<!-- end -->"];
const text = readFileSync(file, "utf8");
const [head = ""] = text.split(before);
const tail = text.split(after).slice(1).join(after);
writeFileSync(file, `${head}${before}\n\n${driftTables(resources)}\n\n${after}${tail}`);
