import { describe, expect, test } from "vitest";
import { isTelephonyError } from "../../../provider/api/errors";
import {
	declarationOf,
	findOurs,
	type Identity,
	type IdentitySource,
	identityOf,
	isSameState,
	parseUrn,
	purchaseKey,
} from "../../../provider/ownership/claim";
import { ownership } from "../../../provider/ownership/ownership";
import { formatReference, leftLease, parseReference } from "../../../provider/ownership/reference";
import { dynamic, source } from "../../helpers/claim-source";

const token = (...args: Parameters<typeof source>) => identityOf(source(...args)).token;

describe("the token", () => {
	test("has no front in it: changing from the dynamic resource to the plugin keeps it", () => {
		expect(token({}, "urn:pulumi:dev::shop::telephony:index:Number::main")).toBe(token());
		const nested = (type: string) => `urn:pulumi:dev::shop::acme:Site$acme:Floor$${type}::main`;
		expect(token({}, nested("telephony:index:Number"))).toBe(
			token({}, nested("pulumi-nodejs:dynamic/telephony:Number")),
		);
	});

	test.each([
		["project", source({}, dynamic.replace("shop", "store"))],
		["stack", source({}, dynamic.replace("dev", "prod"))],
		["name", source({}, `${dynamic}2`)],
		["parent", source({}, dynamic.replace("pulumi-nodejs", "acme:Site$pulumi-nodejs"))],
		["kind", source({ kind: "trunk" })],
		["owner", source({ owner: "acme" })],
		["organization", source({ values: { organization: "acme" } })],
	])("changes with the %s, all of it", (_, other) => {
		expect(declarationOf(identityOf(other))).not.toBe(declarationOf(identityOf(source())));
	});

	test.each([[["GB", "mobile", undefined, 0]], [["NL", "mobile", "20", 0]], [["NL", "mobile", undefined, 1]]])(
		"changes with the criteria %j in its second part only",
		(criteria) => {
			const [one, other] = [identityOf(source()), identityOf(source({ criteria }))];
			expect(other.token).not.toBe(one.token);
			expect(declarationOf(other)).toBe(declarationOf(one));
		},
	);

	test("does not change with the place of the state", () => {
		expect(token({ places: ["https://elsewhere.example"] })).toBe(token());
	});

	test("can't be made by moving text from one part to the next", () => {
		expect(token({}, "urn:pulumi:dev::shop::t::a::b")).not.toBe(token({}, "urn:pulumi:dev::shop::t::a:b"));
		expect(token({ criteria: ["N", "L"] })).not.toBe(token({ criteria: ["NL"] }));
	});
});

test("tokens, whos and keys don't change from one version to the next, or each number would be bought again", () => {
	const written = (change: Partial<IdentitySource>) => {
		const claim = identityOf(source(change));
		return [claim.token, claim.state, purchaseKey(claim, 1)];
	};
	expect({
		place: written({}),
		folder: written({ places: ["file://host/srv/state"] }),
		organization: written({ values: { organization: "acme" } }),
		owner: written({ owner: "ci" }),
		nowhere: written({ places: [] }),
	}).toMatchInlineSnapshot(`
		{
		  "folder": [
		    "7c66XFeFYnI97aRha3B5Qo.-zKL6WDO",
		    "OzRIjG5qixM_g3YGnH79bqvs",
		    "ptel-OfPRttCoLO34UbIKF-TpIv6jJldmEq7oluEENAYHkgg",
		  ],
		  "nowhere": [
		    "7c66XFeFYnI97aRha3B5Qo.-zKL6WDO",
		    undefined,
		    "ptel-J1kFq4NVKNUxNzE4xidKZwYtd45ZlmE3CaQ_HMPhL7E",
		  ],
		  "organization": [
		    "8kXiG87v__6raipPLTbXXE.-zKL6WDO",
		    "B_rVT3RGJpr8SB4w",
		    "ptel-QJrpM6XWiPojfr0dDmyv6ALA9tnUDCdtkN0WM31VvQc",
		  ],
		  "owner": [
		    "TaItxWj1DkQS9szm15ya8r.-zKL6WDO",
		    "xa1DFwrpt_opuUgM",
		    "ptel-xQcN6vYLLOVHC56nEymFPE9HcL4t12D1BJC8nwdn9LI",
		  ],
		  "place": [
		    "7c66XFeFYnI97aRha3B5Qo.-zKL6WDO",
		    "5wzZ6NiY8Teq4iD1",
		    "ptel-lyCen_yJpD2cs9TPLX8uRJYb_RNWhGtMBfheExs2myA",
		  ],
		}
	`);
});

describe("state", () => {
	const state = (change: Partial<IdentitySource>) => identityOf(source(change)).state;

	test("is the owner, else the organization, else the place of the state", () => {
		const [place, organization] = ["https://state.example", { organization: "acme" }];
		expect(state({ owner: "me", values: organization })).toBe(state({ owner: "me", places: ["other"] }));
		expect(state({ values: organization })).toBe(state({ values: organization, places: ["other"] }));
		expect(state({ places: [place] })).not.toBe(state({ places: ["other"] }));
		expect(state({ places: [place] })).not.toContain("example");
	});

	test("that is unknown equals nothing, not even itself", () => {
		const unknown = identityOf(source({ places: [] }));
		expect(unknown.state).toBeUndefined();
		expect(isSameState(unknown, { state: String(unknown.state) })).toBe(false);
		expect(isSameState({ token: "t", state: "", olderStates: [""], kept: true, home: "" }, { state: "" })).toBe(false);
	});

	test("is known again as an older version wrote it, and never written so", () => {
		const [now, before] = [
			identityOf(source({ places: ["s3://a", "s3://a?region=b"] })),
			identityOf(source({ places: ["s3://a?region=b"] })),
		];
		const [written, found] = [now, before].map((claim) => parseReference(formatReference(claim, "l")));
		expect(isSameState(now, found ?? { state: "" })).toBe(true);
		expect(written?.state).toBe(identityOf(source({ places: ["s3://a"] })).state);
		expect(ownership(now, { id: "x", reference: formatReference(before, "l") })).toBe("superseded");
		expect(ownership(before, { id: "x", reference: formatReference(now, "l") })).toBe("foreign");
	});
});

test("the key of a purchase depends on token, state and counter, and nothing else", () => {
	const keys = [
		purchaseKey(identityOf(source()), 0),
		purchaseKey(identityOf(source()), 1),
		purchaseKey(identityOf(source({ places: ["other"] })), 0),
		purchaseKey(identityOf(source({ criteria: [] })), 0),
	];
	expect(new Set(keys).size).toBe(4);
	expect(purchaseKey(identityOf(source()), 0)).toBe(keys[0]);
	for (const key of keys) expect(key.length).toBeLessThanOrEqual(255);
});

test("keys that are all used up come to an end", () => {
	expect(purchaseKey(identityOf(source()), 999)).toMatch(/^ptel-/);
	expect(() => purchaseKey(identityOf(source()), 1000)).toThrow("Idempotency-Keys as used");
});

describe("the reference", () => {
	test("of an unknown state says so", () => {
		const reference = formatReference(identityOf(source({ places: [] })), "lease");
		expect(parseReference(reference)).toMatchObject({ state: "", lease: "lease" });
	});

	test.each([
		null,
		undefined,
		"",
		"order 4711",
		"a.b.c",
		"a.b.c.d.e.f.g",
		"a.b.c.d~e~f",
		"a.b.c.d",
		"...",
		".b.c.d",
		"a..c.d",
		"a.b.c.",
	])("%j is none of ours", (text) => {
		expect(parseReference(text)).toBeUndefined();
	});
});

test.each([
	["urn:pulumi:dev::shop::a:b:C::name", { stack: "dev", project: "shop", parents: "", name: "name" }],
	[
		"urn:pulumi:dev::shop::p:q:R$s:t:U$a:b:C::x::y:z",
		{ stack: "dev", project: "shop", parents: "p:q:R$s:t:U", name: "x::y:z" },
	],
	["", { stack: "", project: "", parents: "", name: "" }],
])("the URN %j is taken apart", (urn, parts) => expect(parseUrn(urn)).toEqual(parts));

describe("ownership", () => {
	const mine = identityOf(source());
	const theirs = identityOf(source({ places: ["elsewhere"] }));
	const at = (claim: Identity, lease: string) => ({ id: "x", reference: formatReference(claim, lease) });

	const other = identityOf(source({}, `${dynamic}2`));
	const moved = identityOf(source({}, dynamic.replace("dev", "before")));
	const entry = { lease: "l", open: { leases: ["late", "later"] }, token: mine.token };

	test.each([
		["ours", "its lease is the entry's", at(mine, "l"), entry],
		["ours", "a late write of the entry has arrived", at(mine, "later"), entry],
		["ours", "its lease is the entry's, though the state has moved", at(theirs, "l"), entry],
		["ours", "the entry never claimed it, and nobody else", { id: "x", reference: null }, { ...entry, lease: "" }],
		["superseded", "a run of the same state wrote it", at(mine, "m"), entry],
		["superseded", "it was bought for this declaration, which has no entry", at(mine, "m"), {}],
		["superseded", "it carries the entry's old name", at(other, "m"), { ...entry, token: other.token }],
		["foreign", "the same, under the stack's old name", at(moved, "m"), { ...entry, token: moved.token }],
		["ours", "this entry has written it under the stack's old name", at(moved, "l"), { ...entry, token: moved.token }],
		["vacant", "its reference was cleared", { id: "x", reference: null }, entry],
		["vacant", "it has never had one", { id: "x", reference: "" }, {}],
		["superseded", "another copy of the state has left it", at(mine, leftLease), entry],
		["foreign", "another declaration has left it", at(other, leftLease), entry],
		["vacant", "another stack has left it, and an import has taken it", at(other, leftLease), { token: mine.token }],
		["foreign", "another stack has left it, and nothing has it yet", at(other, leftLease), {}],
		["foreign", "another state wrote it", at(theirs, "m"), entry],
		["foreign", "another declaration of this state wrote it", at(other, "m"), entry],
		["foreign", "its reference is no text of ours", { id: "x", reference: "order 4711" }, entry],
		["foreign", "the same, and the entry never claimed it", { id: "x", reference: "a" }, { lease: "" }],
		["unknown", "the answer shows none", { id: "x" }, entry],
	] as const)("is %s when %s", (expected, _, record, outputs) => {
		expect(ownership(mine, record, outputs)).toBe(expected);
		expect(ownership({ ...mine, kept: false }, record, outputs)).toBe("unknown");
	});

	test("finds what the stack bought before it had an owner, on whichever machine of a shared disk", () => {
		const [host, owner] = ["file://runner-1/srv/state", "ci"];
		const bought = at(identityOf(source({ places: [host] })), "l");
		const find = (place: string) =>
			findOurs(identityOf(source({ places: [place], owner })), [bought], "number", ({ id }) => id);
		expect([find(host)?.id, find("file://runner-2/srv/state")?.id]).toEqual(["x", "x"]);
		for (const place of ["file://runner-1/home/colleague", "file://runner-2/srv/other", "s3://srv/state"])
			expect([place, find(place)]).toEqual([place, undefined]);
		expect(() =>
			findOurs(identityOf(source({ places: ["file://runner-2/srv/state"] })), [bought], "number", String),
		).toThrow("name the number in `adopt`");
	});

	test("finds nothing of another resource or another bucket when a stack gets its first owner", () => {
		const [here, there] = ["s3://here", "s3://there"];
		const live = [
			at(identityOf(source({ places: [here] }, `${dynamic}2`)), "l"),
			at(identityOf(source({ places: [there] })), "l"),
			{ id: "y", reference: null },
		];
		expect(findOurs(identityOf(source({ places: [here], owner: "ci" })), live, "number", String)).toBeUndefined();
	});

	test("says by its code and its words what is in the way", () => {
		const refused = (...live: { id: string; reference: string }[]) => {
			try {
				return findOurs(mine, live, "trunk", ({ id }) => id);
			} catch (error) {
				return error;
			}
		};
		expect(refused(at(mine, "l"), at(mine, "m"))).toMatchObject({ kind: "Claimed", messageCode: "duplicate" });
		const code = { kind: "Claimed", messageCode: "another-state" };
		expect(refused(at(theirs, "l"))).toMatchObject({
			...code,
			text: expect.stringContaining("in the stack shop/dev in another state"),
		});
		const nowhere = at(identityOf(source({ places: [] })), "l");
		expect(refused(nowhere)).toMatchObject({ ...code, text: expect.stringContaining("in another state") });
		const others = [`${mine.token}x.${mine.state}.l~shop/dev`, `${mine.token}.another-state.l`];
		for (const reference of others) expect(refused({ id: "x", reference })).toBeUndefined();
	});

	test("finds ours among the live, and refuses what may be somebody else's or isn't one", () => {
		const find = (...live: { id: string; reference: string }[]) => findOurs(mine, live, "number", ({ id }) => id);
		const other = { id: "o", reference: formatReference(identityOf(source({ criteria: [] })), "l") };
		expect(find(other)).toBeUndefined();
		expect(find(other, { ...at(theirs, "l"), id: "theirs" }, { ...at(mine, "l"), id: "mine" })?.id).toBe("mine");
		const claimed = expect.objectContaining({ kind: "Claimed" });
		expect(() => find({ ...at(theirs, "l"), id: "theirs" })).toThrow(claimed);
		expect(() => find({ ...at(mine, "l"), id: "one" }, { ...at(mine, "m"), id: "two" })).toThrow(/one, two/);
		expect(isTelephonyError(new Error("x"))).toBe(false);
	});
});
