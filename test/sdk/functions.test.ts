/** The functions of the dynamic provider: plain async functions in the program's process. */
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

test("read the account of the stack's configuration", async () => {
	const id = await buy();
	const number = await telephony.getNumber({ id });
	expect(number).toMatchObject({ id, country: "NL", status: "active" });
	expect(await telephony.getNumbers()).toEqual({ numbers: [number] });
	expectTypeOf(number.price?.monthly.amount).toEqualTypeOf<string | undefined>();
	expectTypeOf<telephony.GetTrunkResult["auth"]>().not.toHaveProperty("password");
	expectTypeOf(number.routing).toEqualTypeOf<pulumi.Unwrap<telephony.Routing> | undefined>();
});

test("prefer the environment to the configuration", async () => {
	configure("wrong");
	await expect(telephony.getNumbers()).rejects.toThrow("[telephony:rejected-key]");
	vi.stubEnv("TELEPHONY_API_KEY", emulator.apiKey);
	expect(await telephony.getNumbers()).toEqual({ numbers: [] });
});

test("take outputs, and return an output", async () => {
	const number = telephony.getNumberOutput({ id: pulumi.output(buy()) });
	expect(await new Promise((resolve) => number.status.apply(resolve))).toBe("active");
});

test("wait for a value that isn't known yet", async () => {
	const unknown = pulumi.output(Promise.resolve("")) as pulumi.Output<string> & { isKnown: Promise<boolean> };
	unknown.isKnown = Promise.resolve(false);
	const number = telephony.getNumberOutput({ id: unknown }) as unknown as { isKnown: Promise<boolean> };
	expect(await number.isKnown).toBe(false);
	expect(emulator.control.requests()).toEqual([]);
});

test("name each wrong argument, without a stack", async () => {
	const wrong = { country: "nl", typ: "mobile" } as unknown as telephony.GetKycRequirementsArgs;
	const error = (await telephony.getKycRequirements(wrong).catch((reason: Error) => reason)) as Error;
	expect(error.stack).toBe(error.message);
	expect(error.message).toMatch(/^getKycRequirements: typ: .*; country: .*; type: .* \[telephony:invalid-input\]$/);
});
