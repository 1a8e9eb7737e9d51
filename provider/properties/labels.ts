/** Properties that the service only stores: a label and metadata. */
import { PatchNumber } from "../api/contract";
import { words } from "./form";
import type { Property } from "./table";

export const labels = {
	label: {
		type: () => PatchNumber.shape.label.unwrap().unwrap(),
		description: "Display name.",
		example: "Front desk",
		wire: "label",
		form: words,
		severity: "low",
	},
	metadata: {
		type: () => PatchNumber.shape.metadata.unwrap().unwrap(),
		description: "Key-value pairs of your own.",
		example: { team: "support" },
		wire: "metadata",
		form: { kind: "map" },
		severity: "low",
	},
} satisfies Record<string, Property>;
