import { Document, visit } from "yaml";

/** Returns a document whose strings stay strings for readers of YAML 1.1, of 1.2, and of Go's mix, which Pulumi uses. */
export function yamlDocument(value: unknown): Document {
	const document = new Document(value, { compat: "yaml-1.1" });
	visit(document, {
		Scalar: (_, node) => {
			// Readers differ in which numbers they know, such as 0X1F and 1e1_0. All begin like this.
			if (typeof node.value === "string" && /^[-+]?\.?\d/.test(node.value)) node.type = "QUOTE_DOUBLE";
		},
	});
	return document;
}
