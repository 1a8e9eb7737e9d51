/** Nobody reads all messages where they are made: they stand in one list, and each new one is seen in review. */
import { expect, test } from "vitest";
import { sentencesOfCode } from "./helpers/sentences";

test("test/fixtures/sentences.txt is what the code says: `npm test -- test/sentences.test.ts -u` writes it anew", async () => {
	await expect(sentencesOfCode()).toMatchFileSnapshot("fixtures/sentences.txt");
});
