/** Pages that several browser tabs show at once. */
import { expect, test } from "vitest";
import { LivePages } from "../../../emulator/console/live";

/** Pages whose rendering takes so many milliseconds. */
const pagesTaking = (cost: number) => {
	let time = 0;
	let rendered = 0;
	const pages = new LivePages(() => time);
	const render = async () => {
		time += cost;
		rendered += 1;
		return `page ${rendered}`;
	};
	return {
		read: (address = "/numbers", version = String(time)) => pages.read(address, version, render),
		pass: (ms: number) => {
			time += ms;
		},
		rendered: () => rendered,
	};
};

test.each([1, 40, 500])("renders changes once for ten tabs, in a tenth of the time: %i ms", async (cost) => {
	const { read, pass, rendered } = pagesTaking(cost);
	const span = 100 * cost;
	for (let time = 0; time < span; time += cost) {
		await Promise.all(Array.from({ length: 10 }, () => read()));
		pass(cost);
	}
	expect(rendered()).toBeGreaterThanOrEqual(5);
	expect(rendered()).toBeLessThanOrEqual(12);
});

test("renders a page once while nothing changes", async () => {
	const { read, pass, rendered } = pagesTaking(10);
	for (const version of ["1", "1", "1", "2", "2"]) {
		await read("/numbers", version);
		pass(1000);
	}
	expect(rendered()).toBe(2);
});

test("renders each address by itself, and again after a failure", async () => {
	const { read, pass, rendered } = pagesTaking(10);
	expect([await read("/numbers"), await read("/kyc"), await read("/numbers")]).toEqual(["page 1", "page 2", "page 1"]);
	pass(200);
	expect(await read("/numbers")).toBe("page 3");
	expect(rendered()).toBe(3);
	const pages = new LivePages(() => 0);
	await expect(pages.read("/", "1", () => Promise.reject(new Error("disk")))).rejects.toThrow("disk");
	expect(await pages.read("/", "1", async () => "page")).toBe("page");
});
