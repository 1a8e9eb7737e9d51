/** Values that the check sends. */

/** Values of the first change. */
export const changedValues = { label: "telephony check", reference: "telephony-check" } as const;

/** Our references have up to 64 characters. */
export const longReference = `${"c".repeat(22)}.${"c".repeat(8)}.check.check~telephony/${"check-".repeat(3)}`.slice(
	0,
	64,
);
export const longLabel = "telephony-check_".repeat(4);

export const route = { type: "sip_uri", uri: "sip:check@example.com" } as const;
