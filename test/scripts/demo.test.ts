/** The demo, from end to end. Its tests use one stack of the checkout, `demo`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { picturedLines } from "../../scripts/picture.mts";
import { start } from "../helpers/engine-running";
import { descendants } from "../helpers/process-tree.mts";
import { repository } from "../helpers/repository";

const demo = () => start(["node", "scripts/demo.mts"], repository, process.env);

/** Replaces ids, which differ from run to run. Created objects may come in any order. */
const comparable = (lines: readonly string[]) => lines.map((line) => line.replace(/\b(num|trk)_\w+/, "$1")).sort();

test("finds and repairs drift, as the README's picture shows", async () => {
	const { code, output } = demo();
	expect(await code, output()).toBe(0);
	const picture = readFileSync(join(repository, "docs/images/demo-light.svg"), "utf8");
	const texts = [...picture.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, text = ""]) => text);
	expect(comparable(picturedLines(output()).map(({ text }) => text))).toEqual(comparable(texts));
});

test.skipIf(process.platform !== "linux")("leaves nothing running after Ctrl-C in the middle of up", async () => {
	const { child, end, output, printed } = demo();
	await printed(/Number \w+ creating/);
	const pids = descendants(child.pid ?? 0).map(({ pid }) => pid);
	expect(await end("SIGINT"), output()).toBe(130);
	expect(pids.length).toBeGreaterThan(2);
	// The provider ends a moment after the engine.
	await expect.poll(() => pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
	expect(readdirSync(tmpdir()).filter((name) => name.startsWith("telephony-demo-"))).toEqual([]);
	expect(existsSync(join(repository, "Pulumi.demo.yaml"))).toBe(false);
});
