/** Common names of services for the parts of the contract, the likeliest first. Names are compared folded. */
import { fold } from "../../provider/api/names";

const split = (table: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> =>
	new Map(Object.entries(table).map(([ours, theirs]) => [ours, theirs.split(" ")]));

function lookup(table: Readonly<Record<string, string>>): (ours: string) => readonly string[] {
	const all = split(table);
	return (ours) => all.get(ours) ?? [];
}

/** Parts of a path, by ours. */
export const nouns = split({
	numbers: "phone-numbers dids ddis msisdns virtual-numbers incoming-phone-numbers number-orders",
	trunks: "sip-trunks voice-trunks trunk-groups sip-connections",
	webhooks: "webhook-endpoints hooks callbacks notification-endpoints event-subscriptions",
	availablenumbers: "inventory available-phone-numbers available-dids",
	portorders: "ports portings port-ins porting-orders portability-orders",
	webhookdeliveries: "deliveries hook-deliveries",
	messages: "sms text-messages",
	account: "me whoami accounts/me",
	release: "cancel terminate cease deactivate relinquish disconnect",
	restore: "undelete recover reactivate",
	rotatepassword: "reset-password regenerate-password new-password",
	rotatesecret: "reset-secret regenerate-secret new-secret",
	hangup: "end terminate",
	resend: "retry redeliver",
});

/** Fields by their whole path or its last part; a name that only one record has follows that record's name. */
export const fields = lookup({
	id: "uuid sid guid uid resourceid ref",
	"number.id": "phonenumberid didid",
	number: "msisdn e164 phonenumber did didnumber telephonenumber tn phone e164number numero nummer",
	status: "state numberstate lifecycle lifecyclestate provisioningstatus phase",
	kyc_required: "requireskyc kycneeded verificationrequired requiresverification",
	"trunk.name": "friendlyname displayname title",
	label: "labeltext friendlyname displayname alias nickname title name description",
	reference:
		"tagspulumi externalid externalreference externalref clientreference clientref customerreference customerref customerid usercode userref yourref ref note notes comment",
	metadata: "tags labels customfields attributes",
	created_at: "createdms created createdon creationdate creationtime datecreated createdtime createdts purchasedat",
	released_at: "released ended endedat releasedon deletedat cancelledat",
	activated_at: "activated activatedon activesince",
	updated_at: "updated updatedon modifiedat lastmodified",
	routing: "route destination voicerouting calldestination",
	type: "kind",
	trunk_id: "trunk trunkuuid siptrunk siptrunkid",
	uri: "address sipuri sipaddress",
	to: "forwardto phonenumber",
	agent_id: "agent",
	ring_timeout_seconds: "ringseconds ringtimeout timeout timeoutseconds",
	price: "cost pricing fee fees",
	"price.monthly.amount":
		"costmonthlycents monthlycents pricemonthlycents costmonthly pricemonthly monthlyprice monthlycost monthlyfee",
	"price.monthly.currency": "costcurrency currency pricecurrency",
	capabilities: "features",
	country: "countrycode isocountry countryiso",
	area: "areacode prefix",
	auth: "security authentication credentials siplogin login sipcredentials",
	mode: "kind type method",
	"auth.allowed_cidrs": "acl iplist ips allowedips allowedcidrs ipacl whitelist ipwhitelist allowlist cidrs",
	username: "user login",
	capacity: "channels maxchannels channellimit concurrentcalls maxconcurrentcalls callcapacity",
	enabled: "on active isactive isenabled",
	url: "target endpoint callbackurl targeturl address",
	"webhook.url": "uri",
	events: "topics eventtypes subscriptions subscribedevents",
	sip_domain: "domain siphost host",
});

/** Returns names that a service may use for our field, the likeliest first: for the whole path, then for its last part. */
export const otherNames = (record: string, field: string): readonly string[] => {
	const keys = [field, `${record}.${field}`, field.split(".").at(-1) ?? field];
	return [...new Set([fold(record + field), ...keys.flatMap(fields)])];
};

/** Words of states and kinds, with * for any letters; words that may mean something else are at `?`. */
const words = lookup({
	pending:
		"pending* *pending awaiting* *inreview underreview verifying provisioning processing requested submitted ordered creating",
	"pending?": "new created",
	active: "inservice activated approved provisioned live assigned enabled ready operational inuse",
	suspended: "blocked paused disabled barred frozen onhold",
	"number.activated": "didactivated numberinservice numberactive didinservice lineaactiva",
	"number.released": "didterminated didreleased numberceased numberterminated lineabaja",
	"message.received": "messageinbound inboundmessage smsreceived smsinbound inboundsms smsrecibido",
	"message.status": "smsreceipt smsstatus smsdlr dlr smsestado deliveryreceipt",
	"call.initiated": "callstarted callstart",
	"call.completed": "callended callend callfinished llamadafin",
	"*": "all any todos",
	released: "gone ceased cancelled canceled terminated deleted removed returned disconnected",
	"released?": "closed deactivated",
	failed: "error errored rejected declined",
	trunk: "siptrunk",
	sip_uri: "sip sipaddress",
	forward: "pstn redirect callforward phonenumber",
	webhook: "http https url callback",
	agent: "aiagent assistant bot",
	ip_acl: "acl ip ipaddress cidr allowlist whitelist",
	digest: "password credentials userpass registration",
});

const isOneOf = (word: string, ours: string): boolean =>
	(ours === "*" ? words(ours) : [fold(ours), ...words(ours)]).some((pattern) =>
		new RegExp(`^${pattern.replace("*", ".*")}$`).test(fold(word)),
	);

/** Returns true if the service's word may mean our word. */
export const mayMean = (word: string, ours: string): boolean =>
	isOneOf(word, ours) || (ours !== "*" && isOneOf(word, `${ours}?`));

/** Parts of lists and errors, by our key in the description. */
export const manners = lookup({
	items: "results items numbers phonenumbers records entries list objects data",
	next: "nextcursor nextpagetoken nexttoken pagingnext paginationnext metanext metanextcursor pagingnextcursor paginationnextcursor cursorsnext pagingcursorsafter next cursor after continuation nextpage pagetoken",
	more: "hasmore more hasnext",
	cursor:
		"cursor pagetoken nexttoken nextcursor after startingafter startafter pagecursor next token continuation nextpagetoken",
	limit: "limit pagesize perpage pagelimit maxresults size count top maxitems",
	code: "code errorcode error errortype type reason slug key errorkey",
	message:
		"message errormessage detail description errordescription msg text detailtext title detailmessage errordetail",
	requestId:
		"requestid trace traceid correlationid reqid logid errorrequestid errortraceid requestuuid supportid errorid",
});
