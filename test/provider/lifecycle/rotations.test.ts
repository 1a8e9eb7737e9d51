/** Rotations: at a service that responds with the secret alone, a job or nothing, and when the program asks for none. */
import { expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { secretIn, secretKinds } from "../../helpers/kinds";
import { codesOf, create, openProvider } from "../../helpers/provider";
import { upAgain } from "../../helpers/runs";

const { clock, emulator } = useAccount();
const proxy = useFaultProxy(emulator);
const open = () => openProvider(proxy, { clock });
const rotations = () => emulator.writes().filter((write) => write.includes("/rotate_"));

type Shape = (record: Values) => Values | "";
const secretOf: Shape = ({ secret, auth }) =>
	secret === undefined ? { auth: { mode: "digest", password: (auth as Values).password } } : { secret };
const shapes: [title: string, shape: Shape, isShown: boolean][] = [
	["only the secret", secretOf, true],
	["the secret and a job's id", (record) => ({ id: "job_1", ...(secretOf(record) as Values) }), true],
	["success", () => ({ ok: true }), false],
	["nothing", () => "", false],
];

test.each(secretKinds.flatMap((kind) => shapes.map((shape) => [kind.noun, ...shape, kind] as const)))(
	"a rotation of a %s whose response shows %s is done once",
	async (_, _title, shape, isShown, { name, output, rotation, declare }) => {
		const made = await create(open()[name], declare({ [rotation]: 1 }));
		await clock.sleep(5_000);
		proxy.rewrite = (text, method, path) => {
			if (method !== "POST" || !path.includes("/rotate_")) return text;
			const body = shape(JSON.parse(text));
			return body === "" ? "" : JSON.stringify(body);
		};
		const run = open();
		const up = await upAgain(run, made, declare({ [rotation]: 2 }), declare({ [rotation]: 1 }));
		expect(up.outs[output]).toBe(isShown ? secretIn(emulator.row(made.id)) : undefined);
		expect(codesOf(run.warnings)).toEqual(isShown ? [] : ["secret-hidden"]);
		expect((await upAgain(open(), up, declare({ [rotation]: 2 }))).changes).toBe(false);
		expect(rotations()).toHaveLength(1);
	},
);

test.each(secretKinds)("a removed rotation of a $noun ends no secret", async ({ name, rotation, output, declare }) => {
	const made = await create(open()[name], declare({ [rotation]: 1 }));
	const up = await upAgain(open(), made, declare(), declare({ [rotation]: 1 }));
	expect(up.outs[output]).toBe(made.outs[output]);
	expect(rotations()).toEqual([]);
});
