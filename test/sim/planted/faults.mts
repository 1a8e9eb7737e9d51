/** Faults of the product, by the campaign that finds them: its short form is green without one, and finds each within so many trials. */

/** What stands in the sources exactly once, in whichever file, and what stands there instead. */
type Faults = Readonly<Record<string, readonly [search: string, replace: string]>>;

interface Hunt {
	/** Options of the simulation. */
	readonly args: readonly string[];
	readonly trials: number;
	/** Where its faults are planted. Default: provider. */
	readonly part?: "provider" | "emulator";
	/** By the fault in a few words. */
	readonly faults: Faults;
}

export const hunts: Readonly<Record<string, Hunt>> = {
	lives: {
		campaign: "lifecycle",
		trials: 200,
		faults: {
			"key not hashed with the criteria": [
				"hash(43, token, stateOf(state), counter)",
				"hash(43, declarationOf({ token }), stateOf(state), counter)",
			],
			"key new each time": ["token, stateOf(state), counter)", "token, stateOf(state), counter, freshLease())"],
			"young replay goes to the next key": [
				"if (isOld && isGone(error)) return { record: undefined };",
				"return { record: undefined };",
			],
			"replay of what is gone taken": [
				"(await isReleased(service, id))) return { record: undefined };",
				"(await isReleased(service, id))) return { record: { id, created_at } as NumberRecord };",
			],
			"replay of somebody else's number taken": [
				'case "superseded":\n\t\t\treturn record;',
				'case "superseded":\n\t\tcase "foreign":\n\t\t\treturn record;',
			],
			"replay taken for a purchase": [
				'if (replayed || isListed(record.id)) return { is: "repeated", record };',
				'return { is: "sold", record, isOlder: false };',
			],
			"old name refused, as its number has a new one": [
				"if (reference !== undefined && reference.token !== claim.token) return undefined;",
				"",
			],
			"refusal under a key is final": ['if (error.replayed) return { is: "spent" };', ""],
			"claim not looked for by create": [
				'isReferenced(purchase, live) ? findOurs(claim, live, "number", nameOf) : await seenHere(purchase)',
				"await seenHere(purchase)",
			],
			"trunk's key without its place": [
				'const r = hash(22, organization ?? "", urn.project, urn.stack, urn.parents, kind, urn.name, by ?? "");',
				'const r = hash(22, organization ?? "", urn.project, urn.stack, urn.parents, kind, by ?? "");',
			],
			"any text in a reference is ours": [
				'if (reference === undefined) return "foreign";',
				'if (reference === undefined) return "ours";',
			],
			"number of a newer write is released": [
				'if (ownership === "foreign" || ownership === "superseded") return "claimed";',
				'if (ownership === "foreign") return "claimed";',
			],
			"somebody else's number is released": [
				'if (ownership === "foreign" || ownership === "superseded") return "claimed";',
				'if (ownership === "superseded") return "claimed";',
			],
			"left number isn't marked": ["await patch({ reference });", ""],
			"left number isn't resumed": [
				"return reference?.token === claim.token ? [{ record, reference }] : [];",
				'return reference?.token === claim.token && reference.lease !== "left" ? [{ record, reference }] : [];',
			],
			"changed country doesn't replace": [
				'["generation", ...fixedCriteria(olds)].includes(key)',
				'["generation", ...fixedCriteria(olds)].includes(key) && key !== "country"',
			],
			"bought on any account": [
				'if (ids.length > 0 && !this.#isProven) throw this.#wrongAccount("Nothing was bought or created.", ids);',
				"",
			],
			"forgotten on any account": [
				'if (!this.#isProven) throw this.#wrongAccount("The state is unchanged.", [id], error);',
				"",
			],
			"claim not checked by update": [
				"refuseClaimed(memory, { claim, record: start, entry: olds, what: subjectOf(definition, start) });",
				"",
			],
			"leases without an answer forgotten": [
				"leases: Array.isArray(leases) ? leases.filter(",
				"leases: Array.isArray(leases) ? [].filter(",
			],
			"read takes the lease that it finds": [
				"...claimOutputs(props, ownershipRead(identityFor(source, props, service), record, props)),",
				'...claimOutputs(props, ownershipRead(identityFor(source, props, service), record, props)), lease: record.reference?.split(".").at(-1) ?? "",',
			],
			"what is kept is not said": [
				'if (removal === "claimed")\n\t\tprogress.warn(',
				'if (removal === "claimed")\n\t\t((...said: unknown[]) => said)(',
			],
			"new name not written into the reference": [
				"planned !== undefined && token !== undefined && token !== planned.token;",
				"false;",
			],
			"state known by its URL as it is spelled": [": canonicalPlace(url);", ": url;"],
			"onDelete: retain releases": [
				'if (props.onDelete !== "release") return',
				"if (props.onDelete === undefined) return",
			],
			"replacement releases what this run resumed": ['if (isDeclared) return "declared";', ""],
			"delete forgets what it could not release": ["if (!isGone(error)) throw explained(error,", "void (error,"],
			"number not saved where its configuration fails": [
				"throw new InitError(start.id, saved",
				"throw error;\n\t\tthrow new InitError(start.id, saved",
			],
			"owed property forgotten": ["(key) =>\n\t\t\t\t\tlive[key] != null &&", '(key) =>\n\t\t\t\t\tkey === "" &&'],
			"lease not renewed": [
				"\t\t\tlease = freshLease();\n\t\t\treturn",
				'\t\t\tlease = this.#lease || "same";\n\t\t\treturn',
			],
			"lease of a try without an answer not kept": [
				'\t\t\tif (lease !== "") this.#unanswered.unshift(lease);\n\t\t\tlease',
				"\t\t\tlease",
			],
			"lease of a write that failed not kept": [
				'\t\t\tif (lease !== "") this.#unanswered.unshift(lease);\n\t\t\t// Nothing',
				"\t\t\t// Nothing",
			],
			"removed property not cleared": ["(property.cleared ?? null)", "undefined"],
			"what is owed is forgotten by a refresh": [
				"printOf(properties, key, live[key]) === print,",
				'printOf(properties, key, live[key]) === print && key === "",',
			],
			"what another run has set is left": [
				"const unknown = isOther ? Object.keys(this.#writing.properties) : ",
				"const unknown = isOther ? [] : ",
			],
			"no wait for KYC": ["if (inputs.waitForActive === false) return;", "return;"],
			"refused KYC counts as active": ["if (refused !== undefined) {\n\t\tconst next", "if (false) {\n\t\tconst next"],
			"webhook's secret rotated by each update": [
				'return this.#secret.exists(record) && this.#now.state !== "known" && !this.#isLeft(record);',
				"return this.#secret.exists(record) && !this.#isLeft(record);",
			],
			"secret that nobody knows stays": ['if (value === "") return stale;', ""],
			"trunk made twice where reads lag": [
				"settled(session, service, { createdAt: created_at }, () => operations.get(id))",
				"(created_at, operations.get(id))",
			],
			"absence from a list proves that a number is gone": [
				"(this.#list.problem(id) ?? unread(id, error))",
				"(this.#list.problem(id) ?? removed(id))",
			],
			"gateway's 404 means gone": [
				'if (!isOwn(failure)) return "Unavailable";',
				'if (!isOwn(failure)) return namesOne ? "NotFound" : "Unavailable";',
			],
			"gateway's 404 means not offered": [
				'errorCode !== undefined && !/^http_\\d+$/.test(errorCode);\n\n/** The service\'s own word that it has no such operation. */\nconst isNoSuchOperation = ({ errorCode }: Failure): boolean =>\n\terrorCode === "operation_not_offered" ||',
				'errorCode !== undefined;\n\nconst isNoSuchOperation = ({ errorCode }: Failure): boolean =>\n\terrorCode === "operation_not_offered" || errorCode === "http_404" ||',
			],
			"what is young and not shown is gone": [
				"record === undefined ? isYoung(session, service, known.createdAt) :",
				"record === undefined ? false :",
			],
			"answers older than the last write believed": [
				"compareTimes(one, other) < 0;",
				"compareTimes(one, other) < Number.NEGATIVE_INFINITY;",
			],
			"a doubted answer is believed by a refresh": [
				"if (record !== undefined && !doubts(record)) return record;",
				"if (record !== undefined) return record;",
			],
		},
	},
	filings: {
		campaign: "lifecycle",
		trials: 60,
		faults: {
			"papers of the account not looked for": [
				"return (await known.listed).get(keyOf(paper));",
				"return (await known.listed).get(keyOf({ kind: paper.kind }));",
			],
			"order made again after a kill": [
				"portOrders.create(body as CreatePortOrder, options),",
				"portOrders.create({ ...body, reference: undefined } as CreatePortOrder, { ...options, idempotencyKey: undefined }),",
			],
			"profile made again after a kill": [
				"kyc.profiles.create(body as CreateKycProfile, options),",
				"kyc.profiles.create({ ...body, reference: undefined } as CreateKycProfile, { ...options, idempotencyKey: undefined }),",
			],
			"rejected profile submitted again as it is": [
				'return hasNews && (status === "rejected" || status === "expired");',
				'return status === "rejected" || status === "expired";',
			],
			"exception submitted again as it is": [
				'(phase === "exception" && (isChanged || isOpen))',
				'phase === "exception"',
			],
			"order that is being cancelled taken over": [
				'isEnding: ({ status }) => status === "cancel_pending",',
				"isEnding: () => false,",
			],
		},
	},
	drift: {
		campaign: "drift",
		args: ["--short"],
		trials: 24,
		faults: {
			"metadata not compared": ['form.kind === "map" ? value : mapValues', 'form.kind === "map" ? {} : mapValues'],
			"URL compared as it is spelled": [
				'const path = url.pathname === "/"',
				'if (text !== "") return text;\n\tconst path = url.pathname === "/"',
			],
			"service's default counts as a change": ["if (field.serverDefault && isUnset(declared[key])) return true;", ""],
			"order of a set counts": [
				"[...byText].sort(byKey).map(([, item]) => item);",
				"[...byText].map(([, item]) => item);",
			],
			"another password not noticed": [
				"return marker !== undefined && before !== undefined && !sameMarker(marker, before) && !isAdoptedUnknown(secret, outs);",
				"return false && isAdoptedUnknown(secret, outs);",
			],
			"webhook that the service switched off not noticed": [
				'record.status === "disabled" ? { enabled: false } : {}',
				'record.status === "off" ? { enabled: false } : {}',
			],
			"a single read for each object": [
				"return !this.#list.isIncomplete && this.#list.pages < maxPages(this.#asked.size);",
				"return false;",
			],
			"failover not compared": [
				"failover: { ...failover, description:",
				"failover: { ...failover, writeOnly: true, description:",
			],
			"codecs compared always different": [
				"property.isSame ? !property.isSame(olds, news) : !sameDeclaration(",
				'key === "codecs" && olds[key] !== undefined ? true : !sameDeclaration(',
			],
		},
	},
	"killed emulator": {
		campaign: "kill-emulator",
		trials: 3,
		part: "emulator",
		faults: {
			"emulator answers before its log is on disk": [
				"await service.committed().then(",
				"await Promise.resolve().then(",
			],
			"emulator keeps no answers for keys": ["if (!isKept(reply)) return;", "return;"],
			"emulator leaves out a torn change without a word": [
				"if (tail.length === 0) return undefined;",
				"if (tail.length >= 0) return undefined;",
			],
			"emulator doesn't note what was deleted": [
				"if (this.#values.delete(key)) this.watcher?.wrote(key);",
				"this.#values.delete(key);",
			],
			"emulator keeps no ledger": ["\tledger: ledger.table,\n", ""],
		},
	},
	"killed plugin": {
		campaign: "kill-provider",
		args: ["--front", "plugin"],
		trials: 3,
		faults: {
			"create of the plugin forgets the id": [
				"handler.create(news));\n\t\tresponse.setId(id);",
				"handler.create(news));\n\t\tvoid id;",
			],
			"a preview of the plugin is carried out": [
				"if (request.getPreview()) {\n\t\t\tresponse.setProperties(given(created(",
				"if (request.getName() === String(Symbol())) {\n\t\t\tresponse.setProperties(given(created(",
			],
		},
	},
	/** Of a service that honours no key. */
	"lives without keys": {
		campaign: "lifecycle",
		args: ["--service", "no-key"],
		trials: 200,
		faults: {
			"POST repeated without a key": ['if (operation.method !== "POST") return true;', "return true;"],
			"number of a killed run doesn't stop a purchase": [
				"if (earlier === undefined && !isKeyed(service)) refuseDoubtful(purchase, before);",
				"",
			],
		},
	},
	schedules: {
		campaign: "schedules",
		trials: 2000,
		faults: {
			"a write forgotten by reads": ["\t\tthis.#list.wrote(id, record);", ""],
			"an older answer over what was written": ["if (this.#written.get(record.id) !== last) return;", ""],
			"one request more than may be": [
				"this.#underWay < this.#options.concurrency",
				"this.#underWay <= this.#options.concurrency",
			],
			"a turn that is not passed on": ["\t\t\tthis.#underWay -= 1;\n\t\t\tthis.#go();", "\t\t\tthis.#underWay -= 1;"],
		},
	},
	stacks: {
		campaign: "stacks",
		trials: 20,
		faults: {
			"declarations without their stack": [
				'const r = hash(22, organization ?? "", urn.project, urn.stack, urn.parents,',
				'const r = hash(22, organization ?? "", urn.project, "", urn.parents,',
			],
		},
	},
	kyc: {
		campaign: "kyc",
		trials: 21,
		faults: {
			"the first look late": ["const firstPauseMs = 2_000;", "const firstPauseMs = 20_000;"],
			"each number that waits is read alone": ["const singleReads = 2;", "const singleReads = 1_000;"],
		},
	},
	faults: {
		campaign: "faults",
		trials: 60,
		faults: {
			"a Retry-After in seconds halved": [
				"seconds >= leastTime ? seconds * 1000 - now : seconds * 1000;",
				"seconds >= leastTime ? seconds * 1000 - now : seconds * 500;",
			],
		},
	},
	canaries: {
		campaign: "canaries",
		trials: 30,
		faults: {
			"secrets in a URL's form not masked": [
				"const url = encodeURIComponent(Buffer.from(secret).toString());",
				"const url = secret;",
			],
		},
	},
	soak: {
		campaign: "soak",
		args: ["--numbers", "60"],
		trials: 1,
		faults: {
			"pages of one": ["query: { ...call.query, limit: 100 }", "query: { ...call.query, limit: 1 }"],
		},
	},
	signals: {
		campaign: "signals",
		trials: 3,
		faults: {
			"Cancel ignored": ['this.#session.end("the run was cancelled");', ";"],
		},
	},
};

export interface Fault {
	readonly name: string;
	readonly part: "provider" | "emulator";
	readonly search: string;
	readonly replace: string;
	/** Name of its hunt. */
	readonly hunt: string;
}

export const faults: readonly Fault[] = Object.entries(hunts).flatMap(([hunt, { part = "provider", faults: all }]) =>
	Object.entries(all).map(([name, [search, replace]]) => ({ name, part, search, replace, hunt })),
);
