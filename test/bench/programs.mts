/** Programs that declare the same numbers with each provider of a comparison. */

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
const declared = ${JSON.stringify(args)} as const;
for (let n = 0; n < ${count}; n++) new ${create}(\`n\${n}\`, { ...declared, label: \`Desk \${n}\` });
`;

export const programs = (count: number): Record<string, string> => ({
	dynamic: front("pulumi-telephony") + inTurn(count, "telephony.Number", released),
	plugin: front("pulumi-telephony/plugin") + inTurn(count, "telephony.Number", released),
	"do-nothing": idle + inTurn(count, "Idle"),
	"docs-style": docsStyle + inTurn(count, "TelephoneNumber"),
});

const front = (door: string): string => `import * as telephony from "${door}";\n`;

/** A dynamic provider that sends no request, for the engine's own cost. */
const idle = `
import * as pulumi from "@pulumi/pulumi";

const provider: pulumi.dynamic.ResourceProvider = {
	create: async (inputs) => ({ id: "x", outs: inputs }),
	diff: async () => ({ changes: false }),
};

class Idle extends pulumi.dynamic.Resource {
	constructor(name: string, args: object) {
		super(provider, name, args);
	}
}
`;

const docsStyle = `
import * as pulumi from "@pulumi/pulumi";

interface Inputs { country: string; type: string; area: string; label: string; routing: object; metadata: object }

async function call(method: string, path: string, body?: object): Promise<any> {
	const response = await fetch(process.env.TELEPHONY_BASE_URL + path, {
		method,
		headers: { authorization: "Bearer " + process.env.TELEPHONY_API_KEY, "content-type": "application/json" },
		...(body && { body: JSON.stringify(body) }),
	});
	if (!response.ok) throw new Error(\`\${method} \${path}: \${response.status}\`);
	return response.status === 204 ? {} : await response.json();
}

const outs = (record: any) => ({
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

const body = ({ label, routing, metadata }: any) => ({
	label,
	routing: { type: routing.type, uri: routing.uri },
	metadata: { team: metadata.team },
});

class NumberProvider implements pulumi.dynamic.ResourceProvider {
	async create({ country, type, area, ...rest }: Inputs): Promise<pulumi.dynamic.CreateResult> {
		const { id } = await call("POST", "/numbers", { country, type, area });
		return { id, outs: outs(await call("PATCH", "/numbers/" + id, body(rest))) };
	}
	async read(id: string): Promise<pulumi.dynamic.ReadResult> {
		return { id, props: outs(await call("GET", "/numbers/" + id)) };
	}
	async update(id: string, _olds: Inputs, news: Inputs): Promise<pulumi.dynamic.UpdateResult> {
		return { outs: outs(await call("PATCH", "/numbers/" + id, body(news))) };
	}
	async delete(id: string): Promise<void> {
		await call("DELETE", "/numbers/" + id);
	}
	async diff(_id: string, olds: Inputs, news: Inputs): Promise<pulumi.dynamic.DiffResult> {
		const replaces = (["country", "type", "area"] as const).filter((key) => olds[key] !== news[key]);
		const same = JSON.stringify(body(olds)) === JSON.stringify(body(news));
		return { changes: replaces.length > 0 || !same, replaces };
	}
}

const provider = new NumberProvider();

class TelephoneNumber extends pulumi.dynamic.Resource {
	declare readonly number: pulumi.Output<string>;
	declare readonly status: pulumi.Output<string>;
	declare readonly createdAt: pulumi.Output<string>;
	constructor(name: string, args: Inputs, opts?: pulumi.CustomResourceOptions) {
		super(provider, name, { number: undefined, status: undefined, createdAt: undefined, ...args }, opts);
	}
}
`;
