/** A carrier that shows a new trunk late, and with times that don't show when it was created. */
import { expect, test } from "vitest";
import { useAccount } from "../../helpers/account";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { freeKinds } from "../../helpers/kinds";
import { create, openProvider } from "../../helpers/provider";

const { clock, emulator } = useAccount();
const proxy = useFaultProxy(emulator);

test.each(
	freeKinds.flatMap((kind) => ["2020-01-01T00:00:00Z", "2026-01-01"].map((time) => [kind.noun, time, kind] as const)),
)("makes a %s once at the time %s, and a lag of a minute", async (_, time, { name, path, declare }) => {
	proxy.hidden.add("idempotent-replayed");
	const run = openProvider(proxy, { clock });
	const start = clock.now();
	const isShown = () => clock.now() >= start + 60_000;
	proxy.rewrite = (text, method, requested) => {
		if (text === "") return text;
		const record = JSON.parse(text, (key, value) => (key === "created_at" ? time : value));
		const isList = method === "GET" && requested.replace(/\?.*/, "").endsWith(path);
		return JSON.stringify(isList && !isShown() ? { ...record, data: [] } : record);
	};
	proxy.plan = (_request, method, requested) =>
		method === "GET" && requested.includes(`${path}/`) && !isShown()
			? {
					kind: "chosen",
					...{ status: 404, type: "application/json", isCarriedOut: false },
					body: '{"error":"not_found","message":"No.","request_id":"r"}',
				}
			: undefined;
	const { id } = await create(run[name], declare());
	expect(emulator.rows(name).map((row) => row.id)).toEqual([id]);
});
