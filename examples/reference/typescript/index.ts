import * as telephony from "pulumi-telephony/plugin";

const company = new telephony.KycProfile("company", {
	entityType: "business",
	name: "Example GmbH",
	country: "DE",
	address: { street: "Ufer 1", city: "Berlin", postalCode: "10117", country: "DE" },
	idNumber: "HRB 12345",
	documents: [
		{ kind: "company_register", file: "documents/register.pdf" },
		{ kind: "proof_of_address", file: "documents/bill.pdf" },
	],
});

const branch = new telephony.Number("branch", {
	country: "DE",
	type: "geographic",
	area: "30",
	kycProfileId: company.id,
});

const move = new telephony.PortOrder("move", {
	numbers: ["+31201234567"],
	country: "NL",
	carrier: { name: "Old Telecom", accountNumber: "A-1042" },
	subscriber: { name: "Example B.V.", address: "Damrak 1, 1012 LG Amsterdam" },
	documents: [{ kind: "letter_of_authorization", file: "documents/letter.pdf" }],
});

const ours = telephony.getNumbersOutput({ country: "NL", label: "Front desk" });
const free = telephony.getAvailableNumbersOutput({ country: "NL", limit: 3 });
const market = telephony.getKycRequirementsOutput({
	country: "DE",
	type: "geographic",
});
export const number = branch.phoneNumber;
export const status = move.status;
export const desks = ours.numbers;
export const offers = free.numbers;
export const asksFor = market.requirements;
