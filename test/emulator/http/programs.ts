/** The same life of a number, in the words of each generated client. Each ends with what it did as one line of JSON. */

/** @hey-api/openapi-ts: a function for each operation. */
export const heyProgram = `
import { client } from "./hey/client.gen";
import { buyNumber, createTrunk, getRecordingMedia, listNumbers, patchNumber, placeCall, releaseNumber, sendMessage } from "./hey/sdk.gen";
import type { ForwardFailoverRequest, TrunkRouteRequest } from "./hey/types.gen";

async function main() {
	client.setConfig({ baseUrl: process.env.BASE_URL, auth: process.env.API_KEY, throwOnError: true });
	const { data: number } = await buyNumber({ body: { country: "US", type: "mobile" }, headers: { "Idempotency-Key": "once" } });
	const { data: trunk } = await createTrunk({
		body: { name: "office", capacity: 2, auth: { mode: "ip_acl", allowed_cidrs: ["198.51.100.7"] } },
	});
	if (!number?.id || !number.number || !trunk) throw new Error("nothing was bought");
	const failover: ForwardFailoverRequest & { type: "forward" } = { type: "forward", to: "+12025550100" };
	const routing: TrunkRouteRequest & { type: "trunk" } = { type: "trunk", trunk_id: trunk.id, failover };
	const { data: routed } = await patchNumber({ path: { id: number.id }, body: { routing } });
	const { data: call } = await placeCall({ body: { from: number.number, to: "+12025550101", record: true } });
	const { data: message } = await sendMessage({ body: { from: number.number, to: "+12025550101", text: "Hello" } });
	const { data: page } = await listNumbers({ query: { limit: 10 } });
	const sound = await getRecordingMedia({ path: { id: "rec_none" }, throwOnError: false });
	const { data: released } = await releaseNumber({ path: { id: number.id } });
	console.log(JSON.stringify([routed?.routing?.failover?.to, call?.status, message?.status, page?.data.length, sound.error?.error, released?.status]));
}
main().catch((error: unknown) => { console.error(error); process.exitCode = 1; });
`;

/** swagger-typescript-api: a class with a method for each operation. */
export const swaggerProgram = `
import { Api, type ForwardFailoverRequest, type RouteRequest } from "./swagger/api";

async function main() {
	const headers = { Authorization: "Bearer " + process.env.API_KEY };
	const api = new Api({ baseUrl: process.env.BASE_URL, baseApiParams: { headers } });
	const { data: number } = await api.numbers.buyNumber({ country: "US", type: "mobile" });
	const { data: trunk } = await api.trunks.createTrunk({
		name: "office", capacity: 2, auth: { mode: "ip_acl", allowed_cidrs: ["198.51.100.7"] },
	});
	if (!number.id || !number.number) throw new Error("nothing was bought");
	const failover: ForwardFailoverRequest & { type: "forward" } = { type: "forward", to: "+12025550100" };
	const routing: RouteRequest = { type: "trunk", trunk_id: trunk.id, failover };
	const { data: routed } = await api.numbers.patchNumber(number.id, { routing });
	const { data: call } = await api.calls.placeCall({ from: number.number, to: "+12025550101", record: true });
	const { data: message } = await api.messages.sendMessage({ from: number.number, to: "+12025550101", text: "Hello" });
	const { data: page } = await api.numbers.listNumbers({ limit: 10 });
	const sound = await api.recordings.getRecordingMedia("rec_none").catch((refused: Response) => refused.status === 404 && "not_found");
	const { data: released } = await api.numbers.releaseNumber(number.id);
	console.log(JSON.stringify([routed.routing?.failover?.to, call.status, message.status, page.data.length, sound, released.status]));
}
main().catch((error: unknown) => { console.error(error); process.exitCode = 1; });
`;

/** openapi-python-client: a module for each operation. */
export const pythonProgram = `
import json
import os

from generated import AuthenticatedClient
from generated.api.calls import place_call
from generated.api.messages import send_message
from generated.api.numbers import buy_number, list_numbers, patch_number, release_number
from generated.api.recordings import get_recording_media
from generated.api.trunks import create_trunk
from generated.models import (
    BuyNumber,
    BuyNumberType,
    Call,
    CreateTrunk,
    Error,
    ForwardFailoverRequest,
    IpAclAuthRequest,
    ListNumbersAnswer,
    Message,
    PatchNumber,
    PhoneNumber,
    PlaceCall,
    Purchase,
    SendMessage,
    Trunk,
    TrunkRouteRequest,
)

client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["API_KEY"])
body = BuyNumber(country="US", type_=BuyNumberType.MOBILE)
number = buy_number.sync(client=client, body=body, idempotency_key="once")
assert isinstance(number, Purchase) and isinstance(number.id, str) and isinstance(number.number, str)
auth = IpAclAuthRequest(mode="ip_acl", allowed_cidrs=["198.51.100.7"])
trunk = create_trunk.sync(client=client, body=CreateTrunk(name="office", capacity=2, auth=auth))
assert isinstance(trunk, Trunk)
failover = ForwardFailoverRequest(type_="forward", to="+12025550100")
routing = TrunkRouteRequest(type_="trunk", trunk_id=trunk.id, failover=failover)
routed = patch_number.sync(number.id, client=client, body=PatchNumber(routing=routing))
assert isinstance(routed, PhoneNumber)
call = place_call.sync(client=client, body=PlaceCall(from_=number.number, to="+12025550101", record=True))
assert isinstance(call, Call)
message = send_message.sync(client=client, body=SendMessage(from_=number.number, to="+12025550101", text="Hello"))
assert isinstance(message, Message)
page = list_numbers.sync(client=client, limit=10)
assert isinstance(page, ListNumbersAnswer)
sound = get_recording_media.sync("rec_none", client=client)
assert isinstance(sound, Error)
released = release_number.sync(number.id, client=client)
assert isinstance(released, PhoneNumber)
failover_to = routed.to_dict()["routing"]["failover"]["to"]
print(json.dumps([failover_to, call.status, message.status, len(page.data), sound.error, released.status]))
`;
