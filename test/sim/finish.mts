/** Every story can be brought to its end: `up` succeeds after what its errors ask for, and a destroy removes everything. */
import { liveNumbers } from "./account.mts";
import { must } from "./checks/check.mts";
import { allIn, type Errors, objectIn } from "./engine.mts";
import type { RunError } from "./errors.mts";
import { allKinds, endingIn, inUseCodes, kinds, lockCodes, rowsOf } from "./kinds/index.mts";
import { decide, decideAll } from "./troubles.mts";
import type { World } from "./world.mts";

/** Without faults and with KYC approved. @throws Violation */
export async function finish(world: World): Promise<void> {
	world.setting.say("finish");
	world.control.kyc("immediate");
	const errors = await repeat(world, "up");
	must(errors.length === 0, () => `up doesn't settle: ${errors.join("; ")}`);
	const refused = await repeat(world, "destroy");
	must(refused.length === 0, () => `destroy doesn't end: ${refused.join("; ")}`);
	world.court.finish();
}

/** Runs and refreshes, and does what errors ask for, until nothing fails; then once more, unless each run takes seconds. */
async function repeat(world: World, kind: "up" | "destroy"): Promise<Errors> {
	let errors: Errors = [];
	const least = world.setting.driver === "cli" ? 0 : 1;
	for (let round = 0; round < 5; round += 1) {
		await approve(world);
		errors = await world.run(kind, {});
		world.acceptsEmptyAccount = false;
		if (round >= least && errors.length === 0) break;
		for (const error of errors) await heed(world, error, round);
		await world.run("refresh", {});
	}
	return errors;
}

async function approve(world: World): Promise<void> {
	decideAll(world, "approve");
	for (const { name, kind } of (await world.state()).resources.values()) {
		const good = kinds[kind].decisions?.good;
		if (good !== undefined) await decide(world, { name, what: good });
	}
}

/** Does what an error asks for. */
async function heed(world: World, error: RunError, round: number): Promise<void> {
	const { name } = error;
	if (error.has("wrong-account")) world.acceptsEmptyAccount = true;
	if (error.has("claimed", "duplicate", "adopt-refused", "another-state")) redeclare(world, name, round);
	// The service refuses changes to what it has reviewed: another one takes its place.
	if (error.has("kyc-locked") || error.hasServiceCode(...lockCodes))
		world.edit({ do: "rename", name, to: `${name}b`, hasAlias: false });
	if (error.has("shared-object")) await forgetShared(world, name);
	if (error.has("purchase-unknown")) await giveUp(world, error);
	if (error.hasServiceCode(...inUseCodes)) detach(world, error);
	// The order will never bring the number, or its numbers have arrived.
	const isRefused = error.hasServiceCode("number_not_portable");
	const isOver = isRefused || error.has("port-pending", "port-exception", "not-found");
	if (isOver && round > 0) world.edit({ do: "remove", name });
	// The numbers of an order that is being cancelled are free a little later.
	const isCancelling = endingIn(world.control.state()).length > 0;
	if (isRefused || isCancelling) world.advance(3 * 3_600_000);
}

/** Declares another object in place of one that another declaration has claimed. */
function redeclare(world: World, name: string, round: number): void {
	world.report({ what: "redeclared" });
	const declared = world.program.find((candidate) => candidate.name === name);
	const isBought = declared && kinds[declared.kind].isBought && declared.args.adopt === undefined;
	world.edit(isBought ? { do: "change", name, args: { generation: 1_000 + round } } : { do: "remove", name });
}

const namedIn = (world: World, error: RunError): string[] =>
	error.idsAmong(liveNumbers(world.control).map(({ id }) => id));

/** Releases what an error names as possibly ours and no state holds, or marks it as used. */
async function giveUp(world: World, error: RunError): Promise<void> {
	const held = new Set(allIn(await world.state()).map(objectIn));
	for (const id of namedIn(world, error)) {
		if (held.has(id) || world.court.chronicle.isTheirs(id)) world.control.patchNumber(id, { label: "in use" });
		else {
			world.control.deleteNumber(id);
			world.report({ what: "released", id });
		}
	}
}

/** Removes a resource from the state if another one holds its object. */
async function forgetShared(world: World, name: string): Promise<void> {
	const { resources } = await world.state();
	const id = resources.get(name)?.id;
	if ([...resources.values()].filter((resource) => resource.id === id).length < 2) return;
	await world.stack.forget(name);
	world.report({ what: "secrets forgotten" });
}

/** Removes the links of the objects that an error names. */
function detach({ control }: World, error: RunError): void {
	for (const kind of allKinds) {
		const cuts = Object.values(kind.links ?? {}).flatMap(({ cut }) => cut ?? []);
		const ids = cuts.length === 0 ? [] : error.idsAmong(rowsOf(control.state(), kind).map(({ id }) => id));
		for (const id of ids) kind.edit(control, id, Object.assign({}, ...cuts));
	}
}
