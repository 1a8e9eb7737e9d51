import type { Control } from "../../emulator";

/** What was declared, as the service has it: without what every write changes and what the service makes up. */
export function configurationOf(control: Control) {
	const volatile = new Set([
		"updated_at",
		"reference",
		"password_updated_at",
		"secret",
		"secret_version",
		"previous_secret",
		"previous_secret_expires_at",
		"password",
	]);
	const { numbers, trunks, webhooks } = control.state();
	return JSON.parse(
		JSON.stringify({ numbers, trunks, webhooks }, (key, value) => (volatile.has(key) ? undefined : value)),
	);
}
