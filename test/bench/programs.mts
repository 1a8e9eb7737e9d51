/** JavaScript programs that declare the same numbers with each provider of a comparison. A type check takes all the same. */

/** Arguments of each number. */
export const declared = {
	country: "NL",
	type: "geographic",
	area: "20",
	label: "Desk",
	routing: { type: "sip_uri", uri: "sip:desk@pbx.example.com" },
	metadata: { team: "support" },
} as const;

/** `destroy` releases the numbers, as the comparators do. */
const released = { ...declared, onDelete: "release" } as const;

const inTurn = (count: number, create: string, args: object = declared): string => `
const declared = ${JSON.stringify(args)};
for (let n = 0; n < ${count}; n++) new ${create}(\`n\${n}\`, { ...declared, label: \`Desk \${n}\` });
`;

/** Programs that use this package. */
export const ourSubjects: readonly string[] = ["dynamic", "plugin"];

/** The comparator is the last one. */
export const programs = (count: number): Record<string, string> => ({
	dynamic: front("pulumi-telephony") + inTurn(count, "telephony.Number", released),
	plugin: front("pulumi-telephony/plugin") + inTurn(count, "telephony.Number", released),
	"do-nothing": idle + inTurn(count, "Idle"),
	"docs-style": docsStyle + inTurn(count, "TelephoneNumber"),
	lean: lean + inTurn(count, "TelephoneNumber"),
});

const front = (door: string): string => `const telephony = require("${door}");\n`;

/** A dynamic provider that sends no request, for the engine's own cost. */
const idle = `
const pulumi = require("@pulumi/pulumi");

const provider = {
	create: async (inputs) => ({ id: "x", outs: inputs }),
	diff: async () => ({ changes: false }),
};

class Idle extends pulumi.dynamic.Resource {
	constructor(name, args) {
		super(provider, name, args);
	}
}
`;

/** As Pulumi's docs teach it: a class with every method, all outputs in the state, and failures reported. */
const docsStyle = `
const pulumi = require("@pulumi/pulumi");

async function call(method, path, body) {
	const response = await fetch(process.env.TELEPHONY_BASE_URL + path, {
		method,
		headers: { authorization: "Bearer " + process.env.TELEPHONY_API_KEY, "content-type": "application/json" },
		...(body && { body: JSON.stringify(body) }),
	});
	if (!response.ok) throw new Error(\`\${method} \${path}: \${response.status}\`);
	return response.status === 204 ? {} : await response.json();
}

const outs = (record) => ({
	country: record.country,
	type: record.type,
	area: record.area,
	label: record.label,
	routing: { type: record.routing.type, uri: record.routing.uri },
	metadata: record.metadata,
	number: record.number,
	status: record.status,
	createdAt: record.created_at,
});

const body = ({ label, routing, metadata }) => ({
	label,
	routing: { type: routing.type, uri: routing.uri },
	metadata: { team: metadata.team },
});

class NumberProvider {
	async create({ country, type, area, ...rest }) {
		const { id } = await call("POST", "/numbers", { country, type, area });
		return { id, outs: outs(await call("PATCH", "/numbers/" + id, body(rest))) };
	}
	async read(id) {
		return { id, props: outs(await call("GET", "/numbers/" + id)) };
	}
	async update(id, _olds, news) {
		return { outs: outs(await call("PATCH", "/numbers/" + id, body(news))) };
	}
	async delete(id) {
		await call("DELETE", "/numbers/" + id);
	}
	async diff(_id, olds, news) {
		const replaces = ["country", "type", "area"].filter((key) => olds[key] !== news[key]);
		const same = JSON.stringify(body(olds)) === JSON.stringify(body(news));
		return { changes: replaces.length > 0 || !same, replaces };
	}
}

const provider = new NumberProvider();

class TelephoneNumber extends pulumi.dynamic.Resource {
	constructor(name, args, opts) {
		super(provider, name, { number: undefined, status: undefined, createdAt: undefined, ...args }, opts);
	}
}
`;

/** As someone in a hurry writes it: the engine compares the inputs, and the state has them, the number and the status. */
const lean = `
const pulumi = require("@pulumi/pulumi");

const call = async (method, path, body) => {
	const headers = { authorization: "Bearer " + process.env.TELEPHONY_API_KEY, "content-type": "application/json" };
	const response = await fetch(process.env.TELEPHONY_BASE_URL + path, { method, headers, body: JSON.stringify(body) });
	if (!response.ok) throw new Error(await response.text());
	return response.status === 204 ? {} : response.json();
};

const configure = (id, { label, routing, metadata }) => call("PATCH", "/numbers/" + id, { label, routing, metadata });

const provider = {
	async create(inputs) {
		const { country, type, area } = inputs;
		const { id, number, status } = await call("POST", "/numbers", { country, type, area });
		await configure(id, inputs);
		return { id, outs: { ...inputs, number, status } };
	},
	async read(id, props) {
		const { label, routing, metadata, number, status } = await call("GET", "/numbers/" + id);
		return { id, props: { ...props, label, routing, metadata, number, status } };
	},
	async update(id, olds, news) {
		const { number, status } = await configure(id, news);
		return { outs: { ...news, number, status } };
	},
	delete: (id) => call("DELETE", "/numbers/" + id),
};

class TelephoneNumber extends pulumi.dynamic.Resource {
	constructor(name, args) {
		super(provider, name, { number: undefined, status: undefined, ...args });
	}
}
`;
