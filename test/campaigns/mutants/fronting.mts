/** Faults of the plugin alone. */
import type { Mutant } from "./mutant.mts";

export const fronting: readonly Mutant[] = [
	{
		name: "create of the plugin forgets the id",
		search: "handler.create(news));\n		response.setId(id);",
		replace: "handler.create(news));\n		void id;",
		hunt: "killed plugin",
	},
	{
		name: "a preview of the plugin is carried out",
		search: "if (request.getPreview()) {\n			response.setProperties(given(created(",
		replace: "if (request.getName() === String(Symbol())) {\n			response.setProperties(given(created(",
		hunt: "killed plugin",
	},
];
