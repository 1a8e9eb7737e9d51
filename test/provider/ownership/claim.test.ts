/** Tokens, states and keys of a declaration, and the search for its claims. */
import { describe, expect, test } from "vitest";
import {
	declarationOf,
	findClaims,
	type Identity,
	isSameState,
	parseUrn,
	purchaseKey,
	type Referenced,
	stateIdentity,
} from "../../../provider/ownership/claim";
import { formatReference, ownerOf } from "../../../provider/ownership/reference";
import { type Change, dynamic, identity } from "../../helpers/claim-source";

const at = (claim: Identity, lease: string, id = "x") => ({ id, reference: formatReference(claim, lease) });
const elsewhere = { place: "elsewhere" };

describe("the token", () => {
	test.each([
		["telephony:index:Number", "pulumi-nodejs:dynamic/telephony:Number"],
		["acme:Site$acme:Floor$telephony:index:Number", "acme:Site$acme:Floor$pulumi-nodejs:dynamic/telephony:Number"],
	])("is the same for the plugin and the dynamic provider: %s", (plugin, dynamic) => {
		const tokenOf = (type: string) => identity({}, `urn:pulumi:dev::shop::${type}::main`).token;
		expect(tokenOf(plugin)).toBe(tokenOf(dynamic));
	});

	test.each([
		["project", identity({}, dynamic.replace("shop", "store"))],
		["stack", identity({}, dynamic.replace("dev", "prod"))],
		["name", identity({}, `${dynamic}2`)],
		["parent", identity({}, dynamic.replace("pulumi-nodejs", "acme:Site$pulumi-nodejs"))],
		["kind", identity({ kind: "trunk" })],
		["owner", identity({ owner: "acme" })],
		["organization", identity({ values: { organization: "acme" } })],
	])("changes its declaration with the %s", (_, changed) => {
		expect(declarationOf(changed)).not.toBe(declarationOf(identity()));
	});

	test.each([[["GB", "mobile", undefined, 0]], [["NL", "mobile", "20", 0]], [["NL", "mobile", undefined, 1]]])(
		"keeps its declaration if only the criteria change to %j",
		(criteria) => {
			const [before, after] = [identity(), identity({ criteria })];
			expect(after.token).not.toBe(before.token);
			expect(declarationOf(after)).toBe(declarationOf(before));
		},
	);

	test("separates its parts, and ignores where the state is", () => {
		const named = (name: string) => identity({}, `urn:pulumi:dev::shop::t::${name}`).token;
		expect(named("a::b")).not.toBe(named("a:b"));
		expect(identity({ criteria: ["N", "L"] }).token).not.toBe(identity({ criteria: ["NL"] }).token);
		expect(identity(elsewhere).token).toBe(identity().token);
	});
});

test.each<[string, Change, string, string | undefined, string]>([
	["a place", {}, "7c66XFeFYnI97aRha3B5Qo", "5wzZ6NiY8Teq4iD1", "lyCen_yJpD2cs9TPLX8uRJYb_RNWhGtMBfheExs2myA"],
	[
		"a folder",
		{ place: "file://host/srv/state" },
		"7c66XFeFYnI97aRha3B5Qo",
		"OzRIjG5qixM_g3YGnH79bqvs",
		"OfPRttCoLO34UbIKF-TpIv6jJldmEq7oluEENAYHkgg",
	],
	[
		"an organization",
		{ values: { organization: "acme" } },
		"8kXiG87v__6raipPLTbXXE",
		"B_rVT3RGJpr8SB4w",
		"QJrpM6XWiPojfr0dDmyv6ALA9tnUDCdtkN0WM31VvQc",
	],
	[
		"an owner",
		{ owner: "ci" },
		"TaItxWj1DkQS9szm15ya8r",
		"xa1DFwrpt_opuUgM",
		"xQcN6vYLLOVHC56nEymFPE9HcL4t12D1BJC8nwdn9LI",
	],
	["nothing", { place: undefined }, "7c66XFeFYnI97aRha3B5Qo", undefined, "J1kFq4NVKNUxNzE4xidKZwYtd45ZlmE3CaQ_HMPhL7E"],
])("keeps token, state and key in each version: a state named by %s", (_, change, declaration, state, key) => {
	const claim = identity(change);
	expect([claim.token, claim.state, purchaseKey(claim, 1)]).toEqual([`${declaration}.-zKL6WDO`, state, `ptel-${key}`]);
});

describe("the state", () => {
	const state = (change: Change) => identity(change).state;

	test("is the owner, or the organization, or the place of the state", () => {
		const organization = { organization: "acme" };
		expect(state({ owner: "me", values: organization })).toBe(state({ owner: "me", ...elsewhere }));
		expect(state({ values: organization })).toBe(state({ values: organization, ...elsewhere }));
		expect(state({})).not.toBe(state(elsewhere));
	});

	test("equals nothing if it is unknown", () => {
		const unknown = identity({ place: undefined });
		expect(unknown.state).toBeUndefined();
		expect(isSameState(unknown, { owner: String(unknown.state) })).toBe(false);
		expect(isSameState({ token: "t", state: "", kept: true, stackName: "" }, { owner: "" })).toBe(false);
	});
});

test("ignores an organization that isn't a text", () => {
	for (const organization of [4711, null, ["acme"]]) expect(identity({ values: { organization } })).toEqual(identity());
});

test("hashes the path of a folder only if nothing else names the state", () => {
	const lengthOf = (change: Change) => identity(change).state?.length;
	const folder = { place: "file://host/srv/state" };
	expect(lengthOf(folder)).toBe(24);
	for (const change of [{ ...folder, owner: "ci" }, { ...folder, values: { organization: "acme" } }, elsewhere])
		expect(lengthOf(change)).toBe(16);
	expect(lengthOf({ place: "s3://file://host/srv/state" })).toBe(16);
});

test("has an earlier identity exactly if it has an owner", () => {
	expect(identity()).not.toHaveProperty("earlier");
	expect(identity({ owner: "ci" }).earlier).toEqual(identity());
});

test("is the state's own without a kind", () => {
	const settings = { owner: undefined, place: "https://state.example" };
	const values = { __resourceUrn: dynamic };
	const { state, stackName, kept, token } = stateIdentity(values, settings);
	expect([state, stackName, kept]).toEqual([identity().state, "shop/dev", true]);
	expect(token).toBe(identity({ kind: "", criteria: [] }).token);
	expect(stateIdentity(values, settings, false).kept).toBe(false);
	expect(stateIdentity({}, settings).stackName).toBe("");
});

describe("the key of a purchase", () => {
	test("depends on token, state and counter alone", () => {
		const keyOf = (counter: number, change: Change = {}) => purchaseKey(identity(change), counter);
		const keys = [keyOf(0), keyOf(1), keyOf(0, elsewhere), keyOf(0, { criteria: [] })];
		expect(new Set(keys).size).toBe(4);
		expect(keyOf(0)).toBe(keys[0]);
	});

	test("runs out after a thousand", () => {
		expect(purchaseKey(identity(), 999)).toMatch(/^ptel-/);
		expect(() => purchaseKey(identity(), 1000)).toThrow(expect.objectContaining({ kind: "ContractMismatch" }));
	});
});

test.each([
	["urn:pulumi:dev::shop::a:b:C::name", { stack: "dev", project: "shop", parents: "", name: "name" }],
	[
		"urn:pulumi:dev::shop::p:q:R$s:t:U$a:b:C::x::y:z",
		{ stack: "dev", project: "shop", parents: "p:q:R$s:t:U", name: "x::y:z" },
	],
	["", { stack: "", project: "", parents: "", name: "" }],
	["dev", { stack: "dev", project: "", parents: "", name: "" }],
	["urn:pulumi:urn:pulumi:dev::shop::t::a", { stack: "urn:pulumi:dev", project: "shop", parents: "", name: "a" }],
])("takes the URN %j apart", (urn, parts) => expect(parseUrn(urn)).toEqual(parts));

describe("the claims of a declaration", () => {
	const mine = identity();
	const theirs = identity(elsewhere);
	const claimsOf = (claim: Identity, ...live: Referenced[]) => {
		const { claimed, foreign } = findClaims(claim, live);
		return [claimed.map(({ id }) => id), foreign?.id];
	};

	test("are found by token and state", () => {
		const others = [
			at(identity({ criteria: [] }), "l", "o"),
			{ id: "o", reference: `${mine.token}x.${ownerOf(mine.state)}.l~shop/dev` },
			{ id: "o", reference: `${mine.token}.another-state.l` },
		];
		expect(claimsOf(mine, ...others)).toEqual([[], undefined]);
		expect(claimsOf(mine, ...others, at(theirs, "l", "theirs"), at(mine, "l", "mine"))).toEqual([["mine"], "theirs"]);
		expect(claimsOf(mine, at(mine, "l", "one"), at(mine, "m", "two"))).toEqual([["one", "two"], undefined]);
		expect(claimsOf(mine, at(identity({ place: undefined }), "l"))).toEqual([[], "x"]);
	});

	test("include those whose reference the service has cut", () => {
		const cut = (claim: Identity, id: string) => ({ id, reference: formatReference(claim, "lease1").slice(0, 44) });
		expect(claimsOf(mine, cut(mine, "mine"), cut(theirs, "theirs"), at(mine, "l", "whole"))).toEqual([
			["mine", "whole"],
			undefined,
		]);
	});

	test("from before the stack had an owner come after all others", () => {
		const owned = identity({ owner: "ci" });
		const before = at(mine, "l", "before");
		expect(claimsOf(owned, before, at(owned, "l", "now"))).toEqual([["now"], undefined]);
		const foreign = { ...at(theirs, "l", "foreign"), reference: `${owned.token}.another0.lease1~shop/dev` };
		expect(claimsOf(owned, before, foreign)).toEqual([[], "foreign"]);
	});

	test("include those from before the stack had an owner, on a shared disk", () => {
		const host = "file://runner-1/srv/state";
		const bought = at(identity({ place: host }), "l");
		const owned = (place: string, ...live: Referenced[]) => claimsOf(identity({ place, owner: "ci" }), ...live)[0];
		expect([owned(host, bought), owned("file://runner-2/srv/state", bought)]).toEqual([["x"], ["x"]]);
		for (const place of ["file://runner-1/home/colleague", "file://runner-2/srv/other", "s3://srv/state"])
			expect([place, owned(place, bought)]).toEqual([place, []]);
		const others = [
			at(identity({ place: "s3://here" }, `${dynamic}2`), "l"),
			at(identity({ place: "s3://there" }), "l"),
		];
		expect(owned("s3://here", ...others, { id: "y", reference: null })).toEqual([]);
	});
});
