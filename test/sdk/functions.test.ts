/** Functions of the dynamic front: plain async functions in the program's process. */
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, expect, expectTypeOf, test, vi } from "vitest";
import * as telephony from "../../sdk";
import { useEmulator } from "../helpers/emulator";

const emulator = useEmulator({ kyc: "immediate" });

beforeEach(() => {
	vi.stubEnv("TELEPHONY_API_KEY", "");
	vi.stubEnv("TELEPHONY_BASE_URL", "");
	configure(emulator.apiKey);
	return () => vi.unstubAllEnvs();
});

const configure = (apiKey: string) =>
	pulumi.runtime.setAllConfig({ "telephony:apiKey": apiKey, "telephony:baseUrl": emulator.url });

const buy = async () => (await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" })).body.id;

test("read the stack's configuration, and the account by it", async () => {
	const id = await buy();
	const found = await telephony.getNumber({ id });
	expect(found).toMatchObject({ id, country: "NL", status: "active" });
	expect(await telephony.getNumbers()).toEqual({ numbers: [found] });
	expectTypeOf(found.price?.monthly.amount).toEqualTypeOf<string | undefined>();
	expectTypeOf<telephony.GetTrunkResult["auth"]>().not.toHaveProperty("password");
	expectTypeOf(found.routing).toEqualTypeOf<pulumi.Unwrap<telephony.Routing> | undefined>();
	expectTypeOf(telephony.getAvailableNumbers).parameter(0).toEqualTypeOf<{
		country: telephony.Country;
		type?: "geographic" | "mobile" | "toll_free" | "national";
		area?: string;
		contains?: string;
		capabilities?: ("voice" | "sms" | "mms" | "fax")[];
		limit?: number;
	}>();
});

test("the environment wins over it", async () => {
	configure("wrong");
	await expect(telephony.getNumbers()).rejects.toThrow("[telephony:rejected-key]");
	vi.stubEnv("TELEPHONY_API_KEY", emulator.apiKey);
	expect(await telephony.getNumbers()).toEqual({ numbers: [] });
});

test("take outputs too, and give an output", async () => {
	const id = await buy();
	const found = telephony.getNumberOutput({ id: pulumi.output(Promise.resolve(id)) });
	const status = await new Promise((resolve) => found.status.apply(resolve));
	expect(status).toBe("active");
});

test("are not called for a value that isn't known yet", async () => {
	const unknown = pulumi.output(Promise.resolve("")) as pulumi.Output<string> & { isKnown: Promise<boolean> };
	unknown.isKnown = Promise.resolve(false);
	const found = telephony.getNumberOutput({ id: unknown }) as unknown as { isKnown: Promise<boolean> };
	expect(await found.isKnown).toBe(false);
	expect(emulator.control.requests()).toEqual([]);
});

test("say what is wrong with each argument, and without a trace", async () => {
	const wrong = { country: "nl", typ: "mobile" } as unknown as telephony.GetKycRequirementsArgs;
	const error = await telephony.getKycRequirements(wrong).catch((reason: Error) => reason);
	expect((error as Error).stack).toBe((error as Error).message);
	expect((error as Error).message).toMatch(
		/^getKycRequirements: typ: .*Did you mean type\?; country: must be a two-letter.*; type: must be set \[telephony:invalid-input\]$/,
	);
});

test("mask the key where the service repeats it", async () => {
	await expect(telephony.getTrunk({ id: emulator.apiKey })).rejects.toThrow(
		expect.not.objectContaining({ message: expect.stringContaining(emulator.apiKey) }),
	);
});
