/** `telephony service check --buy` releases only the number that it has bought. */
import { beforeEach, expect, test } from "vitest";
import { refusal, reply, useScriptedServer } from "../../helpers/scripted-server";
import { buying, check } from "../../helpers/service-check";

const server = useScriptedServer();
const mine = {
	id: "num_mine",
	number: "+31201234567",
	country: "NL",
	type: "geographic",
	status: "active",
	label: "Main",
};

interface Scripted {
	/** Returns the numbers in the list before or after the POST. */
	list(isSent: boolean, reads: number): { status?: number; data: readonly object[] };
	purchase?: readonly [status: number, body: string, headers?: Record<string, string>];
}
let released: string[] = [];

function serve({ list, purchase = [202, ""] }: Scripted): void {
	let isSent = false;
	let reads = 0;
	server.script = (response, received) => {
		const { method = "", path = "" } = received.at(-1) ?? {};
		const { pathname } = new URL(path, "http://service");
		if (pathname === "/numbers" && method === "POST") {
			isSent = true;
			const [status, body, headers] = purchase;
			return reply(response, status, body, headers);
		}
		if (pathname === "/numbers") {
			const { status = 200, data } = list(isSent, ++reads);
			const live = data.filter((row) => !("id" in row && released.includes(String(row.id))));
			return status === 200
				? reply(response, 200, { data: live, next_cursor: null })
				: reply(response, status, refusal("unavailable"));
		}
		const id = pathname.replace("/numbers/", "");
		const found =
			pathname.startsWith("/numbers/") && list(isSent, reads).data.find((row) => "id" in row && row.id === id);
		if (!found || released.includes(id)) return reply(response, 404, refusal("not_found"));
		if (method === "DELETE") {
			released.push(id);
			return reply(response, 204, "");
		}
		return reply(response, 200, found);
	};
}
beforeEach(() => {
	released = [];
});
const buy = () => check({ url: server.url, apiKey: "key" }, undefined, buying());

test("buys nothing if the list before can't be read", async () => {
	serve({
		list: (isSent) => {
			const hasReadAll = server.received.some(({ path }) => path.startsWith("/webhooks"));
			return { status: hasReadAll && !isSent ? 500 : 200, data: [mine] };
		},
	});
	await expect(buy()).rejects.toThrow("nothing was bought: ");
	expect(server.received.filter(({ method, path }) => method === "POST" && path === "/numbers")).toEqual([]);
});

test.each([
	["of another country", { country: "SE", type: "mobile" }],
	["that another run has claimed", { country: "NL", type: "mobile", reference: "r.g.owner.lease~shop/prod" }],
])("another user's purchase %s isn't taken for the bought number", async (_, more) => {
	const theirs = { id: "num_theirs", number: "+46701234567", status: "active", ...more };
	serve({ list: (isSent) => ({ data: isSent ? [mine, theirs] : [mine] }) });
	await buy().catch(() => undefined);
	expect(released).toEqual([]);
});

test("a redirect after a purchase may have bought a number", async () => {
	serve({ list: () => ({ data: [mine] }), purchase: [303, "", { location: "/v1/numbers/num_new" }] });
	const failed = await buy().catch((error: Error) => error);
	expect(failed).toMatchObject({ message: expect.stringContaining("A NUMBER MAY HAVE BEEN BOUGHT") });
});

test("an order's id in the response to a purchase doesn't hide the number", async () => {
	const bought = { id: "num_new", number: "+31612345678", country: "NL", type: "mobile", status: "active" };
	serve({
		list: (isSent) => ({ data: isSent ? [mine, bought] : [mine] }),
		purchase: [201, JSON.stringify({ id: "ord_1", status: "pending" })],
	});
	const failed = await buy().catch((error: Error) => error);
	expect(failed).toMatchObject({ message: expect.stringContaining("num_new") });
	expect(released).toEqual([]);
});

const defaults = { label: "New", routing: { type: "agent", agent_id: "a" }, reference: "ORD-1" };
const described = { label: { empty: "New" }, routing: { empty: { routing: defaults.routing } }, reference: false };

test.each<[string, object, object | undefined, boolean]>([
	["asks for the defaults of a new number", defaults, undefined, true],
	["knows the described defaults of a new number", defaults, { records: { number: described } }, false],
	["knows names that repeat the number", { label: "31612345678", reference: "0612345678" }, undefined, false],
])("%s", async (_, values, service, isAsked) => {
	const bought = { id: "num_new", number: "+31612345678", country: "NL", type: "mobile", status: "active", ...values };
	serve({ list: (isSent) => ({ data: isSent ? [bought] : [] }), purchase: [201, JSON.stringify(bought)] });
	const { rows } = await check({ url: server.url, apiKey: "key" }, service, buying());
	const verdicts = rows.filter(({ what }) => what === "values of a new number").map(({ verdict }) => verdict);
	expect(verdicts).toEqual(isAsked ? ["decide"] : []);
	expect(released).toEqual(["num_new"]);
});
