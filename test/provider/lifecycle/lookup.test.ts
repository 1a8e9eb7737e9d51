/** Objects that a program only reads, with `.get`: none of it is declared, so none of it is drift, and none of it is lost. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { resources } from "../../helpers/arbitraries";
import { useEmulator } from "../../helpers/emulator";
import { create, failureOf, openProvider } from "../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
const open = () => openProvider(emulator);

describe.each(resources)("a %s that a program only reads", (name, _, declare) => {
	const urn = { resourceUrn: `${declare().resourceUrn}-read` };

	test("shows an edit to the program's next read, and to no refresh", async () => {
		const { id } = await create(open()[name], declare());
		const { props = {} } = await open()[name].read(id, urn);
		expect(props.status).toBeDefined();
		emulator.edit(name, id, name === "webhook" ? { description: "edited" } : { label: "edited" });
		const refresh = open();
		expect(await refresh[name].read(id, props)).toEqual({ id, props });
		expect(refresh.warnings).toEqual([]);
		expect(Object.values((await open()[name].read(id, urn)).props ?? {})).toContain("edited");
	});

	test("that is gone fails the program's next read, and a refresh only warns", async () => {
		const { id } = await create(open()[name], declare());
		const { props = {} } = await open()[name].read(id, urn);
		emulator.remove(name, id);
		const error = await failureOf(open()[name].read(id, urn));
		expect(error).toMatchObject({ kind: "NotFound", message: expect.stringContaining(id) });
		const refresh = open();
		const state: Values = { ...props, ...urn };
		expect(await refresh[name].read(id, state)).toEqual({ id, props: state });
		const called = name === "number" ? `\\${props.number} \\(${id}\\)` : id;
		expect(refresh.warnings).toEqual([expect.stringMatching(`${called}.*\\[telephony:not-found\\]$`)]);
	});
});
