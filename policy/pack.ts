/** The pack as the engine runs it: all policies, each configurable in the file of `--policy-pack-config`. */
import { dirname } from "node:path";
import { PolicyPack } from "@pulumi/policy";
import { policies } from "./index";

// The SDK reads the pack's version from the package.json of the folder in which it runs.
process.chdir(dirname(__dirname));
new PolicyPack("pulumi-telephony", { policies: [...policies], enforcementLevel: "mandatory" });
