/**
 * For tests of programs: a whole account on this machine, stacks that live in a temporary folder, and mocks that fill
 * outputs as the service would.
 */
import "../../provider/node-version";

export { type Account, type AccountOptions, type Edit, startAccount } from "./account";
export { type MockedResource, type MockOptions, mocks, type TelephonyMocks } from "./mocks";
export type { DriftReport, StackOptions, StackResource, TestStack } from "./stack";
