/** A service that still shows a deleted trunk or webhook, with a status that says so. */
import { describe, expect, test } from "vitest";
import { useAccount } from "../../helpers/account";
import { type Fault, useFaultProxy } from "../../helpers/fault-proxy";
import { freeKinds } from "../../helpers/kinds";
import { codesOf, create, openProvider, type ProviderOptions } from "../../helpers/provider";
import { refreshed } from "../../helpers/runs";

const { emulator, clock } = useAccount();
const proxy = useFaultProxy(emulator);
const words = { status: { values: { deleted: "ceased" } } };
const described = { "telephony:service": JSON.stringify({ records: { trunk: words, webhook: words } }) };

describe.each<[string, NonNullable<ProviderOptions["config"]>]>([
	["deleted", {}],
	["deleting", {}],
	["ceased", described],
])("a status %s", (status, config) => {
	describe.each(freeKinds)("of a $noun", ({ name, path, declare }) => {
		const open = () => openProvider(proxy, { clock, config });
		const made = async () => {
			await create(open()[name], declare({}, "other"));
			return create(open()[name], declare());
		};
		/** Shows the object with the status from now on. A removal has this response, and no other effect. */
		const end = async (id: string, isRemoved = true) => {
			const record = { ...(await emulator.call("GET", `${path}/${id}`)).body, status };
			const response: Fault = {
				...{ kind: "chosen", status: 200, type: "application/json", isCarriedOut: false },
				body: JSON.stringify(record),
			};
			let isShown = isRemoved;
			proxy.plan = (_, method, at) => {
				if (!at.includes(`${path}/${id}`)) return undefined;
				isShown ||= method === "DELETE";
				return isShown ? response : undefined;
			};
			proxy.rewrite = (text, method, at) => {
				if (!isShown || method !== "GET" || !at.split("?")[0]?.endsWith(path)) return text;
				const { data, ...list } = JSON.parse(text);
				return JSON.stringify({ ...list, data: data.map((row: { id: string }) => (row.id === id ? record : row)) });
			};
		};

		test("confirms a delete", async () => {
			const { id, outs } = await made();
			await end(id, false);
			await open()[name].delete(id, outs);
			expect(emulator.writes().filter((write) => write.startsWith("DELETE"))).toEqual([]);
		});

		test("is drift, and the next run creates another one", async () => {
			const first = await made();
			await end(first.id);
			const run = open();
			expect((await refreshed(run, first, declare())).id).toBe("");
			expect(codesOf(run.warnings)).toEqual(["removed-outside"]);
			expect((await create(open()[name], declare({}, "next"))).id).not.toBe(first.id);
		});

		test("is never resumed", async () => {
			const first = await made();
			await end(first.id);
			await clock.sleep(48 * 3_600_000);
			expect((await create(open()[name], declare())).id).not.toBe(first.id);
		});
	});
});
