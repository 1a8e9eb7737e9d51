/** A list that keeps ended objects, whose ids the service uses again. */
import { expect, test } from "vitest";
import { SharedReads, type Source } from "../../../provider/reads/reads";
import { FakeClock } from "../../helpers/clock";

interface Item {
	readonly id: string;
	readonly status: string;
}

const ids = ["a", "b", "c"];
const items = (status: string): Item[] => ids.map((id) => ({ id, status }));

test("a wait takes no ended object for a later one with the same id", async () => {
	const source: Source<Item> = {
		async *pages() {
			yield items("released");
			yield items("pending");
		},
		get: async (id) => ({ id, status: "pending" }),
	};
	const found = await new SharedReads(source, new FakeClock()).poll(ids);
	expect([...found.values()]).toEqual(items("pending").map((record) => ({ record })));
});
