/** Samples per second, 8 bits each. */
const rate = 8000;
const [pitch, loudness] = [440, 40];

const beep = Buffer.from(
	Array.from({ length: rate }, (_, at) => {
		const wave = at < rate / 2 ? Math.sin((2 * Math.PI * pitch * at) / rate) : 0;
		return 128 + Math.round(loudness * wave);
	}),
);

/** Returns a WAV file: PCM, mono, a beep for each second of the call. */
export const wav = (seconds: number): Uint8Array<ArrayBuffer> => {
	const size = seconds * rate;
	const header = Buffer.alloc(44);
	header.write("RIFF", 0);
	header.writeUInt32LE(36 + size, 4);
	header.write("WAVEfmt ", 8);
	header.writeUInt32LE(16, 16);
	header.writeUInt16LE(1, 20);
	header.writeUInt16LE(1, 22);
	header.writeUInt32LE(rate, 24);
	header.writeUInt32LE(rate, 28);
	header.writeUInt16LE(1, 32);
	header.writeUInt16LE(8, 34);
	header.write("data", 36);
	header.writeUInt32LE(size, 40);
	return Buffer.concat([header, Buffer.alloc(size, beep)]);
};
