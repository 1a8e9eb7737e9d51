/** What services commonly call what we know: short tables, by our names. All names are compared in lower case, letters and digits only. */

export const fold = (name: string): string => name.toLowerCase().replace(/[^a-z0-9*]/g, "");

const split = (table: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> =>
	new Map(Object.entries(table).map(([ours, theirs]) => [ours, theirs.split(" ")]));

/** Parts of a path, by ours. */
export const nouns = split({
	numbers: "phonenumbers dids ddis msisdns virtualnumbers incomingphonenumbers numberorders",
	trunks: "siptrunks voicetrunks trunkgroups sipconnections",
	webhooks: "hooks webhookendpoints callbacks notificationendpoints eventsubscriptions",
	availablenumbers: "inventory availablephonenumbers availabledids",
	portorders: "ports portings portins portingorders portabilityorders",
	webhookdeliveries: "deliveries hookdeliveries",
	messages: "sms textmessages",
	release: "cancel terminate deactivate relinquish",
	restore: "undelete recover reactivate",
	rotatepassword: "resetpassword regeneratepassword newpassword",
	rotatesecret: "resetsecret regeneratesecret newsecret",
	hangup: "end terminate",
	resend: "retry redeliver",
});

/** Fields by their whole path, or by the last part of it. */
export const fields = split({
	id: "uuid sid guid",
	number: "msisdn e164 phonenumber did telephonenumber phone",
	status: "state lifecycle lifecyclestate",
	label: "friendlyname displayname alias title name description",
	reference:
		"tagspulumi externalid externalreference externalref clientreference clientref customerreference ref note notes comment",
	metadata: "tags labels customfields attributes",
	created_at: "createdms createdon created createdat creationdate creationtime purchasedat",
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
	country: "countrycode isocountry",
	area: "areacode prefix",
	auth: "security authentication credentials",
	mode: "kind type method",
	"auth.allowed_cidrs": "acl allowedips allowedcidrs ipacl whitelist ipwhitelist allowlist cidrs",
	username: "user login",
	capacity: "channels maxchannels channellimit concurrentcalls maxconcurrentcalls callcapacity",
	enabled: "on active isactive isenabled",
	url: "target endpoint callbackurl targeturl address",
	events: "topics eventtypes subscriptions subscribedevents",
	sip_domain: "domain siphost",
});

/** Words of states and kinds. */
export const words = split({
	pending:
		"awaitingdocuments verifying awaitingkyc kycpending pendingkyc requested ordered processing provisioning inreview underreview awaitingapproval new created",
	active: "inservice approved provisioned live assigned enabled ready activated inuse",
	suspended: "blocked paused disabled barred frozen",
	released: "gone cancelled canceled terminated deleted removed closed returned deactivated",
	failed: "error errored rejected",
	trunk: "siptrunk",
	sip_uri: "sip sipaddress",
	forward: "pstn redirect callforward phonenumber",
	webhook: "http https url callback",
	agent: "aiagent assistant bot",
	ip_acl: "acl ip ipaddress cidr allowlist whitelist",
	digest: "password credentials userpass registration",
});

/** Codes of errors. */
export const codes = split({
	not_found:
		"notfound nosuchobject nosuchnumber nosuchtrunk nosuchresource resourcenotfound resourcemissing numbernotfound doesnotexist",
	trunk_in_use: "busy inuse resourceinuse trunkinuse hasnumbers",
	validation_failed: "invalid validationerror invalidrequest invalidparameter unprocessableentity",
	bad_request: "malformed malformedrequest invalidjson",
	unauthorized:
		"unauthenticated invalidapikey invalidtoken authenticationfailed authenticationrequired authenticationerror",
	forbidden: "accessdenied permissiondenied notallowed",
	no_inventory: "outofstock nonumbersavailable nonumberavailable notavailable inventoryempty",
	insufficient_balance: "insufficientfunds paymentrequired balancetoolow nocredit",
	rate_limited: "toomanyrequests ratelimitexceeded throttled",
	internal_error: "servererror internalservererror",
	unavailable: "serviceunavailable maintenance",
	idempotency_key_reused: "idempotencyconflict idempotencymismatch idempotencykeymismatch",
	gone: "deleted removed released",
});

/** Of lists and errors, by our key in the description. */
export const manners = split({
	next: "nextcursor nextpagetoken nexttoken pagingnext paginationnext metanext metanextcursor pagingnextcursor paginationnextcursor cursorsnext pagingcursorsafter next cursor after continuation",
	cursor: "cursor pagetoken nexttoken token after startingafter startafter pagecursor next nextcursor continuation",
	limit: "limit pagesize perpage pagelimit maxresults size count top maxitems",
	code: "error code errorcode errortype type reason key errorkey",
	message: "message errormessage detail description errordescription text detailtext title detailmessage errordetail",
	requestId: "requestid trace traceid correlationid errorrequestid errortraceid requestuuid support id",
});
