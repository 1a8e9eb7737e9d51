/** A service that answers a PATCH with 204 and no body: what came of it is read back. */
import { expect, test } from "vitest";
import { useAccount } from "../../helpers/account";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { aNumber, aTrunk, aWebhook, create, openProvider } from "../../helpers/provider";
import { refreshed, upAgain } from "../../helpers/runs";

const { emulator, clock } = useAccount();
const service = useFaultProxy(emulator);

const resources = [
	["number", aNumber, "label"],
	["sipTrunk", aTrunk, "label"],
	["webhook", aWebhook, "description"],
] as const;
const settings = [
	{},
	{ features: { getById: false } },
	{ features: { getById: false, reference: false } },
	{ readLagMs: 1_000 },
];

test.each(resources.flatMap(([name, declare, key]) => settings.map((patch) => [name, patch, declare, key] as const)))(
	"a %s is configured all the same: %j",
	async (name, patch, declare, key) => {
		emulator.control.settings(patch);
		service.plan = (_, method) => (method === "PATCH" ? { kind: "empty" } : undefined);
		const open = () => openProvider(service, { clock });
		const run = open();
		const { id, outs } = await create(run[name], declare({ [key]: "a" }));
		const updated = await upAgain(open(), { id, outs }, declare({ [key]: "b" }));
		expect(updated.outs[key]).toBe("b");
		expect(emulator.rows(name)).toMatchObject([{ id, [key]: "b" }]);
		const later = open();
		expect(await refreshed(later, updated, declare({ [key]: "b" }))).toMatchObject({ changes: false });
		expect([...run.warnings, ...later.warnings]).toEqual([]);
	},
);
