/**
 * The codes at the end of errors and warnings, such as `[telephony:claimed]`. They never change: people search for them, and
 * `telephony drift` reads them. docs/troubleshooting.md has an entry for each, which begins with the line given here.
 */
export const messageCodes = {
	// Set up
	config: "A setting of the provider is missing or invalid.",
	"rejected-key": "The service rejects the API key.",
	"wrong-account":
		"The account isn't the pinned account, doesn't show enough of this stack's objects, or uses a saved id for another object.",
	"not-pinned": "The stack isn't pinned to an account.",
	"account-refused": "The service refuses this account because of its balance, its limits or the key's permissions.",
	"owner-missing": "A CI job keeps its state in a folder, and the stack has no `telephony:owner`.",
	"key-in-clear": "The API key is in the stack's configuration without `--secret`.",
	"option-refused": "A resource sets an option that doesn't work here.",
	"provider-missing": "The program's own package doesn't depend on pulumi-telephony.",
	"node-version": "Node.js is too old, or the plugin can't find it.",
	// Input
	"invalid-input": "The service or the provider rejected a value.",
	"unknown-value": "This version of the provider doesn't know a declared value.",
	"beyond-limits":
		"A declared value is beyond the provider's limits, and `adopt` names an object that may have this value.",
	"not-found": "The program names an object that the account doesn't have.",
	"not-offered": "The service doesn't offer a feature that the program needs.",
	"no-inventory": "The service has no matching number for sale.",
	"adopt-refused": "The provider can't adopt the object that `adopt` names.",
	"kyc-requirements": "A KYC profile is missing, or lacks a document that the market requires.",
	"kyc-locked": "You can't change a KYC profile that is in review or approved.",
	limit: "The run would buy or release more than `telephony:limits` allows.",
	// The service
	unavailable: "The service sent no response, or is unavailable.",
	proxy: "The proxy in `HTTPS_PROXY` didn't connect to the service.",
	"rate-limited": "The service limited the rate of requests.",
	"unreadable-response": "The service's response doesn't match its contract.",
	"list-incomplete": "A list may have more pages than the provider can read.",
	"not-shown": "The service doesn't show an object that may still exist.",
	conflict: "The request conflicts with the object's state at the service.",
	"in-use": "The object is in use, so the service refuses to change or remove it.",
	"unconfirmed-write": "The service may have carried out a request, but didn't confirm it.",
	"not-applied": "The service accepted a change, but doesn't return the new value.",
	respelled: "The service shows a declared value in another spelling.",
	"purchase-unknown": "The service may have sold a number, but its response doesn't identify it.",
	// The owner of an object
	claimed: "Another stack or program has claimed the object.",
	"another-state": "The object belongs to the same project, stack and name in another state.",
	"another-attempt": "The object was last updated by a run missing from this state.",
	"shared-object": "Another resource of this program manages the same object.",
	"reference-cleared": "The object's `reference` was cleared outside Pulumi.",
	"reference-cut": "The service truncates, respells or rejects an object's `reference`.",
	resumed: "The run resumed an existing object instead of buying or creating another.",
	duplicate: "The account contains more objects than this resource needs.",
	rename: "The stack claimed an object that another stack or state claimed before.",
	// Retained and deleted objects
	retained: "The object stays on the account.",
	released: "The provider released the number.",
	"release-protected": "The number is protected, so the provider retained it.",
	"released-outside": "The number was released outside Pulumi.",
	"ported-out": "The number moved to another carrier.",
	"number-failed": "The number failed at the service.",
	"removed-outside": "A trunk, webhook or port order was removed or cancelled outside Pulumi.",
	"secret-hidden": "The service generated a password or a secret, but doesn't return it.",
	"secret-replaced": "The password or the secret was replaced outside Pulumi.",
	// Waiting
	"kyc-pending": "KYC for a bought number or a submitted profile is still pending.",
	"kyc-not-shown": "The number needs KYC, but the service doesn't report when KYC is complete.",
	"kyc-rejected": "The service rejected KYC for the number, or the KYC profile.",
	"not-active": "The service has stopped the number.",
	"port-pending": "A number is still being ported.",
	"port-exception": "The carriers object to a port order.",
	interrupted: "The run was interrupted.",
	// The `telephony` command
	usage: "The command can't use an option, or the file or folder that the option names.",
	engine: "The Pulumi CLI is missing or too old, or can't open the stack.",
	"plan-unknown": "The stack's preview failed, so its plan is unknown.",
	"drift-unknown": "The command couldn't read the whole stack, so the stack's drift is unknown.",
	emulator: "The emulator can't start.",
} as const;

export type MessageCode = keyof typeof messageCodes;

const printed = /\[telephony:([a-z-]+)\]/g;

/** The text with the code at its end. A quoted message loses its code, because a message has only one. */
export const coded = (text: string, code: MessageCode): string => `${withoutCode(text)} [telephony:${code}]`;

const withoutCode = (text: string): string => text.replace(new RegExp(` ?${printed.source}`, "g"), "");

/** The code of a message, as the engine passes it on; undefined for a message that isn't ours. */
export function codeOf(message: string): MessageCode | undefined {
	const code = [...message.matchAll(printed)].at(-1)?.[1];
	return code !== undefined && Object.hasOwn(messageCodes, code) ? (code as MessageCode) : undefined;
}
