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
				"hash(43, token, stateOf(state), counter)",
				"hash(43, declarationOf({ token }), stateOf(state), counter)",
			],
			"key new each time": ["token, stateOf(state), counter)", "token, stateOf(state), counter, freshLease())"],
			"replay of what is gone taken": [
				"if (await service.account.isReleased(id)) return undefined;",
				"if (await service.account.isReleased(id)) return { id } as NumberRecord;",
			],
			"trunk's key without its place": [
				'const r = hash(22, organization ?? "", urn.project, urn.stack, urn.parents, kind, urn.name, by ?? "");',
				'const r = hash(22, organization ?? "", urn.project, urn.stack, urn.parents, kind, by ?? "");',
			],
			"left number isn't marked": ["await patch({ reference });", ""],
			"changed country doesn't replace": [
				'["generation", ...fixedCriteria(olds)].includes(key)',
				'["generation", ...fixedCriteria(olds)].includes(key) && key !== "country"',
			],
			"read takes the lease that it finds": [
				"...claimOutputs(props, ownershipRead(identityFor(source, props, service), record, props)),",
				'...claimOutputs(props, ownershipRead(identityFor(source, props, service), record, props)), lease: record.reference?.split(".").at(-1) ?? "",',
			],
			"new name not written into the reference": [
				"planned !== undefined && token !== undefined && token !== planned.token;",
				"false;",
			],
			"state known by its URL as it is spelled": [": canonicalPlace(url))", ": url)"],
			"onDelete: retain releases": [
				'if (props.onDelete !== "release") return',
				"if (props.onDelete === undefined) return",
			],
			"removed property not cleared": ["(property.cleared ?? null)", "undefined"],
			"no wait for KYC": ["if (inputs.waitForActive === false) return;", "return;"],
			"webhook's secret rotated by each update": [
				'return this.#secret.exists(record) && (this.#state.name === "lost" || this.#state.name === "rotating");',
				'return this.#secret.exists(record) && this.#state.name !== "adopted";',
			],
		},
	},
	lag: {
		args: ["--profile", "lag"],
		trials: 120,
		faults: {
			"young replay goes to the next key": [
				"return await until(session, read, () => true, { for: pauses.sold, passes: isAbsent });",
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
			"claim not checked by update": [
				"refuseClaimed(memory, { claim, record: start, outs: olds, what: subjectOf(definition, start) });",
				"",
			],
			"replay of somebody else's number taken": [
				'if (owner !== "foreign") return',
				'if (owner !== ("" as string)) return',
			],
			"replay taken for a purchase": [
				"if (!isReplay && !isOlder && !sold.reference) return",
				'if (sold.id !== "") return',
			],
			"any text in a reference is ours": [
				'if (reference === undefined) return "foreign";',
				'if (reference === undefined) return "ours";',
			],
			"number of a newer write is released": [
				'if (owner === "foreign" || owner === "superseded") return "claimed";',
				'if (owner === "foreign") return "claimed";',
			],
			"somebody else's number is released": [
				'if (owner === "foreign" || owner === "superseded") return "claimed";',
				'if (owner === "superseded") return "claimed";',
			],
			"what is kept is not said": [
				'if (removal === "claimed")\n\t\tprogress.warn(',
				'if (removal === "claimed")\n\t\t((...said: unknown[]) => said)(',
			],
		},
	},
	rename: {
		args: ["--profile", "rename"],
		trials: 120,
		faults: {
			"claim not looked for by create": [
				'\t\t? findOurs(claim, live, "number", nameOf)\n\t\t: live.find',
				"\t\t? undefined\n\t\t: live.find",
			],
			"lease not renewed": [
				"this.#sent = { lease: freshLease(),",
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
				"leases: Array.isArray(leases) ? leases.filter(",
				"leases: Array.isArray(leases) ? [].filter(",
			],
			"delete forgets what it could not release": ["if (!isGone(error)) throw withFix(error,", "void (error,"],
			"number not saved where its configuration fails": [
				"throw new InitError(start.id, saved",
				"throw error;\n\t\tthrow new InitError(start.id, saved",
			],
			"lost secret stays": ["return value !== lostOutput && outs.adopt != null ? adopted : lost;", "return adopted;"],
		},
	},
	filings: {
		args: ["--profile", "filings"],
		trials: 150,
		faults: {
			"left number isn't resumed": [
				"return reference?.token === claim.token ? [{ record, reference }] : [];",
				'return reference?.token === claim.token && reference.lease !== "left" ? [{ record, reference }] : [];',
			],
			"order made again after a kill": [
				"portOrders.create(body as CreatePortOrder, options),",
				"portOrders.create({ ...body, reference: undefined } as CreatePortOrder, { ...options, idempotencyKey: undefined }),",
			],
			"profile made again after a kill": [
				"kyc.profiles.create(body as CreateKycProfile, options),",
				"kyc.profiles.create({ ...body, reference: undefined } as CreateKycProfile, { ...options, idempotencyKey: undefined }),",
			],
		},
	},
	account: {
		args: ["--profile", "account"],
		trials: 20,
		faults: {
			"bought on any account": [
				'if (ids.length > 0 && !(await this.#prove(claim))) throw this.#wrongAccount("Nothing was bought or created.", ids);',
				"",
			],
			"forgotten on any account": [
				'if (!(await this.#prove(claim))) throw this.#wrongAccount("The state is unchanged.", [id], error);',
				"",
			],
			"own account refused": ["this.#isProven ||= objects.some((each) => this.#isProof(each, claim));", ""],
		},
	},
	services: {
		args: ["--profile", "services"],
		trials: 100,
		faults: {
			"replacement releases what this run resumed": ['if (isDeclared) return "declared";', ""],
			"POST repeated without a key": [
				'const isRepeatable = operation.method !== "POST" || isKeyed;',
				"const isRepeatable = true;",
			],
			"number of a killed run doesn't stop a purchase": [
				"if (!isKeyed(service)) refuseCandidates(purchase, live);",
				"",
			],
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
		trials: 15,
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
				'isDirty: isDirty || state === "superseded" }),',
				'isDirty: state === "superseded" }),',
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
			"a doubted answer is believed by a refresh": [
				"if (listed !== undefined && !isDoubtful(listed)) return listed;",
				"if (listed !== undefined) return listed;",
			],
		},
	},
	repeats: {
		test: "test/provider/api/repeats.test.ts",
		faults: {
			"gateway's 404 means gone": [
				'if (!isOwn(failure)) return "Unavailable";',
				'if (!isOwn(failure)) return namesOne ? "NotFound" : "Unavailable";',
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
