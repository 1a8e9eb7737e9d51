import { Document, type ToStringOptions, visit } from "yaml";

/** Escapes characters that readers of YAML and Go refuse, or that some take for the end of a line. */
export const escaped = (text: string): string =>
	text.replace(
		/[\u007f-\u009f\u2028\u2029\ufeff]/g,
		(sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);

/** Returns YAML whose strings stay strings for readers of YAML 1.1, of 1.2, and of Go's mix, which Pulumi uses. */
export function yamlOf(value: unknown, options: ToStringOptions = {}): string {
	const document = new Document(value, { compat: "yaml-1.1" });
	visit(document, {
		Scalar: (_, node) => {
			if (typeof node.value !== "string") return;
			const text = node.value.toWellFormed();
			node.value = text;
			// Readers differ in numbers, such as 0X1F and 1e1_0, which begin like this, in tabs, and in 1.1's default key.
			if (/^[-+]?\.?\d|\t|^=$/.test(text) || escaped(text) !== text) node.type = "QUOTE_DOUBLE";
		},
	});
	return escaped(document.toString({ lineWidth: 0, ...options }));
}
