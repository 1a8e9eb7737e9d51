/** The basic characters of GSM 03.38; the extension counts twice. */
const basic =
	"@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
const extension = "\f^{}\\[~]|€";

const sevenBit = new Map([
	...[...basic].map((char) => [char, 1] as const),
	...[...extension].map((char) => [char, 2] as const),
]);

/** Returns the number of parts for characters of these sizes, which are never split. */
const parts = (sizes: readonly number[], single: number, partSize: number): number => {
	if (sizes.reduce((sum, size) => sum + size, 0) <= single) return 1;
	let count = 1;
	let used = 0;
	for (const size of sizes) {
		if (used + size > partSize) {
			count += 1;
			used = 0;
		}
		used += size;
	}
	return count;
};

/** Returns encoding and parts of an SMS: 160 characters of GSM-7 or 70 of UCS-2, or parts of 153 or 67. */
export const segmentsOf = (text: string): { encoding: "gsm7" | "ucs2"; segments: number } => {
	const chars = [...text];
	const sizes = chars.map((char) => sevenBit.get(char));
	return sizes.every((size) => size !== undefined)
		? { encoding: "gsm7", segments: parts(sizes, 160, 153) }
		: {
				encoding: "ucs2",
				segments: parts(
					chars.map(({ length }) => length),
					70,
					67,
				),
			};
};
