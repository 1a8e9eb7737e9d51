/** An engine for a folder whose configuration has another account. */
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFolder } from "./folders";

/** @param url the address in the configuration @param file what `pulumi stack` prints */
export function fakeEngine(url: string, file = "") {
	const folder = createFolder();
	const used = join(folder, "used");
	const config = {
		"telephony:apiKey": { value: "of-another-account" },
		"telephony:baseUrl": { value: url },
		"telephony:account": { value: "acc_other" },
	};
	const program = `const { readFileSync, writeFileSync } = require("fs");
writeFileSync(${JSON.stringify(used)}, "");
console.log(process.argv[2] === "stack" ? readFileSync(${JSON.stringify(file)}, "utf8") : ${JSON.stringify(JSON.stringify(config))});`;
	writeFileSync(join(folder, "pulumi"), `#!${process.execPath}\n${program}\n`);
	chmodSync(join(folder, "pulumi"), 0o755);
	return { path: `${folder}:${process.env.PATH}`, isUsed: () => existsSync(used) };
}
