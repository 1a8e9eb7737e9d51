/** Services that keep less, change less or make no secrets: a preview refuses it, and nothing of it is sent. */
import { describe, expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../../emulator";
import type { Description } from "../../../provider/api/description/description";
import { unknownValue, type Values } from "../../../provider/properties/table";
import {
	aNumber,
	aPool,
	aPortOrder,
	aProfile,
	aTrunk,
	aWebhook,
	checked,
	create,
	failureOf,
	openProvider,
} from "../../helpers/provider";
import { differs, nameIn, refreshed, updated } from "../../helpers/runs";

const configOf = (description: Description) => ({ "telephony:service": JSON.stringify(description) });

/** The places and reasons of a check's failures. Nothing can be sent. */
async function refusals(description: Description, news: Values, olds: Values = {}): Promise<readonly string[]> {
	const run = openProvider({ url: "http://127.0.0.1:1/v1", apiKey: "key" }, { config: configOf(description) });
	return (await run[nameIn(news)].check(olds, news)).failures.map(({ reason }) => reason);
}

async function withService(
	service: Description,
	work: (emulator: Emulator, open: () => ReturnType<typeof openProvider>) => Promise<void>,
): Promise<void> {
	const emulator = await createEmulator({ service });
	try {
		await work(emulator, () => openProvider(emulator, { config: configOf(service) }));
	} finally {
		await emulator.close();
	}
}

const digest = (auth: Values = {}) => aTrunk({ auth: { mode: "digest", username: "desk", ...auth } });
const password = "correct-horse-battery";
const rotations = (emulator: Emulator) => emulator.control.requests().filter(({ path }) => path.includes("rotate"));

describe("a number's configuration at a service without the feature patchNumber", () => {
	const routing = { type: "sip_uri", uri: "sip:desk@example.com" };
	const missing: Description = { operations: { patchNumber: false } };
	const features: Description = { features: "-patchNumber" };

	test.each<[title: string, Description, Values, string[], Values?]>([
		["a label and a routing", missing, aNumber({ label: "a", routing }), ["routing", "label"]],
		["a pool's labels", features, aPool({ label: "{index}", metadata: { team: "a" } }), ["label", "metadata"]],
		["no criteria", missing, aNumber({ area: "6", onDelete: "release", waitForActive: false }), []],
		["no unchanged value", features, aNumber({ label: "a" }), [], aNumber({ label: "a" })],
		["a changed value", features, aNumber({ label: "b" }), ["label"], aNumber({ label: "a" })],
		["no value of an adopted number", features, aNumber({ adopt: "num_1", label: "a" }), []],
		["no value that is unknown", features, aNumber({ label: unknownValue }), []],
	])("is refused at preview: %s", async (_, description, news, keys, olds) => {
		const fix = olds === undefined ? "Remove it from the program" : "Restore the earlier value";
		expect(await refusals(description, news, olds)).toEqual(
			keys.map((key) => expect.stringMatching(`^${key}: the service can't set it: .* patchNumber.*\\. ${fix}$`)),
		);
	});

	test.each<[title: string, description: Description, olds: Values, news: Values]>([
		["a number's label", features, aNumber({ label: "a" }), aNumber()],
		["a number's label, by the operation", missing, aNumber({ label: "a" }), aNumber()],
		["a pool's label", features, aPool({ label: "{index}" }), aPool()],
		["a pool's label, by the operation", missing, aPool({ label: "{index}" }), aPool()],
	])("is refused at preview if it clears %s", async (_, description, olds, news) => {
		expect(await refusals(description, news, olds)).toEqual([
			expect.stringMatching(/^label: the service can't set it: .* patchNumber.*\. Restore the earlier value$/),
		]);
	});

	test("is refused once for a changed label of a pool", async () => {
		for (const description of [features, missing])
			expect(await refusals(description, aPool({ label: "b" }), aPool({ label: "a" }))).toHaveLength(1);
	});

	test("is refused by the stack's own features, which win over the description", async () => {
		const reasons = async (stated: string) => {
			const config = { ...configOf(features), "telephony:features": stated };
			const run = openProvider({ url: "http://127.0.0.1:1/v1", apiKey: "key" }, { config });
			return (await run.number.check({}, aNumber({ label: "a" }))).failures.map(({ reason }) => reason);
		};
		expect(await reasons("-patchNumber")).toEqual([expect.stringContaining("`telephony:features` says")]);
		expect(await reasons("patchNumber")).toEqual([]);
	});
});

describe("a kind of objects that the service is declared to lack", () => {
	test.each<[title: string, Description, Values]>([
		["a trunk, by its feature", { features: "-trunks" }, aTrunk({ name: "office" })],
		["a trunk, by its operation", { operations: { createTrunk: false } }, aTrunk()],
		["a webhook", { features: "-webhooks" }, aWebhook()],
		["a KYC profile", { features: "-kyc" }, aProfile()],
		["a port order", { features: "-ports" }, aPortOrder()],
	])("is refused at preview: %s", async (_, description, news) => {
		expect(await refusals(description, news)).toEqual([expect.stringMatching(/^The service can't create a /)]);
		expect(await refusals(description, news, news)).toEqual([]);
	});

	test("is adopted where the service has such objects", async () => {
		const description: Description = { operations: { createTrunk: false } };
		expect(await refusals(description, aTrunk({ adopt: "trk_1" }))).toEqual([]);
	});

	test("is created if the stack's own features say so", async () => {
		const config = { ...configOf({ features: "-trunks" }), "telephony:features": "trunks" };
		const run = openProvider({ url: "http://127.0.0.1:1/v1", apiKey: "key" }, { config });
		expect((await run.sipTrunk.check({}, aTrunk())).failures).toEqual([]);
	});
});

describe("the longest text that a service keeps", () => {
	const description: Description = {
		records: {
			number: { label: { at: "friendly_name", most: 40 }, metadata: { most: 3 }, reference: { most: 64 } },
			trunk: { name: { most: 5 } },
			webhook: { description: { most: 2 } },
		},
	};

	test.each<[news: Values, place?: string]>([
		[aNumber({ label: "😀".repeat(40) })],
		[aNumber({ label: "é".repeat(41) }), "label: it has 41 characters, and the service keeps 40"],
		[aNumber({ label: unknownValue, metadata: { team: unknownValue } })],
		[aNumber({ metadata: { team: "abc" } })],
		[aNumber({ metadata: { team: "abcd" } }), "metadata.team: it has 4 characters, and the service keeps 3"],
		[aTrunk({ name: "office" }), "name: it has 6 characters"],
		[aTrunk({}, "a-long-name"), "name: it has 11 characters"],
		[aWebhook({ description: "abc" }), "description: it has 3 characters"],
	])("is checked at preview: %#", async (news, place) => {
		const expected = place === undefined ? [] : [expect.stringContaining(place)];
		expect(await refusals(description, news)).toEqual(expected);
	});

	test("names the line of the description", async () => {
		const [reason] = await refusals(description, aNumber({ metadata: { team: "abcd" } }));
		expect(reason).toContain("`number: metadata: { most: 3 }`");
	});
});

const bare = ["secret_hint", "secret_version", "previous_secret_expires_at", "created_at", "updated_at", "status"];
const secretless: readonly [name: string, Description][] = [
	["without a secret", { records: { webhook: { secret: false, secret_version: false } } }],
	["without rotations", { operations: { rotateSecret: false } }],
	["without either", { operations: { rotateSecret: false }, records: { webhook: { secret: false } } }],
	[
		"with little but a URL",
		{
			operations: { rotateSecret: false },
			records: {
				webhook: Object.fromEntries(
					["secret", "enabled", "description", "reference", ...bare].map((field) => [field, false]),
				),
			},
		},
	],
];

describe.each(secretless)("a webhook %s", (_, service) => {
	test("is created, changed, refreshed and removed", () =>
		withService(service, async (emulator, open) => {
			const made = await create(open().webhook, aWebhook());
			expect(made.outs.secret ?? "absent").not.toBe("");
			const changed = await updated(open(), made, aWebhook({ events: ["*"] }), aWebhook());
			expect(await differs(open(), changed, aWebhook({ events: ["*"] }))).toBe(false);
			const read = await refreshed(open(), changed, aWebhook({ events: ["*"] }));
			expect(read).toMatchObject({ changes: false, outs: changed.outs });
			expect(emulator.control.state().webhooks).toMatchObject([{ events: ["*"] }]);
			await open().webhook.delete(read.id, read.outs);
			expect(emulator.control.state().webhooks).toEqual([]);
			expect(rotations(emulator)).toEqual([]);
		}));

	test("is adopted and resumed without a rotation", () =>
		withService(service, async (emulator, open) => {
			const { id } = await create(open().webhook, aWebhook({ onDelete: "retain" }));
			const news = aWebhook({ adopt: id, events: ["*"] });
			const adopted = await create(open().webhook, news);
			expect(await differs(open(), adopted, news)).toBe(false);
			expect(await refreshed(open(), adopted, news)).toMatchObject({ changes: false });
			expect(rotations(emulator)).toEqual([]);
		}));

	test("refuses a rotation at preview", async () => {
		expect(await refusals(service, aWebhook({ secretRotation: 1 }))).toEqual([
			expect.stringMatching(/^secretRotation: .*`(webhook: secret: false|operations: \{ rotateSecret: false \})`/),
		]);
	});
});

test("keeps the secret that a creation shows, also without rotations", () =>
	withService({ operations: { rotateSecret: false } }, async (_, open) => {
		const { outs } = await create(open().webhook, aWebhook());
		expect(outs.secret).toMatch(/^whsec_/);
	}));

test("forgets a secret that was replaced, if no other can be made", () =>
	withService({ operations: { rotateSecret: false } }, async (_, open) => {
		const { id, outs } = await create(open().webhook, aWebhook());
		const run = open();
		const read = await refreshed(run, { id, outs: { ...outs, secretVersion: 0 } }, aWebhook());
		expect([read.outs.secret, read.changes, run.warnings]).toEqual([undefined, false, []]);
	}));

describe("a trunk without rotations", () => {
	const service: Description = { operations: { rotatePassword: false } };

	test.each<[news: Values, place?: string]>([
		[digest(), "auth.password: "],
		[aTrunk({ ...digest(), passwordRotation: 1 }), "passwordRotation: "],
		[digest({ password })],
		[{ ...digest(), adopt: "trk_1" }],
		[aTrunk()],
	])("refuses a password that the service would make: %#", async (news, place) => {
		expect(await refusals(service, news)).toEqual(place === undefined ? [] : [expect.stringContaining(place)]);
	});

	test("sets and changes a declared password", () =>
		withService(service, async (emulator, open) => {
			const made = await create(open().sipTrunk, digest({ password }));
			expect(made.outs.password).toBe(password);
			const news = digest({ password: `${password}-2` });
			const changed = await updated(open(), made, news, digest({ password }));
			expect([changed.outs.password, await differs(open(), changed, news)]).toEqual([`${password}-2`, false]);
			expect(rotations(emulator)).toEqual([]);
		}));
});

test("requires and fills in no property that the service lacks", async () => {
	const lacking = { records: { trunk: { capacity: false, name: false, enabled: false } } } as const;
	const run = openProvider({ url: "http://127.0.0.1:1/v1", apiKey: "key" }, { config: configOf(lacking) });
	const { capacity, ...news } = aTrunk();
	const { inputs, failures } = await run.sipTrunk.check({}, news);
	expect(failures).toEqual([]);
	for (const key of ["capacity", "name", "enabled"]) expect(inputs).not.toHaveProperty(key);
	expect(await refusals(lacking, { ...news, capacity })).toEqual([expect.stringContaining("capacity: ")]);
	expect(await refusals(lacking, { ...news, name: "office" })).toEqual([expect.stringContaining("name: ")]);
});

test("says that refresh and destroy use the last up's configuration", () =>
	withService({ records: { number: { id: "number_id" } } }, async (emulator, open) => {
		const { id, outs } = await create(open().number, aNumber());
		const { number } = openProvider(emulator);
		const inputs = await checked(number, aNumber());
		const saved = "TELEPHONY_SERVICE=service.yaml";
		for (const work of [() => number.read(id, outs), () => number.delete(id, outs)])
			expect(await failureOf(work())).toMatchObject({
				kind: "ContractMismatch",
				messageCode: "unreadable-response",
				message: expect.stringContaining(saved),
			});
		expect((await failureOf(number.create(inputs))).message).not.toContain(saved);
	}));

describe("a service that can't change a webhook", () => {
	const service: Description = { operations: { patchWebhook: false } };

	test("refuses a change at preview, and nothing else", async () => {
		const olds = aWebhook({ enabled: true, onDelete: "delete" });
		expect(await refusals(service, aWebhook({ events: ["*"] }), olds)).toEqual([
			expect.stringMatching(/^events: .*`operations: \{ patchWebhook: false \}`/),
		]);
		for (const news of [aWebhook(), aWebhook({ onDelete: "retain" })])
			expect(await refusals(service, news, olds)).toEqual([]);
	});

	test("refuses a change by the feature of its kind", async () => {
		const olds = aTrunk({ name: "office", capacity: 10 });
		expect(await refusals({ features: "-trunks" }, { ...olds, capacity: 20 }, olds)).toEqual([
			expect.stringMatching(/^capacity: the service can't set it: .*feature trunks\. Restore the earlier value/),
		]);
		expect(await refusals({ features: "-trunks" }, olds, olds)).toEqual([]);
	});

	test("creates, refreshes and removes it", () =>
		withService(service, async (emulator, open) => {
			const made = await create(open().webhook, aWebhook());
			expect(await refreshed(open(), made, aWebhook())).toMatchObject({ changes: false });
			await open().webhook.delete(made.id, made.outs);
			expect(emulator.control.state().webhooks).toEqual([]);
		}));
});
