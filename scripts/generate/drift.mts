/** docs/drift.md's table of the spellings that a comparison ignores, from the forms of the properties. */
import type { DriftDefinition } from "../../provider/drift/definition.ts";
import type { Form } from "../../provider/properties/form.ts";

/** Each ignored difference, with the properties whose comparison ignores it. */
export function ignoredTable(resources: Readonly<Record<string, { readonly drift: DriftDefinition }>>): string {
	const paths = new Map<string, Set<string>>();
	for (const { drift } of Object.values(resources))
		for (const [name, { form, fixed }] of Object.entries(drift.properties)) if (!fixed) collect(name, form, paths);
	const rows = [...paths].map(([same, names]) => `| ${same} | ${[...names].map((name) => `\`${name}\``).join(", ")} |`);
	return ["| Ignored | Properties |", "|---|---|", ...rows].join("\n");
}

function collect(path: string, form: Form | undefined, paths: Map<string, Set<string>>): void {
	if (form?.kind === "set" || form?.kind === "list") collect(`${path}[]`, form.item, paths);
	else if (form?.kind === "object") {
		for (const [name, field] of Object.entries(form.fields))
			if (name !== "failover" && !field.writeOnly) collect(`${path}.${name}`, field.form, paths);
	} else if (form?.kind === "scalar" && form.same !== undefined) {
		const names = paths.get(form.same) ?? new Set();
		paths.set(form.same, names.add(path));
	}
}
