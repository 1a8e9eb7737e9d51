/** examples/plugin on the real engine: the same program in every language, each with the SDK that is made from schema.json. */
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, type Run } from "../helpers/engine";
import { exampleIn, type Language, prepare } from "../helpers/languages";

const emulator = useEmulator({ kyc: "immediate" });

const minutes = 60_000;

const succeeds = (done: Run) => expect(done.code, done.output).toBe(0);

test.for<Language>(["yaml", "javascript", "typescript", "python", "go"])(
	"a program in %s is deployed, its drift is found and repaired, and it is destroyed",
	{
		// The first time, Go compiles Pulumi's SDK, which takes minutes.
		timeout: 15 * minutes,
	},
	async (language, context) => {
		const env = await prepare(language, (why) => context.skip(why));
		const project = await createProject({
			service: emulator,
			folder: exampleIn(language),
			// The plugin is found beside the program: nothing would have to be downloaded.
			env: { ...env, PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: undefined },
		});

		succeeds(await project.up());
		const { numbers, trunks, webhooks } = emulator.control.state();
		expect([numbers, trunks, webhooks].map((rows) => rows.length)).toEqual([1, 1, 1]);
		const { desk, office } = await project.ids();
		expect(numbers[0]).toMatchObject({ id: desk, label: "Front desk", routing: { type: "trunk", trunk_id: office } });
		expect(webhooks[0]).toMatchObject({ url: "https://hooks.example.com/sms", events: ["message.received"] });
		const { secret, ...outputs } = await project.outputs();
		expect(outputs).toEqual({ number: numbers[0]?.number, sipDomain: trunks[0]?.sip_domain });
		expect(secret).toMatch(/^whsec_/);
		expect(await project.state()).not.toContain(secret);
		succeeds(await project.preview("--expect-no-changes"));

		emulator.control.patchNumber(desk ?? "", { label: "by hand" });
		const drift = await project.drift("--diff");
		expect([drift.code === 0, drift.output.replaceAll(/\s+/g, " ")]).toEqual([
			false,
			expect.stringContaining('~ label: "Front desk" => "by hand"'),
		]);
		succeeds(await project.up("--refresh"));
		expect(emulator.control.state().numbers[0]?.label).toBe("Front desk");
		succeeds(await project.destroy());
		expect(emulator.control.ledger().map(({ kind }) => kind)).toEqual(["purchase", "release"]);
	},
);
