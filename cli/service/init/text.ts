/** A proposed description as YAML, with the reason of each guess above its line, and questions to a person at the top. */
import { type Document, isMap, isScalar, type YAMLMap } from "yaml";
import { yamlDocument } from "../../report/yaml";
import type { Proposal } from "./propose";

const inFlow = (map: unknown): boolean => isMap(map) && map.items.length <= 5;

/** Fields and the like take one line each. */
function flow(document: Document, path: readonly string[]): void {
	const node = document.getIn(path, true);
	if (inFlow(node)) (node as YAMLMap).flow = true;
}

function comment(document: Document, path: readonly string[], why: string): void {
	const parent = document.getIn(path.slice(0, -1), true) ?? document.contents;
	if (!isMap(parent)) return;
	const pair = parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1));
	if (pair === undefined || !isScalar(pair.key)) return;
	const said = pair.key.commentBefore;
	pair.key.commentBefore = [...(said ? [said] : []), ` a guess: ${why}`].join("\n");
}

export function yamlOf({ description, stated, decisions }: Proposal): string {
	const document = yamlDocument(description);
	for (const { at, guess, value } of stated) {
		if (typeof value === "object" && value !== null) flow(document, at);
		const named = at[0] === "features" ? `${value}, ${guess}` : guess;
		if (guess !== undefined && named !== undefined) comment(document, at, named);
	}
	if (decisions.length > 0)
		document.commentBefore = [" To decide:", ...decisions.map((each) => ` - ${each}`)].join("\n");
	return document.toString({ lineWidth: 0 });
}
