/** Programs in YAML for the plugin of this checkout. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProject, type Project, type ProjectOptions } from "./engine";
import { repository } from "./repository";

const project = (resources: string, name: string) => `name: ${name}
runtime: yaml
plugins:
  providers:
    - { name: telephony, path: ${JSON.stringify(join(repository, "bin"))} }
${resources.trim() === "" ? "" : `resources:\n${resources}`}`;

/** Replaces the resources. */
export const writeYaml = (stack: Project, resources: string, name = "telephony-test"): void =>
	writeFileSync(join(stack.folder, "Pulumi.yaml"), project(resources, name));

export async function yamlProject(options: ProjectOptions, resources: string): Promise<Project> {
	const stack = await createProject(options);
	writeYaml(stack, resources, options.name);
	return stack;
}
