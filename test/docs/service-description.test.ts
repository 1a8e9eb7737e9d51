/** docs/reference/service-description.md: each description on the page is one that the provider takes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dialectIn } from "../../provider/session/service";
import { sections } from "../../scripts/generate/description-texts.mts";
import { createFolder } from "../helpers/folders";
import { read } from "../helpers/repository";
import { blocksOf } from "./pages";

const page = "docs/reference/service-description.md";
const inBraces = (keys: readonly string[], text: string) =>
	keys.reduceRight((inner, key) => `${key}: { ${inner} }`, text);
const examples = sections.flatMap(({ within, keys }) =>
	Object.values(keys).map(({ example }) => inBraces(within, example)),
);

describe("the page shows valid descriptions", () => {
	test.each(examples)("%s", (example) => {
		expect(dialectIn(`{ ${example} }`, page, ".").description).not.toEqual({});
	});

	test("in its blocks", () => {
		const blocks = blocksOf(page).filter(({ language }) => language === "yaml");
		expect(blocks).not.toEqual([]);
		for (const { text } of blocks) {
			const file = join(createFolder(), "service.yaml");
			writeFileSync(file, text);
			expect(dialectIn(file, page, ".").description).not.toEqual({});
		}
	});

	test("in its sentences", () => {
		const spans = [...read(page).matchAll(/`((?:operations|records): \{.*?\})`/g)].map(([, text = ""]) => text);
		expect(spans.length).toBeGreaterThan(2);
		for (const text of spans) expect(dialectIn(`{ ${text} }`, page, ".").description).not.toEqual({});
	});
});
