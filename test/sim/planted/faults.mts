/** Faults of the product, by the stories or the test files that find them. */

/** Text that the sources have exactly once, and the text that replaces it. */
type Faults = Readonly<Record<string, readonly [search: string, replace: string]>>;

interface Stories {
	/** Options of the simulation. */
	readonly args: readonly string[];
	/** The most stories to tell. */
	readonly trials: number;
}

/** Faults that stories seldom reach, or that concern other promises than the oracle's. */
interface Test {
	readonly test: string;
}

type Part = "provider" | "emulator" | "cli";

export type Hunt = (Stories | Test) & {
	/** The part of the product with the faults. Default: provider. */
	readonly part?: Part;
	readonly faults: Faults;
};

export const hunts: Readonly<Record<string, Hunt>> = {
	kill: {
		args: ["--profile", "kill"],
		trials: 120,
		faults: {
			"key not hashed with the criteria": [
				'hash(43, token, (state ?? "").slice(0, stateLength), counter)',
				'hash(43, declarationOf({ token }), (state ?? "").slice(0, stateLength), counter)',
			],
			"key new each time": ["slice(0, stateLength), counter)", "slice(0, stateLength), counter, Math.random())"],
			"replay of what is gone taken": [
				"if (await service.account.isReleased(id)) return undefined;",
				"if (await service.account.isReleased(id)) return { id } as NumberRecord;",
			],
			"trunk's key without its place": [
				'const r = hash(22, organization ?? "", urn.project, urn.stack, urn.parents, kind, urn.name, by ?? "");',
				'const r = hash(22, organization ?? "", urn.project, urn.stack, urn.parents, kind, by ?? "");',
			],
			"left number isn't marked": ["if (claim.kept && !isShown(record))", "if (claim.kept && record === undefined)"],
			"changed country doesn't replace": [
				'["generation", ...fixedCriteria(olds)].includes(key)',
				'["generation", ...fixedCriteria(olds)].includes(key) && key !== "country"',
			],
			"read takes the lease that it finds": [
				"...claimOutputs(props, owner),",
				'...claimOutputs(props, owner), lease: record.reference?.split(".").at(-1) ?? "",',
			],
			"new name not written into the reference": [
				"planned !== undefined && token !== undefined && token !== planned.token;",
				"false;",
			],
			"state known by its URL as it is spelled": [": canonicalPlace(url))", ": url)"],
			"onDelete: retain releases": [
				"if (outs.onDelete !== facts.ending) return",
				"if (outs.onDelete === undefined) return",
			],
			"removed property not cleared": ["(property.cleared ?? null)", "undefined"],
			"no wait for KYC": ["if (inputs.waitForActive === false) return;", "return;"],
			"webhook's secret rotated by each update": [
				'return this.#secret.exists(record) && (this.#state.name === "lost" || this.#state.name === "rotating");',
				'return this.#secret.exists(record) && this.#state.name !== "unknown";',
			],
		},
	},
	lag: {
		args: ["--profile", "lag"],
		trials: 120,
		faults: {
			"young replay goes to the next key": [
				"return await until(session, read, () => true, { for: between, passes: isAbsent });",
				"return await read();",
			],
			"trunk made twice where reads lag": [
				"settled(session, service, { createdAt: created_at }, () => operations.get(id))",
				"(created_at, operations.get(id))",
			],
			"what is young and not shown is gone": [
				"record === undefined ? isYoung(session, service, saved.createdAt) :",
				"record === undefined ? false :",
			],
			"answers older than the last write believed": [
				"compareTimes(a, b) < 0;",
				"compareTimes(a, b) < Number.NEGATIVE_INFINITY;",
			],
		},
	},
	claims: {
		args: ["--profile", "claims"],
		trials: 60,
		faults: {
			"claim not checked by update": ['if (owner === "foreign") return { do: "refuse", why: "claimed" };', ""],
			"replay of somebody else's number taken": [
				'if (owner !== "foreign") return',
				'if (owner !== ("" as string)) return',
			],
			"replay taken for a purchase": [
				"if (!isReplay && !isOlder && !sold.reference) return",
				'if (sold.id !== "") return',
			],
			"any text in a reference is ours": ['claim.state }))) return "foreign";', 'claim.state }))) return "ours";'],
			"number of a newer write is released": [
				'if (owner === "foreign" || owner === "superseded") return { do: "forget" };',
				'if (owner === "foreign") return { do: "forget" };',
			],
			"somebody else's number is released": [
				'if (owner === "foreign" || owner === "superseded") return { do: "forget" };',
				'if (owner === "superseded") return { do: "forget" };',
			],
			"what is kept is not said": [
				'else if (action.do === "forget")\n\t\tprogress.warn(',
				'else if (action.do === "forget")\n\t\t((...said: unknown[]) => said)(',
			],
		},
	},
	rename: {
		args: ["--profile", "rename"],
		trials: 120,
		faults: {
			"claim not looked for by create": [
				"facts.isReferenced ? findClaims(claim, live) : findHeld(facts)",
				"facts.isReferenced ? { claimed: [], foreign: undefined } : findHeld(facts)",
			],
			"lease not renewed": [
				"this.#sent = { lease: lease || freshLease(),",
				'this.#sent = { lease: String(target.olds.lease || "same"),',
			],
		},
	},
	faults: {
		args: ["--profile", "faults"],
		trials: 200,
		faults: {
			"refusal under a key is final": ["if (error.replayed) return tryNextKey;", ""],
			"leases without an answer forgotten": [
				"return { leases: textsIn(leases), isDirty",
				"return { leases: [], isDirty",
			],
			"delete forgets what it could not release": [
				"if (!isGone(error)) throw error;\n\t}\n\toperations.reads.wrote(record.id);",
				"}\n\toperations.reads.wrote(record.id);",
			],
			"number not saved where its configuration fails": [
				"throw new InitError(start.id, saved",
				"throw error;\n\t\tthrow new InitError(start.id, saved",
			],
			"lost secret stays": [
				"return value === lostOutput ? lost : secretOf(value);",
				"return value === lostOutput ? unknown : secretOf(value);",
			],
		},
	},
	filings: {
		args: ["--profile", "filings"],
		trials: 150,
		faults: {
			"left number isn't resumed": [
				"if (reference?.token !== claim.token) continue;",
				'if (reference?.token !== claim.token || reference.lease === "left") continue;',
			],
			"order made again after a kill": [
				"portOrders.create(body as CreatePortOrder, options)",
				"portOrders.create({ ...body, reference: undefined } as CreatePortOrder, { ...options, idempotencyKey: undefined })",
			],
			"profile made again after a kill": [
				"kyc.profiles.create(body as CreateKycProfile, options)",
				"kyc.profiles.create({ ...body, reference: undefined } as CreateKycProfile, { ...options, idempotencyKey: undefined })",
			],
		},
	},
	account: {
		args: ["--profile", "account"],
		trials: 20,
		faults: {
			"bought on any account": ['throw this.#notProven("Nothing was bought or created.", ids);', ""],
			"forgotten on any account": ["if (await this.#isBelieved(object)) throw error;", "throw error;"],
			"own account refused": ["this.#found.add(key);", ""],
		},
	},
	services: {
		args: ["--profile", "services"],
		trials: 100,
		faults: {
			"replacement releases what this run resumed": [
				'if (isDeclared(memory, record.id, outs)) return { do: "keep" };',
				"",
			],
			"POST repeated without a key": [
				'const isRepeatable = operation.method !== "POST" || isKeyed;',
				"const isRepeatable = true;",
			],
			"number of a killed run doesn't stop a purchase": ["if (records.length === 0 || isTraceable)", "if (true)"],
		},
	},
	kyc: {
		args: ["--profile", "kyc"],
		trials: 30,
		faults: {
			"refused KYC counts as active": ['if (standing?.code === "kyc-rejected") {', "if (false) {"],
			"the first look late": ["const firstPauseMs = 2_000;", "const firstPauseMs = 20_000;"],
		},
	},
	spelling: {
		args: ["--profile", "spelling"],
		trials: 60,
		faults: {
			"metadata not compared": ['form.kind === "map" ? value : mapValues', 'form.kind === "map" ? {} : mapValues'],
			"URL compared as it is spelled": [
				'const path = url.pathname === "/"',
				'if (text !== "") return text;\n\tconst path = url.pathname === "/"',
			],
			"order of a set counts": [
				"[...byText].sort(byKey).map(([, item]) => item);",
				"[...byText].map(([, item]) => item);",
			],
			"another password not noticed": [
				"return isComparable && !sameMarker(marker, before);",
				"return isComparable && false;",
			],
			"webhook that the service switched off not noticed": [
				'record.status === "disabled" ? { enabled: false } : {}',
				'record.status === "off" ? { enabled: false } : {}',
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
	soak: {
		args: ["--profile", "soak"],
		trials: 2,
		faults: {
			"a single read for each object": [
				"const isCheap = () => this.#requested.size > few && this.#pages < this.#requested.size;",
				"const isCheap = () => false;",
			],
			"pages of one": ["query: { ...call.query, limit: 100 }", "query: { ...call.query, limit: 1 }"],
		},
	},
	store: {
		test: "test/emulator/store/durable.test.ts",
		part: "emulator",
		faults: {
			"emulator answers before its log is on disk": [
				"await service.committed().then(",
				"await Promise.resolve().then(",
			],
			"emulator keeps no answers for keys": ["if (!isKept(reply)) return;", "return;"],
			"emulator doesn't note what was deleted": [
				"if (this.#values.delete(key)) this.watcher?.wrote(key);",
				"this.#values.delete(key);",
			],
			"emulator keeps no ledger": ["\tledger: ledger.table,\n", ""],
		},
	},
	plugin: {
		args: ["--profile", "kill", "--driver", "plugin"],
		trials: 3,
		faults: {
			"create of the plugin forgets the id": [
				"filled(messages.CreateResponse, { id, properties",
				"filled(messages.CreateResponse, { properties",
			],
		},
	},
	limits: {
		args: ["--profile", "limits"],
		trials: 30,
		faults: {
			"limit counts one too few": [
				"if (limit === undefined || count <= limit) return [];",
				"if (limit === undefined || count <= limit + 1) return [];",
			],
		},
	},
	stacks: {
		args: ["--profile", "stacks"],
		trials: 10,
		faults: {
			"declarations without their stack": [
				'const r = hash(22, organization ?? "", urn.project, urn.stack, urn.parents,',
				'const r = hash(22, organization ?? "", urn.project, "", urn.parents,',
			],
		},
	},
	pools: {
		args: ["--profile", "pools"],
		trials: 40,
		faults: {
			"pool releases one number too many": [
				"order.slice(0, Math.max(0, rest.length - count))",
				"order.slice(0, Math.max(0, rest.length - count + 1))",
			],
			"pool forgets what a killed run bought": [
				"[...claimed.keys(), ...free].slice(0, missing)",
				"free.slice(0, missing)",
			],
		},
	},
	plan: {
		args: ["--profile", "plan"],
		trials: 20,
		part: "cli",
		faults: {
			"plan forecasts no resumed number": [
				'else if (action.do === "resume") forecast.resumes.push(foundObject(target, action.record));',
				'else if (action.do === "resume") void 0;',
			],
		},
	},
	agreement: {
		test: "test/cli/plan/agreement.test.ts",
		part: "cli",
		faults: {
			"plan decides without the program's declarations": [
				"if (compared !== undefined) await handler.diff(compared.id, compared.outputs, news);",
				"void compared;",
			],
		},
	},
	secrets: {
		args: ["--profile", "secrets"],
		trials: 40,
		faults: {
			"secrets in a URL's form not masked": [
				"const url = encodeURIComponent(Buffer.from(secret).toString());",
				"const url = secret;",
			],
		},
	},
	decide: {
		test: "test/provider/lifecycle/decide.test.ts",
		faults: {
			"adopt trusts the list": [
				'if (!reads.has(id)) return { do: "read", id, isListed: listed !== undefined };\n\tconst record = reads.get(id);',
				'const record = listed ?? reads.get(id);\n\tif (record === undefined && !reads.has(id)) return { do: "read", id, isListed: false };',
			],
			"resume trusts the list": [
				'if (!reads.has(listed.id)) return { do: "read", id: listed.id, isListed: true };\n\tconst record = reads.get(listed.id);',
				"const record = listed as R | undefined;",
			],
			"a claim written since the list is overwritten": ["|| isClaimedSince(record, listed)", ""],
			"a read that lags hides the own claim": ["current !== before && !isOlder;", "current !== before;"],
			"an object that a run lost to another state is made again": [
				"if (found.claimed.length === 0 && found.foreign !== undefined)",
				"if (false as boolean)",
			],
			"the first of several claimed objects is taken": [
				'if (more.length > 0) return refuse({ why: "several", records: claimed });',
				"",
			],
			"adopt takes another stack's object": [
				'return isFree(claim, record) ? { do: "adopt", record } :',
				'return claim.token !== "" ? { do: "adopt", record } :',
			],
			"adopt takes another resource's object": [
				'if (memory.isTaken(record.id, [claim.token])) return refuse({ why: "adopt-shared", record });',
				"",
			],
			"an update writes another resource's object": ['return { do: "refuse", why: "shared" };', "void 0;"],
			"an update doesn't say whose object it claims": [
				"isMove: !isSameStack(claim, reference) || !isSame",
				"isMove: !isSameStack(claim, reference) && !isSame",
			],
			"a protected object is ended": ['if (facts.isProtected) return { do: "leave", why: "protected" };', ""],
			"an object whose create got another one is ended": [
				"return isReplaced(memory, record.id, outs) ?",
				"return record === undefined ?",
			],
			"what the service can't end is ended": [
				'if (facts.stays !== undefined) return { do: "leave", why: "stays" };',
				"",
			],
		},
	},
	confirm: {
		test: "test/provider/lifecycle/confirm.test.ts",
		faults: {
			"a change that isn't shown counts as applied": [
				"return covers(form, declared[name], live[name]) || (!isIgnored && isSpelling(form, declared[name], live[name]));",
				"return true;",
			],
			"a cleared property that is still shown counts as cleared": [
				"return !wasDeclared || isCleared(property, before[name], live[name]);",
				"return true;",
			],
			"a lagging response counts as not applied": ["const patience = [0, ...pauses.known];", "const patience = [0];"],
			"a claim that isn't shown counts as written": [
				"const isConfirmed = isClaimed(this.record);",
				"const isConfirmed = true;",
			],
			"a claim that has overtaken the write isn't named": [
				'if (isOvertaken) throw updateRefusal("overtaken", this.#claimed());',
				"",
			],
			"a spelling isn't kept": ["...spellingOutputs(spellings),\n\t\t\t...stateAfter(", "...stateAfter("],
			"a refresh drops the spelling": ["...spellingOutputs(spellings),\n\t\t...claimOutputs(", "...claimOutputs("],
			"a refresh ignores the spelling": [
				"...declaredOutputs(properties, props, live(record), spellings),",
				"...declaredOutputs(properties, props, live(record)),",
			],
			"a spelling isn't reported": [
				"if (Object.keys(spellings).length === 0) return;\n\tconst live",
				"return;\n\tconst live",
			],
			"a spelling is reported by each write": [
				"(value, key) => value !== before[key]);",
				"(value, key) => value !== key || before !== undefined);",
			],
			"a spelled value is sent again to a locked object": [
				"return isMade || isLocked ? spellingsOf",
				"return isMade ? spellingsOf",
			],
			"a spelled value is sent again to a new object": [
				"return isMade || isLocked ? spellingsOf",
				"return isLocked ? spellingsOf",
			],
			"a change that isn't shown isn't reported": [
				"if (unapplied.length > 0) throw notApplied(nameOf(this.record), unapplied);",
				"",
			],
			"what wasn't applied isn't written again": [
				"isUnknown: unapplied.length > 0, unapplied };",
				"isUnknown: false, unapplied: [] };",
			],
			"a removal is never confirmed": ["if (isConfirmed) return;", "return;"],
			"an object that is still shown counts as removed": [
				"if (live === undefined) return;\n\tthrow new TelephonyError(",
				"return;\n\tthrow new TelephonyError(",
			],
		},
	},
	form: {
		test: "test/provider/properties/form.test.ts",
		faults: {
			"service's default counts as a change": ["if (field.serverDefault && isUnset(declared[key])) return true;", ""],
		},
	},
	phones: {
		test: "test/provider/properties/canonical.test.ts",
		faults: {
			"a slash joins two numbers": ["rest.length > area.length && ", ""],
			"a zero in parentheses is dropped anywhere": [
				"return isPlain || isTrunkZero(spelled, number) ? number : undefined;",
				"return number;",
			],
		},
	},
	spellings: {
		test: "test/provider/properties/spelling.test.ts",
		faults: {
			"any other text counts as a spelling": [
				'if (typeof declared === "string" && typeof live === "string") return isSameText(declared, live);',
				'if (typeof declared === "string" && typeof live === "string") return true;',
			],
			"any date counts as one of a time": ["return time.startsWith(date) ||", "return time !== date ||"],
			"a part of a set counts as the set": ["return rest.length === 0;", "return true;"],
			"a part of a map counts as the map": ["rest.length === Object.keys(declared).length &&", ""],
			"an error shows a secret": [
				"if (writeOnly || secret || (serverDefault && isUnset(declared[key]))) return [];",
				"",
			],
		},
	},
	confirmations: {
		test: "test/provider/api/confirmations.test.ts",
		faults: {
			"HTML confirms a delete": ["if (isHtml(response)) return false;", "if (isHtml(response)) return true;"],
			"any 2xx confirms a delete": [
				"if (!isObject(record)) return false;\n\treturn recordOf",
				"if (!isObject(record)) return true;\n\treturn recordOf",
			],
			"an error object behind a 2xx counts as success": [
				"if (isErrorObject(name, json, reading.description)) throw",
				"if (isErrorObject(name, undefined, reading.description)) throw",
			],
			"a record with a message counts as an error": ["&& !isRecord(name, json, description);", ";"],
			"a code of success counts as an error": ["!successCode.test(error) &&", ""],
		},
	},
	removal: {
		test: "test/provider/resources/number/release.test.ts",
		faults: {
			"routing isn't restored after a refused release": [
				"if (!isGone(error)) await restoreRouting(requests, routing, error);",
				"",
			],
		},
	},
	identity: {
		test: "test/provider/lifecycle/other-account.test.ts",
		faults: {
			"another object with the same id counts as the state's": [
				'if (fixed.some((value) => compare(value, comparison) === false)) return "other";',
				"",
			],
			"an update isn't judged": [
				"const record = await service.account.judge(savedObject(run, id, olds), () => settled(session, service, olds, read));",
				"const record = await settled(session, service, olds, read);",
			],
			"a delete isn't judged": [
				"const record = await service.account.judge(savedObject(run, id, outs), () => settled(session, service, outs, read));",
				"const record = await settled(session, service, outs, read);",
			],
			"one found object proves all others missing": [
				"const isProven = () => isAged() || (isCompared() && this.#evidence.isMostlyFound);",
				"const isProven = () => isAged() || this.#evidence.found > 0;",
			],
		},
	},
	evidence: {
		test: "test/provider/reads/account-check.test.ts",
		faults: {
			"an object that only shares its id is the state's": [
				'const verdict = this.#evidence.noteShown(claim, { kind, record, saved });\n\t\tif (verdict === "same") return;',
				'const verdict = this.#evidence.noteShown(claim, { kind, record, saved });\n\t\tif (verdict !== "other") return;',
			],
			"the oldest object's loss is never believed": [
				"const isProven = () => isAged() || (isCompared() && this.#evidence.isMostlyFound);",
				"const isProven = () => isAged();",
			],
			"an object of another stack proves the account": [
				'return isOfStack(claim, record, verdict === "same");',
				'return isOfStack(claim, record, verdict === "same") || saved !== undefined;',
			],
			"an object of this run proves the account": [
				"const isClaimed = live.some((record) => !isMade(record) && isOfStack(claim, record));",
				"const isClaimed = live.some((record) => isMade(record) || isOfStack(claim, record));",
			],
			"an outage is reported as a wrong key": [
				"if (!isTelephonyError(error) || !passing.has(error.kind)) return undefined;",
				"if (error !== undefined) return undefined;",
			],
			"each object of a lost state is read": ["const maxReads = 3;", "const maxReads = 300;"],
			"creates don't wait for the engine's report": [
				"await this.#pauseUntil(this.#creatingSince + gatheringMs.purchases, isProven);",
				"",
			],
		},
	},
	purchase: {
		test: "test/provider/resources/number/purchase.test.ts",
		faults: {
			"configured number of a killed run is no candidate": [
				"const isLike = isLikePurchase(inputs, record) && isLikeCriteria(criteria, record);",
				"const isLike = isUnused(record) && isLikeCriteria(criteria, record);",
			],
			"a response without an id lets purchases run at once": [
				"memory.turns.namesIds = false;\n\t\treturn memory.clearUp",
				"return memory.clearUp",
			],
			"a number of a day ago stops a purchase": [
				"return !(ageOf(session, service, record.created_at) >= day);",
				"return true;",
			],
		},
	},
	documents: {
		test: "test/provider/documents/upload.test.ts",
		faults: {
			"uploads ignore the account's documents": [
				"const id = ids.get(key) ?? upload(run, claim, document);",
				"const id = upload(run, claim, document);",
			],
		},
	},
	"port-order": {
		test: "test/provider/resources/port-order/port-order.test.ts",
		faults: {
			"rejected object submitted again without a correction": [
				"(isCorrected && isRejected(write.record))",
				"isRejected(write.record)",
			],
			"order that is being cancelled taken over": ['if (record.status === "cancel_pending") return true;', ""],
		},
	},
	write: {
		test: "test/provider/lifecycle/write.test.ts",
		faults: {
			"what another run has set is left": [
				'openIn(olds).isDirty || this.#ownership() === "superseded";',
				"openIn(olds).isDirty;",
			],
			"unknown outcome doesn't mark the state": ["isDirty: isDirty || sent.isUnknown,", "isDirty,"],
			"dirty state forgotten by a refresh": [
				'isDirty: isDirty || state === "superseded",',
				'isDirty: state === "superseded",',
			],
			"lease of a write that failed not kept": [
				"leases: sent.isSent ? [sent.lease, ...leases].slice(0, mostLeases) : leases,",
				"leases,",
			],
		},
	},
	reads: {
		test: "test/provider/reads/reads.test.ts",
		faults: {
			"a call shares the run of another argument": [
				"const earlier = runs.get(argument);",
				"const earlier = [...runs.values()][0];",
			],
			"a whole list continues an interrupted scan": [
				"if (!this.#isWhole && !isSinglePage) {",
				"if (!this.#isWhole && this.#isComplete && !isSinglePage) {",
			],
			"a doubted answer is believed by a refresh": [
				"if (listed !== undefined && !isDoubtful(listed)) return listed;",
				"if (listed !== undefined) return listed;",
			],
		},
	},
	repeats: {
		test: "test/provider/api/repeats.test.ts",
		faults: {
			"429 of a purchase counts as carried out": [
				"if (!sent || status === 401 || status === 429) return before;",
				"if (status === 429) return true;\n\tif (!sent || status === 401) return before;",
			],
			"429 hides a purchase that was lost before": [
				"if (!sent || status === 401 || status === 429) return before;",
				"if (!sent || status === 401) return before;",
			],
			"gateway's 404 means gone": [
				'if (!isOwn(failure)) return "Unavailable";',
				'if (!isOwn(failure)) return namesOne ? "NotFound" : "Unavailable";',
			],
		},
	},
	memory: {
		test: "test/provider/ownership/memory.test.ts",
		faults: {
			"a run trusts the last one's responses to name numbers": ["this.turns.namesIds = undefined;", ""],
		},
	},
	wire: {
		test: "test/provider/api/description/wire.test.ts",
		faults: {
			"a PUT of the whole record starts from a list": [
				"&& !this.#description.offeredTarget(name).whole) return;",
				") return;",
			],
		},
	},
	names: {
		test: "test/provider/ownership/names.test.ts",
		faults: {
			"old name refused, as its number has a new one": [
				"if (reference !== undefined && reference.token !== claim.token) return tryNextKey;",
				"",
			],
			"an object that another name holds is resumed": [
				"return ![undefined, token].includes(this.holderOf(id));",
				"return false;",
			],
		},
	},
	protocol: {
		test: "test/provider/plugin/protocol.test.ts",
		faults: {
			"a preview of the plugin is carried out": [
				"if (request.getPreview()) {\n\t\t\tawait handler.foresee",
				"if (request.getName() === String(Symbol())) {\n\t\t\tawait handler.foresee",
			],
		},
	},
	dying: {
		test: "test/provider/session/dying.test.ts",
		faults: {
			"Cancel ignored": ['this.#session.end("the run was cancelled");', "void 0;"],
		},
	},
};

export interface Fault {
	readonly name: string;
	readonly part: Part;
	readonly search: string;
	readonly replace: string;
	/** Name of its hunt. */
	readonly hunt: string;
}

export const faults: readonly Fault[] = Object.entries(hunts).flatMap(([hunt, { part = "provider", faults: all }]) =>
	Object.entries(all).map(([name, [search, replace]]) => ({ name, part, search, replace, hunt })),
);
