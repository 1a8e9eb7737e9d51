/**
 * `node test/campaigns/canaries.mts [--trials N] [--seed S] [--replay SEED]`: lives with secrets in them, at a service that
 * fails and repeats what it was sent. No secret, old or new, given or made, shows in any form in what a run says or logs,
 * nor in the path of a request.
 */
import { must, runCampaign, type Trial } from "./campaign.mts";
import { changeAll, firstProgram, type Program } from "./program.mts";
import { type Random, seeded } from "./random.mts";
import { inRoom, type Room } from "./room.mts";

const apiKey = 'canary-"key\\of-the-account';

const operations = [
	"createTrunk",
	"patchTrunk",
	"createWebhook",
	"patchWebhook",
	"rotateSecret",
	"listTrunks",
] as const;

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** As a service may repeat it. */
const formsOf = (secret: string): string[] => [
	secret,
	escaped(secret),
	escaped(escaped(secret)),
	encodeURIComponent(secret),
	Buffer.from(secret).toString("base64"),
];

/** Each trunk has a password of the program's. */
const withPasswords = (program: Program, random: Random, given: Set<string>): Program =>
	program.map((each) => {
		if (each.kind !== "sipTrunk") return each;
		const password = `canary-"${random.int(1e6, 1e7)}\\pass/word?`;
		given.add(password);
		const { passwordRotation: _, ...args } = each.args;
		return { ...each, args: { ...args, auth: { mode: "digest", username: "office", password } } };
	});

async function life(room: Room, random: Random, trial: Trial, said: readonly string[]): Promise<void> {
	const { control } = room.emulator;
	const secrets = new Set([apiKey]);
	const stack = room.stack("dev", { TELEPHONY_LOG: "debug" });
	const look = () => {
		const { webhooks, trunks } = control.state();
		for (const value of [...webhooks, ...trunks].flatMap(secretsIn)) secrets.add(value);
		const text = [...said, ...control.requests().map(({ path }) => path)].join("\n");
		for (const secret of secrets)
			for (const form of formsOf(secret).map((each) => each.replace(/.?=*$/, "")))
				must(!text.includes(form), () => `${form} shows: ${lineWith(text, form)}`);
	};
	let program = withPasswords(firstProgram({ numbers: 1, trunks: 1, webhooks: 1 }, random), random, secrets);
	for (let runs = random.int(2, 4); runs > 0; runs -= 1) {
		const operation = random.pick(operations);
		// What that request has to do with: nobody can mask what nobody has shown.
		const own = operation.endsWith("Trunk")
			? passwordsIn(program)
			: [...(await stack.state()).entries.values()].flatMap(({ kind, outputs }) =>
					kind === "webhook" && typeof outputs.secret === "string" ? [outputs.secret] : [],
				);
		control.faults.clear();
		control.faults.set({
			operation,
			nth: random.pick([1, [1, 2]]),
			kind: "status",
			status: random.pick([400, 401, 409, 422, 500, 503]),
			phase: random.pick(["before", "after"]),
			// It repeats what it was sent, and more.
			message: random.pick(formsOf(random.pick([apiKey, ...own]))).replaceAll(/[^\x20-\x7e]/g, ""),
		});
		const { errors } = await stack.up(program, {});
		for (const error of errors) trial.say(`  error: ${error}`);
		trial.count(errors.length > 0 ? "runs that failed" : "runs that came through");
		look();
		const { errors: refreshed } = await stack.refresh();
		for (const error of refreshed) trial.say(`  error: ${error}`);
		look();
		program = withPasswords(changeAll(program, random), random, secrets);
	}
	control.faults.clear();
	for (const error of (await stack.destroy()).errors) trial.say(`  error: ${error}`);
	look();
}

const passwordsIn = (program: Program): string[] =>
	program.flatMap(({ args }) => (args.auth as { password?: string } | undefined)?.password ?? []);

/** Whatever a row keeps that is called secret or password. */
function secretsIn(row: unknown): string[] {
	if (typeof row !== "object" || row === null) return [];
	return Object.entries(row).flatMap(([key, value]) =>
		typeof value === "string" && /^(secret|password|previous_secret)$/.test(key) ? [value] : secretsIn(value),
	);
}

const lineWith = (text: string, form: string): string => text.split("\n").find((line) => line.includes(form)) ?? "";

await runCampaign({
	name: "canaries",
	trials: 200,
	trial(trial) {
		const said: string[] = [];
		const heard = {
			...trial,
			say(line: string) {
				said.push(line);
				trial.say(line);
			},
		};
		return inRoom(heard, { kyc: "immediate", apiKey }, (room) => life(room, seeded(trial.seed), heard, said));
	},
});
