/** What people are told, and what stays as it is, when an object's reference isn't the one that its entry wrote. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { resources } from "../../helpers/arbitraries";
import { useEmulator } from "../../helpers/emulator";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { checked, create, failureOf, openProvider } from "../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);
const open = () => openProvider(emulator);
const kinds = {
	number: { path: "/numbers", body: { country: "NL", type: "mobile" } },
	sipTrunk: { path: "/trunks", body: { name: "By hand", capacity: 1 } },
	webhook: { path: "/webhooks", body: { url: "https://hooks.example.com/old", events: ["*"] } },
};
const auth = { mode: "ip_acl", allowed_cidrs: ["198.51.100.7/32"] };
/** What another stack has written. */
const theirs = "another-token.criteria.another-who.lease.word.~theirs/prod";

describe.each(resources)("a %s", (name, _, declare) => {
	const { path, body } = kinds[name];
	const row = (id: string) => emulator.rows(name).find((each) => each.id === id);
	const refer = (id: string, reference: string | null) => emulator.edit(name, id, { reference });
	const made = async () => {
		const { id, outs } = await create(open()[name], declare());
		return { id, outs, inputs: await checked(open()[name], declare()) };
	};
	const onAccount = async () => {
		const sent = name === "sipTrunk" ? { ...body, auth } : body;
		return String((await emulator.call("POST", path, sent)).body.id);
	};
	const refreshed = async (id: string, outs: Values) => {
		const run = open();
		const { props = {} } = await run[name].read(id, outs);
		return { props, warnings: run.warnings };
	};
	const writes = () => emulator.writes().length;

	test.each([
		["was cleared", () => null, "reference-cleared"],
		[
			"is that of a run which this state doesn't know",
			({ lease }: Values) =>
				(reference: string) =>
					reference.replace(String(lease), "another-lease-of-ours"),
			"another-attempt",
		],
	] as const)(
		"whose reference %s is kept by a delete, which says why, until an up has taken it back",
		async (...given) => {
			const [, referenceOf, code] = given;
			const { id, outs, inputs } = await made();
			const change = referenceOf(outs);
			refer(id, change === null ? null : change(String(row(id)?.reference)));
			const { props, warnings } = await refreshed(id, outs);
			expect(warnings).toEqual([expect.stringMatching(`${id}.*\\[telephony:${code}\\]$`)]);
			const error = await failureOf(open()[name].delete(id, props));
			expect(error).toMatchObject({ kind: "Claimed", messageCode: code, message: expect.stringContaining(id) });
			expect(error.message).toContain(`\`pulumi state delete '${outs.resourceUrn}'\``);
			expect(row(id)).toBeDefined();
			expect((await open()[name].diff(id, props, inputs)).changes).toBe(true);
			const { outs: own } = await open()[name].update(id, props, inputs);
			expect(row(id)?.reference).toContain(String(own.lease));
			expect((await refreshed(id, own)).warnings).toEqual([]);
			await open()[name].delete(id, own);
			expect(row(id)).toBeUndefined();
		},
	);

	test("that another stack has claimed is named by refresh, refused by up, and only forgotten by destroy", async () => {
		const { id, outs, inputs } = await made();
		refer(id, theirs);
		const { props, warnings } = await refreshed(id, outs);
		expect(warnings).toEqual([expect.stringMatching(/theirs\/prod.*\[telephony:claimed\]$/)]);
		const before = writes();
		const error = await failureOf(open()[name].update(id, props, inputs));
		expect(error).toMatchObject({ kind: "Claimed", message: expect.stringContaining("theirs/prod") });
		const run = open();
		await run[name].delete(id, props);
		expect(run.warnings).toEqual([expect.stringMatching(/theirs\/prod.*\[telephony:claimed\]$/)]);
		expect({ writes: writes(), id: row(id)?.id }).toEqual({ writes: before, id });
	});

	test("that was imported, and that another stack has claimed since, is not called unclaimed", async () => {
		const id = await onAccount();
		const { resourceUrn } = declare();
		const { props = {} } = (await open()[name].import?.(id, { resourceUrn })) ?? {};
		expect((await refreshed(id, { ...props, resourceUrn })).warnings).toEqual([]);
		refer(id, theirs);
		expect((await refreshed(id, { ...props, resourceUrn })).warnings).toEqual([
			expect.stringMatching(/theirs\/prod.*\[telephony:claimed\]$/),
		]);
	});

	test("at a service without references is anybody's to refresh and delete, and nothing is said about it", async () => {
		emulator.control.settings({ features: { reference: false } });
		const { id, outs } = await made();
		const { props, warnings } = await refreshed(id, outs);
		await open()[name].delete(id, props);
		expect({ warnings, row: row(id) }).toEqual({ warnings: [], row: undefined });
	});

	describe("that was adopted and is given back by destroy", () => {
		const adopted = async () => {
			const id = await onAccount();
			const { outs } = await create(open()[name], declare({ adopt: id }));
			const run = openProvider(proxy);
			return { id, outs, run };
		};

		test("is so though the answer got lost, and by the next try where the service refused", async () => {
			const { id, outs, run } = await adopted();
			proxy.plan = (__, method) => (method === "PATCH" ? { kind: "echoed", status: 400 } : undefined);
			expect((await failureOf(run[name].delete(id, outs))).message).toContain("400");
			expect(row(id)?.reference).toContain(String(outs.lease));
			proxy.plan = (__, method) => (method === "PATCH" ? { kind: "replaced", status: 500 } : undefined);
			const again = openProvider(proxy);
			await again[name].delete(id, outs);
			expect(again.warnings).toEqual([expect.stringMatching(/^Kept .*on the account, because/)]);
			expect(row(id)).toMatchObject({ id, reference: null });
		});

		test("is so only if the service says so: with no way to look, the destroy fails", async () => {
			const { id, outs, run } = await adopted();
			let isSent = false;
			proxy.plan = (__, method) => {
				isSent ||= method === "PATCH";
				return isSent ? { kind: "replaced", status: 500 } : undefined;
			};
			expect((await failureOf(run[name].delete(id, outs))).message).toMatch(/PATCH .* failed/);
		});
	});

	describe("that `adopt` names", () => {
		const nothing = name === "number" ? "Nothing was bought or changed." : "Nothing was created or changed.";
		const refused = async (id: string, run = open()) => {
			const before = writes();
			const error = await failureOf(create(run[name], declare({ adopt: id }, "other")));
			expect(writes()).toBe(before);
			expect(error.message).toContain(nothing);
			return error;
		};

		test("is refused with a code for each reason", async () => {
			const { id, outs } = await made();
			const run = open();
			await checked(run[name], declare());
			await run[name].read(id, outs);
			expect((await refused(id, run)).messageCode).toBe("shared-object");
			expect((await refused("none_such")).messageCode).toBe("adopt-refused");
			refer(id, theirs);
			const claimed = await refused(id);
			expect(claimed).toMatchObject({
				messageCode: "claimed",
				message: expect.stringContaining("theirs/prod"),
			});
			const free = await onAccount();
			const main = declare({ adopt: free });
			refer(id, null);
			const { id: earlier } = await create(open()[name], declare());
			const error = await failureOf(create(open()[name], main));
			expect(error).toMatchObject({ messageCode: "adopt-refused", message: expect.stringContaining(earlier) });
		});

		test("is not called unknown where the service can't say", async () => {
			emulator.control.faults.set({
				operation: ({ number: "getNumber", sipTrunk: "getTrunk", webhook: "getWebhook" } as const)[name],
				status: 500,
				every: true,
			});
			const error = await failureOf(create(open()[name], declare({ adopt: "not_listed" })));
			expect(error).toMatchObject({ kind: "Unavailable", message: expect.not.stringContaining("there is no") });
		});

		test("is taken over from another resource of the same stack with a warning that says what to do there", async () => {
			const { id } = await made();
			const run = open();
			await create(run[name], declare({ adopt: id }, "other"));
			expect(run.warnings).toEqual([expect.stringMatching(/\[telephony:taken-over\]$/)]);
		});

		test("was made for this very declaration on another machine, and is taken over without a word", async () => {
			const { id } = await create(openProvider(emulator, { place: "https://elsewhere.example" })[name], declare());
			const run = open();
			const { outs } = await create(run[name], declare({ adopt: id }));
			expect(run.warnings).toEqual([]);
			expect(row(id)?.reference).toContain(String(outs.lease));
		});

		test("was made for this very declaration before it had an owner, and is taken over without a word", async () => {
			const { id } = await create(openProvider(emulator, { place: "https://elsewhere.example" })[name], declare());
			const run = openProvider(emulator, { config: { "telephony:owner": "team-voice" } });
			await create(run[name], declare({ adopt: id }));
			expect(run.warnings).toEqual([]);
		});
	});
});
