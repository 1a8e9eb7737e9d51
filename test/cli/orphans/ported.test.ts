/** `telephony orphans` and `telephony bill`: a number whose port has just completed. */
import { expect, test } from "vitest";
import type { OrphansReport } from "../../../cli/orphans/report";
import { useEmulator } from "../../helpers/emulator";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { useStates } from "../../helpers/states";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);
const states = useStates<OrphansReport>("orphans", emulator);

test.each(["+31201234567", "31201234567", "+31 20 123 4567", "+31(0)201234567"])(
	"knows a ported number that the service spells %s",
	async (number) => {
		const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "geographic", area: "20" });
		emulator.edit("number", body.id, { number: "+31201234567" });
		proxy.rewrite = (text) => text.replaceAll('"+31201234567"', JSON.stringify(number));
		const kept = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
		// While a port is in progress, the state has the number's E.164 as its id.
		const state = states.state([
			{ id: kept.body.id, name: "kept", outs: { phoneNumber: kept.body.number } },
			{ id: "+31201234567", name: "ported", outs: {} },
		]);
		const done = await states.report([state], { url: proxy.url });
		expect(done.report.orphans, done.output).toEqual([]);
		expect(done.code).toBe(0);
	},
);
