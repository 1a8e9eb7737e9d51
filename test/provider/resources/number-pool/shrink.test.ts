/** A pool that shrinks while its state shows that one of its numbers no longer exists. */
import { expect, test } from "vitest";
import { useEmulator } from "../../../helpers/emulator";
import { namesIn } from "../../../helpers/pools";
import { aPool, openWith } from "../../../helpers/provider";
import { failedUp, upAgain } from "../../../helpers/runs";

const emulator = useEmulator();
const declared = (args: object = {}) =>
	aPool({ country: "DE", type: "geographic", area: "30", label: "{index}", count: 3, ...args });

test.each([
	["its failed number", {}, ["support[1]", "support[2]"], []],
	["the named number", { releaseFirst: ["support[2]"] }, ["support[0]", "support[1]"], ["2"]],
])("gives up %s first", async (_, args, remaining, released) => {
	const labels = new Map<string, unknown>();
	const decide = () => {
		for (const { id, label } of emulator.live()) {
			labels.set(id, label);
			if (label === "0") emulator.control.patchNumber(id, { status: "failed" });
			else emulator.control.decide(id, "approve");
		}
	};
	const saved = await failedUp(openWith(emulator, [30, decide]), declared());
	expect(saved.error.message).toContain("2 of 3 active, 1 failed");
	const smaller = declared({ count: 2, ...args });
	// Without the failed number, the run is done. With it, the run saves what it has.
	const next = await upAgain(openWith(emulator), saved, smaller).catch(({ properties: outs }) => ({ outs }));
	expect(namesIn(next)).toEqual(remaining);
	expect(emulator.released().map((id) => labels.get(id ?? ""))).toEqual(released);
});
