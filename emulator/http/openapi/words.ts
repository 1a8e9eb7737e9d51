import type { ErrorCode, OperationName } from "../../../provider/api/contract";

interface Words {
	readonly summary: string;
	/** In addition to those that every operation of its kind may answer with. */
	readonly errors?: readonly ErrorCode[];
}

/** Each operation in a sentence. */
export const words: Readonly<Record<OperationName, Words>> = {
	listNumbers: { summary: "All numbers of the account; released ones only if asked for by status." },
	buyNumber: {
		summary: "Buys a number by criteria; in a regulated market it is pending until KYC clears.",
		errors: ["unsupported_market", "no_inventory", "insufficient_balance", "account_suspended", "limit_exceeded"],
	},
	getNumber: { summary: "One number." },
	patchNumber: {
		summary: "Configures a number: routing, SMS webhook, label, metadata, protection, KYC profile.",
		errors: ["immutable_field", "invalid_reference", "capability_missing", "number_not_active", "resource_busy"],
	},
	releaseNumber: {
		summary: "Releases a number into quarantine, from which it can be restored.",
		errors: ["release_protected", "number_in_use", "port_in_progress", "resource_busy"],
	},
	restoreNumber: {
		summary: "Undoes a release while the number is in quarantine.",
		errors: ["not_restorable", "gone"],
	},
	searchNumbers: {
		summary: "Free numbers, the one that a purchase with the same criteria gets first.",
		errors: ["unsupported_market"],
	},
	listPortOrders: { summary: "All port orders." },
	createPortOrder: {
		summary: "Drafts an order to port numbers from another carrier.",
		errors: ["unsupported_market", "number_not_portable", "invalid_reference"],
	},
	getPortOrder: { summary: "One port order, with its exceptions." },
	patchPortOrder: {
		summary: "Changes a draft, or fixes what an exception asks for.",
		errors: ["number_not_portable", "invalid_reference", "port_in_progress"],
	},
	submitPortOrder: {
		summary: "Hands a port order to the carriers.",
		errors: ["number_not_portable", "port_in_progress"],
	},
	cancelPortOrder: {
		summary: "Cancels a port order, until 48 hours before its numbers change over.",
		errors: ["port_not_cancellable"],
	},
	getKycRequirements: { summary: "What a market asks for before a number is active.", errors: ["unsupported_market"] },
	listKycProfiles: { summary: "All KYC profiles." },
	createKycProfile: {
		summary: "Drafts a profile of who answers for numbers.",
		errors: ["invalid_reference"],
	},
	getKycProfile: { summary: "One KYC profile, with the reasons of a rejection." },
	patchKycProfile: {
		summary: "Changes a draft, or fixes what was rejected.",
		errors: ["invalid_reference", "kyc_profile_locked"],
	},
	submitKycProfile: {
		summary: "Hands a KYC profile in for review, for all numbers that name it.",
		errors: ["requirements_missing", "kyc_profile_locked"],
	},
	listKycDocuments: { summary: "All documents." },
	createKycDocument: { summary: "Uploads a document in base64, up to 10 MiB." },
	getKycDocument: { summary: "One document, without its content." },
	listTrunks: { summary: "All SIP trunks." },
	createTrunk: {
		summary: "Makes a SIP trunk; a generated password is in this answer only.",
		errors: ["capacity_exceeded", "limit_exceeded"],
	},
	getTrunk: { summary: "One SIP trunk." },
	patchTrunk: { summary: "Changes a SIP trunk.", errors: ["capacity_exceeded", "resource_busy"] },
	deleteTrunk: { summary: "Removes a SIP trunk to which no number routes.", errors: ["trunk_in_use", "resource_busy"] },
	rotatePassword: { summary: "Makes a new password, which is in this answer only." },
	listCalls: { summary: "All calls." },
	placeCall: {
		summary: "Calls from a number of the account.",
		errors: [
			"invalid_sender",
			"invalid_reference",
			"number_not_active",
			"trunk_disabled",
			"capacity_exceeded",
			"destination_blocked",
			"insufficient_balance",
		],
	},
	getCall: { summary: "One call." },
	hangUpCall: { summary: "Ends a call; one that has ended stays as it is." },
	listRecordings: { summary: "The recordings of a call." },
	getRecordingMedia: { summary: "The sound of a recording.", errors: ["recording_not_ready", "gone"] },
	listMessages: { summary: "All messages, sent and received." },
	sendMessage: {
		summary: "Sends an SMS from a number of the account.",
		errors: [
			"invalid_sender",
			"number_not_active",
			"capability_missing",
			"destination_blocked",
			"recipient_opted_out",
			"insufficient_balance",
		],
	},
	getMessage: { summary: "One message." },
	listWebhooks: { summary: "All webhooks." },
	createWebhook: { summary: "Makes a webhook; its secret is in this answer only.", errors: ["limit_exceeded"] },
	getWebhook: { summary: "One webhook, without its secret." },
	patchWebhook: { summary: "Changes a webhook.", errors: ["resource_busy"] },
	deleteWebhook: { summary: "Removes a webhook." },
	rotateSecret: {
		summary: "Makes a new secret, which is in this answer only; the previous one stays valid for a while.",
		errors: ["rotation_in_progress"],
	},
	testWebhook: { summary: "Sends a test event to a webhook.", errors: ["webhook_disabled"] },
	listDeliveries: { summary: "What was sent to a webhook, with each attempt." },
	getDelivery: { summary: "One delivery." },
	resendDelivery: { summary: "Sends the event of a delivery once more.", errors: ["webhook_disabled"] },
	getUsage: { summary: "What was used and what it costs, by category, day or number." },
	listInvoices: { summary: "All invoices." },
	getInvoice: { summary: "One invoice." },
	getInvoiceDocument: { summary: "An invoice to print or keep." },
};
