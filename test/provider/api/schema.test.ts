import { expect, test, vi } from "vitest";
import { z } from "zod";
import { request, response } from "../../../provider/api/contract/schema";

test.each([
	["a response", response],
	["a request", request],
])("makes the fields of %s on first use, and once", (_, objectOf) => {
	const fields = vi.fn(() => ({ id: z.string() }));
	const schema = objectOf(fields);
	expect(fields).not.toHaveBeenCalled();
	expect(schema.parse({ id: "num_01" })).toEqual({ id: "num_01" });
	const described = schema.meta({ title: "Number" });
	expect(described.shape.id).toBe(schema.shape.id);
	expect(fields).toHaveBeenCalledTimes(1);
});

test("keeps unknown fields of responses, and refuses those of requests", () => {
	const fields = () => ({ id: z.string() });
	expect(response(fields).parse({ id: "num_01", color: "red" })).toEqual({ id: "num_01", color: "red" });
	expect(request(fields).safeParse({ id: "num_01", color: "red" }).success).toBe(false);
});
