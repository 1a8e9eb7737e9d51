import * as telephony from "pulumi-telephony";

// A number in a regulated market, with the profile of the company that is responsible for it, and sample documents.
// `up` buys the number, submits the profile, and waits at most ten minutes for the service's approval. If that takes
// longer, `up` fails, and the next one continues to wait.
const company = new telephony.KycProfile("company", {
	entityType: "business",
	name: "Example GmbH",
	country: "DE",
	address: { street: "Unter den Linden 1", city: "Berlin", postalCode: "10117", country: "DE" },
	idNumber: "HRB 12345",
	documents: [
		{ kind: "company_register", file: "documents/register.pdf" },
		{ kind: "proof_of_address", file: "documents/bill.pdf" },
	],
});

const berlin = new telephony.Number("berlin", {
	country: "DE",
	type: "geographic",
	area: "30",
	kycProfileId: company.id,
});

export const profile = company.status;
export const number = berlin.phoneNumber;
export const status = berlin.status;
