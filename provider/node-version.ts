/** Every entry point imports this first: an older Node gets one sentence instead of a syntax error deep inside. */
const floor = [22, 19] as const;
const [major = 0, minor = 0] = process.versions.node.split(".").map((part) => Number.parseInt(part, 10));

if (major < floor[0] || (major === floor[0] && minor < floor[1])) {
	const error = new Error(
		`pulumi-telephony needs Node.js ${floor.join(".")} or newer, and this is ${process.versions.node} (${process.execPath}): install a newer Node.js and run the command again. [telephony:node-version]`,
	);
	// Our commands print one line. A host prints the stack, and the sentence says all there is to know.
	if (/[\\/]bin[\\/](pulumi-resource-)?telephony$/.test(require.main?.filename ?? "")) {
		process.stderr.write(`${error.message}\n`);
		process.exit(1);
	}
	error.stack = error.message;
	throw error;
}

export {};
