/** `| undefined` stands on what may be missing, and on nothing else: a program need not ask whether the rest is there. */
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { useFaultProxy } from "../helpers/fault-proxy";
import { aNumber, aTrunk, aWebhook, create, openProvider } from "../helpers/provider";
import { read } from "../helpers/repository";

const emulator = useEmulator({ kyc: "immediate" });
const service = useFaultProxy(emulator);

/** Of a number nobody knows what the service shows; trunks and webhooks are as they are assumed. */
const least = (text: string, _method: string, path: string): string => {
	const shown = ({ id, country, type, status }: Record<string, unknown>) => ({ id, country, type, status });
	if (!path.includes("/numbers")) return text;
	const body = JSON.parse(text);
	return JSON.stringify(body.data === undefined ? shown(body) : { ...body, data: body.data.map(shown) });
};

test.each([
	["number", "sdk/number.ts", aNumber()],
	["sipTrunk", "sdk/sip-trunk.ts", aTrunk()],
	["webhook", "sdk/webhook.ts", aWebhook()],
] as const)("the types of a %s say of each output whether it is always there", async (name, file, news) => {
	service.rewrite = least;
	const { outs } = await create(openProvider(service)[name], news);
	const types = [...read(file).matchAll(/declare readonly (\w+): pulumi\.Output<(.*)>;/g)];
	const outputs = types.map(([, output = "", type = ""]) => ({ output, always: !type.endsWith("| undefined") }));
	expect(outputs).toEqual(outputs.map(({ output }) => ({ output, always: outs[output] !== undefined })));
	expect(outputs.filter(({ always }) => always).length).toBeGreaterThan(5);
});
