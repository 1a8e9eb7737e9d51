import type { AuthRequest, CreateTrunk, PatchTrunk } from "../../../provider/api/contract";
import { trunkRecord } from "../../http/normalise";
import { pageOf } from "../../http/pages";
import { invalid, ServiceError } from "../../request/errors";
import { handlersOf } from "../../request/handlers";
import { type Changes, merge } from "../../request/merge";
import { openTo } from "../../service/addresses";
import { seenBy } from "../../service/seen";
import { edit, findRow, newRow, put, type Service, timeOf } from "../../service/service";
import { assertUnused, usersByObject } from "../../service/users";
import { newPassword } from "../../store/random";
import type { TrunkAuth, TrunkRow } from "../../store/store";
import { emit } from "../webhooks/events";

/** Returns the auth to store. An omitted password keeps the stored one, or is generated. */
const storedAuth = (service: Service, sent: AuthRequest, before?: TrunkAuth): TrunkAuth => {
	if (sent.mode === "ip_acl") return sent;
	const { mode, username } = sent;
	const old = before?.mode === "digest" ? before : undefined;
	const password = sent.password ?? old?.password ?? newPassword(service.random);
	const password_updated_at = old?.password === password ? old.password_updated_at : timeOf(service);
	return { mode, username, password, password_updated_at };
};

const checkCapacity = ({ settings }: Service, capacity: number | undefined): void => {
	const max = settings.capacityMax;
	if (max === null || capacity === undefined || capacity <= max || settings.clampCapacity) return;
	throw new ServiceError("capacity_exceeded", `A trunk of this account may have at most ${max} channels.`, { max });
};

const checkAllowList = ({ settings }: Service, auth: AuthRequest | undefined): void => {
	if (auth?.mode !== "ip_acl" || settings.acceptAnyAddress) return;
	const problems = auth.allowed_cidrs.flatMap((cidr, index) => {
		const message = openTo(cidr);
		return message === undefined ? [] : [{ field: `auth.allowed_cidrs.${index}`, message }];
	});
	if (problems.length > 0) throw invalid(problems);
};

const granted = ({ settings }: Service, capacity: number): number =>
	settings.clampCapacity ? Math.min(capacity, settings.capacityMax ?? capacity) : capacity;

const statusOf = (enabled: boolean): string => (enabled ? "active" : "disabled");

const createTrunk = (service: Service, body: CreateTrunk): TrunkRow => {
	checkCapacity(service, body.capacity);
	checkAllowList(service, body.auth);
	const row = newRow(service, "trunks");
	const enabled = body.enabled ?? true;
	return put(service, "trunks", {
		...row,
		name: body.name,
		auth: storedAuth(service, body.auth),
		capacity: granted(service, body.capacity),
		cps: body.cps ?? null,
		targets: body.targets ?? null,
		media_encryption: body.media_encryption ?? null,
		codecs: body.codecs ?? null,
		enabled,
		label: body.label ?? null,
		reference: body.reference ?? null,
		metadata: body.metadata ?? {},
		sip_domain: `${row.id.replace("_", "-")}.sip.example.net`,
		status: statusOf(enabled),
		reconciling: false,
	});
};

/** Applies a checked patch; the control API's may also set the state. */
export const applyTrunkPatch = (
	service: Service,
	draft: TrunkRow,
	{ auth, capacity, metadata, ...rest }: PatchTrunk & Changes<Pick<TrunkRow, "status" | "reconciling">>,
): void => {
	if (auth !== undefined) draft.auth = storedAuth(service, auth, draft.auth);
	if (capacity !== undefined) draft.capacity = granted(service, capacity);
	if (metadata !== undefined) draft.metadata = metadata ?? {};
	if (rest.enabled !== undefined) draft.status = statusOf(rest.enabled);
	Object.assign(draft, merge(draft, rest as Changes<TrunkRow>));
};

/** Edits a trunk, and sends an event if something changed. */
export const editTrunk = (service: Service, row: TrunkRow, change: (draft: TrunkRow) => void): TrunkRow => {
	const edited = edit(service, "trunks", row, change);
	if (edited === row) return row;
	const count = usersByObject(service, "trunks").get(row.id)?.length ?? 0;
	emit(service, "trunk.updated", trunkRecord(service, edited, count));
	return edited;
};

export const trunkHandlers = (service: Service) => {
	const { trunks } = service.store;
	const renderTrunk = (row: TrunkRow, users = usersByObject(service, "trunks")) =>
		trunkRecord(service, row, users.get(row.id)?.length ?? 0);

	/** The only response with a generated password. */
	const renderWithPassword = (row: TrunkRow) => {
		const response = renderTrunk(row);
		if (row.auth.mode !== "digest" || response.auth === undefined) return response;
		return { ...response, auth: { ...response.auth, password: row.auth.password } };
	};

	const isGenerated = (sent: AuthRequest | undefined, before?: TrunkAuth): boolean =>
		sent?.mode === "digest" && sent.password === undefined && before?.mode !== "digest";

	return handlersOf({
		listTrunks: ({ query }) => {
			const users = usersByObject(service, "trunks");
			return pageOf(service, "trunks", query, {
				rows: seenBy("list", service, trunks),
				render: (row) => renderTrunk(row, users),
			});
		},

		createTrunk: ({ body }) => {
			const row = createTrunk(service, body);
			return isGenerated(body.auth) ? renderWithPassword(row) : renderTrunk(row);
		},

		getTrunk: ({ id }) => renderTrunk(findRow(service, "trunks", id, seenBy("get", service, trunks))),

		patchTrunk: ({ id, body }) => {
			const row = findRow(service, "trunks", id);
			checkCapacity(service, body.capacity);
			checkAllowList(service, body.auth);
			const changed = editTrunk(service, row, (draft) => applyTrunkPatch(service, draft, body));
			return isGenerated(body.auth, row.auth) ? renderWithPassword(changed) : renderTrunk(changed);
		},

		deleteTrunk: ({ id }) => {
			findRow(service, "trunks", id);
			assertUnused(service, "trunks", id);
			trunks.delete(id);
			return undefined;
		},

		rotatePassword: ({ id }) => {
			const row = findRow(service, "trunks", id);
			const { auth } = row;
			if (auth.mode !== "digest") {
				throw new ServiceError("bad_request", `Trunk ${id} authenticates by IP address: it has no password to rotate.`);
			}
			return renderWithPassword(
				editTrunk(service, row, (draft) => {
					draft.auth = { ...auth, password: newPassword(service.random), password_updated_at: timeOf(service) };
				}),
			);
		},
	});
};
