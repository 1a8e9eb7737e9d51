/** Services give back what they were given in words of their own: another case, times without fractions. No drift. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useEmulator } from "../../helpers/emulator";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { aTrunk, checked, create, openProvider } from "../../helpers/provider";

const emulator = useEmulator();
const proxy = useFaultProxy(emulator);
const open = () => openProvider(proxy);

const news = (): Values =>
	aTrunk({
		codecs: ["opus", "PCMU"],
		mediaEncryption: "srtp",
		targets: [{ host: "pbx.example.com", transport: "tls" }],
		auth: { mode: "digest", username: "office" },
	});

/** A refresh, and an up after it: what each finds to do. */
const refreshed = async (id: string, outs: Values) => {
	const run = open();
	const read = await run.sipTrunk.read(id, outs);
	const inputs = await checked(run.sipTrunk, news());
	return {
		read: read.props ?? {},
		inputs: read.inputs,
		changes: (await run.sipTrunk.diff(id, read.props ?? {}, inputs)).changes,
	};
};

describe("later answers", () => {
	const respell = (spell: (text: string) => string) => {
		proxy.rewrite = (text, method) => (method === "GET" ? spell(text) : text);
	};

	test.each([
		["cut off", Math.floor],
		["rounded", Math.round],
	])("show times in whole seconds, %s: the password stays", async (_, whole) => {
		const { id, outs } = await create(open().sipTrunk, news());
		const time = String(outs.passwordUpdatedAt);
		const spelled = new Date(whole(Date.parse(time) / 1000) * 1000).toISOString().replace(".000Z", "Z");
		respell((text) => text.replaceAll(/("password_updated_at":")[^"]*/g, `$1${spelled}`));
		const { read, changes } = await refreshed(id, outs);
		expect({ password: read.password, passwordUpdatedAt: read.passwordUpdatedAt, changes }).toEqual({
			password: outs.password,
			passwordUpdatedAt: time,
			changes: false,
		});
	});

	test("show another time: the password is somebody else's", async () => {
		const { id, outs } = await create(open().sipTrunk, news());
		respell((text) => text.replaceAll(/("password_updated_at":")[^"]*/g, "$12031-01-01T00:00:00Z"));
		expect(await refreshed(id, outs)).toMatchObject({ read: { password: "" }, changes: true });
	});

	test("show codecs, transports and encryption in another case: the program's spelling stays", async () => {
		const { id, outs } = await create(open().sipTrunk, news());
		respell((text) =>
			text.replaceAll(/"(opus|pcmu|srtp|tls)"/gi, (word) =>
				word === word.toUpperCase() ? word.toLowerCase() : word.toUpperCase(),
			),
		);
		const { changes, inputs } = await refreshed(id, outs);
		const { codecs, mediaEncryption, targets } = news();
		expect({ changes, inputs }).toEqual({
			changes: false,
			inputs: expect.objectContaining({ codecs, mediaEncryption, targets }),
		});
	});

	test("show codecs in another order: that is drift", async () => {
		const { id, outs } = await create(open().sipTrunk, news());
		respell((text) => text.replaceAll('"opus","PCMU"', '"PCMU","OPUS"'));
		expect(await refreshed(id, outs)).toMatchObject({ changes: true, inputs: { codecs: ["PCMU", "opus"] } });
	});
});
