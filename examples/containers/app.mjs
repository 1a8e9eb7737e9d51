// An application: it buys a number, and a webhook of the service reports its state.
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

const { TELEPHONY_BASE_URL: service, TELEPHONY_API_KEY: key, OWN_URL: ownUrl } = process.env;

const post = async (path, body) => {
	const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
	const answer = await fetch(service + path, { method: "POST", headers, body: JSON.stringify(body) });
	if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
	return answer.json();
};

const server = createServer(async (request, response) => {
	const { type, data } = await json(request);
	console.log(`${type} ${data.number}`);
	response.writeHead(204).end();
});

server.listen(Number(new URL(ownUrl).port), async () => {
	await post("/webhooks", { url: `${ownUrl}/hooks`, events: ["number.activated"] });
	const { number } = await post("/numbers", { country: "US", type: "mobile" });
	console.log(`bought ${number}`);
});
