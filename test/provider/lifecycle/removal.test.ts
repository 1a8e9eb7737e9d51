/** What a delete does if the program still declares the resource. */
import { expect, test } from "vitest";
import { expectedRemoval } from "../../../provider/lifecycle/removal";
import { identityOf } from "../../../provider/ownership/claim";
import { Memory } from "../../../provider/ownership/memory";
import type { Values } from "../../../provider/properties/table";
import { retainedBecause } from "../../../provider/resources/number/release";

const resourceUrn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/telephony:Number::main";
const claim = identityOf({
	kind: "number",
	values: { resourceUrn },
	owner: undefined,
	places: ["https://state.example"],
});

interface Case {
	readonly title: string;
	/** The inputs that this run declares. Absent if the program no longer has the resource. */
	readonly declared?: Values;
	/** The number that this run's create got. */
	readonly created?: string;
	readonly becomes: ReturnType<typeof expectedRemoval>;
}

test.each<Case>([
	{ title: "the program no longer has it", becomes: "removed" },
	{ title: "the create follows", declared: {}, becomes: "declared" },
	{ title: "the create resumed it", declared: {}, created: "num_1", becomes: "declared" },
	{ title: "the create got another one", declared: {}, created: "num_2", becomes: "left" },
	{ title: "the create adopted another one", declared: { adopt: "num_2" }, created: "num_2", becomes: "removed" },
])("decides for a number whose reference was cleared: $title", ({ declared, created, becomes }) => {
	const memory = new Memory();
	const { token } = claim;
	if (declared !== undefined) memory.declare({ token, inputs: declared, hasEntry: false });
	if (created !== undefined) memory.acquire(token, created);
	const record = { id: "num_1", reference: null };
	const entry = { token, lease: "a", onDelete: "release" };
	const isRetained = retainedBecause(memory, record, entry) !== undefined;
	expect(expectedRemoval(memory, { claim, record, entry }, isRetained)).toBe(becomes);
});
