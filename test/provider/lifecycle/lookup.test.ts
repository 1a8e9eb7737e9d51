/** Objects that a program only reads, with `.get`: none of it is declared, so none of it is drift, and none of it is lost. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { resources } from "../../helpers/arbitraries";
import { useEmulator } from "../../helpers/emulator";
import { create, failureOf, openProvider } from "../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
const open = () => openProvider(emulator);
const nouns = { number: "number", sipTrunk: "trunk", webhook: "webhook" };

describe.each(resources)("a %s that a program only reads", (name, _, declare) => {
	const urn = { resourceUrn: `${declare().resourceUrn}-read` };
	const remove = (id: string) => {
		const { control } = emulator;
		if (name === "number") control.deleteNumber(id);
		else if (name === "sipTrunk") control.deleteTrunk(id);
		else control.deleteWebhook(id);
	};
	const edit = (id: string) => {
		const { control } = emulator;
		if (name === "number") control.patchNumber(id, { label: "edited" });
		else if (name === "sipTrunk") control.patchTrunk(id, { label: "edited" });
		else control.patchWebhook(id, { description: "edited" });
	};

	test("shows an edit to the program's next read, and to no refresh", async () => {
		const { id } = await create(open()[name], declare());
		const { props = {} } = await open()[name].read(id, urn);
		expect(props.status).toBeDefined();
		edit(id);
		const refresh = open();
		expect(await refresh[name].read(id, props)).toEqual({ id, props });
		expect(refresh.warnings).toEqual([]);
		const next = await open()[name].read(id, urn);
		expect(Object.values(next.props ?? {})).toContain("edited");
	});

	test("that is gone fails the program's next read, and a refresh only warns", async () => {
		const { id } = await create(open()[name], declare());
		const { props = {} } = await open()[name].read(id, urn);
		remove(id);
		const error = await failureOf(open()[name].read(id, urn));
		expect([error.kind, error.message]).toEqual([
			"NotFound",
			expect.stringMatching(
				new RegExp(`${id} failed: .*\\. \`\\.get\` only reads what is there: name one that exists\\.`),
			),
		]);
		const refresh = open();
		const state: Values = { ...props, ...urn };
		expect(await refresh[name].read(id, state)).toEqual({ id, props: state });
		const called = name === "number" ? `${props.number} (${id})` : id;
		expect(refresh.warnings).toEqual([
			expect.stringContaining(`The ${nouns[name]} ${called}, which this program only reads, is gone from the account.`),
		]);
		expect(refresh.warnings[0]).toMatch(/\[telephony:not-found\]$/);
	});
});
