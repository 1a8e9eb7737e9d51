/** A SIP trunk: who may send and receive calls (IP access list or digest), and how many at once. */
import { CreateTrunk, type TrunkRecord } from "../../api/contract";
import { at } from "../../api/json";
import type { Condition, Fix } from "../../drift/condition";
import { configured, configuredDrift } from "../../lifecycle/configured";
import type { Definition } from "../../lifecycle/definition";
import { onceUnused } from "../../lifecycle/unused";
import { parseUrn } from "../../ownership/claim";
import { boundsOf } from "../../properties/limits";
import { type CheckFailure, createBody, failure, isValid, liveValues, type Values } from "../../properties/table";
import { sipTrunkOutputs, sipTrunkProperties } from "./properties";

const nameOf = (record: TrunkRecord) => `${record.name ?? "trunk"} (${record.id})`;

export const sipTrunk: Definition<TrunkRecord> = {
	...configured("trunk", { properties: sipTrunkProperties, outputs: sipTrunkOutputs }, ({ trunks }) => trunks),
	secret: {
		output: "password",
		rotation: "passwordRotation",
		marker: "passwordUpdatedAt",
		markerOf: (record) => record.auth?.password_updated_at ?? undefined,
		exists: (values) => {
			const mode = at(values, "auth.mode");
			return mode === undefined ? undefined : mode === "digest";
		},
		findValue: (record) => record.auth?.password,
		operation: "rotatePassword",
		field: "auth.password",
		rotate: ({ client: { trunks } }, id) => trunks.rotatePassword(id),
		declared: ({ auth }) => {
			const { password } = (auth ?? {}) as { password?: unknown };
			return typeof password === "string"
				? { value: password, body: createBody(sipTrunkProperties, { auth }) }
				: undefined;
		},
		toBeDeclared: ({ auth }) => {
			const { mode, password } = (auth ?? {}) as { mode?: unknown; password?: unknown };
			return mode === "digest" && password == null ? "auth.password" : undefined;
		},
	},
	remove: (run, record) => onceUnused(run, record, "trunks", () => run.service.client.trunks.delete(record.id)),
	ifDeleted: "creates a new trunk, with another id, SIP domain and password",
	nameOf,
	// A trunk that is being set up isn't enabled yet.
	live: ({ enabled, ...record }) =>
		liveValues(sipTrunkProperties, {
			...record,
			...(record.status === "provisioning" && enabled === false ? {} : { enabled }),
		}),
	prepare: (news) =>
		news.name == null && typeof news.__resourceUrn === "string"
			? { ...news, name: parseUrn(news.__resourceUrn).name.slice(0, boundsOf(CreateTrunk.shape.name).most) }
			: news,
	condition,
	failures: (_, inputs) => misplacedRotation(inputs),
};

export const sipTrunkDrift = configuredDrift(sipTrunk, {
	outputs: sipTrunkOutputs,
	fix: "`pulumi up --refresh` creates a new one; give your equipment its SIP domain and password",
});

function condition({ status, enabled }: Values): Condition | undefined {
	if (status === "provisioning") {
		const fixes: Fix[] = [{ code: "wait", text: "the service finishes it by itself" }];
		return { kind: "waiting", goal: "active", status, fixes };
	}
	if (status !== "failed" && (status !== "disabled" || enabled === false)) return undefined;
	return {
		kind: "problem",
		goal: "active",
		status,
		fixes: [
			{ code: "restore", text: "check the trunk in the service's dashboard, or contact its support" },
			{ code: "accept", text: "set `enabled: false`, or remove it from the program" },
		],
	};
}

function misplacedRotation(inputs: Values): CheckFailure[] {
	const { auth, passwordRotation } = inputs;
	const { mode, password } = (auth ?? {}) as { mode?: unknown; password?: unknown };
	const isMisplaced = mode === "ip_acl" || (mode === "digest" && password !== undefined);
	if (passwordRotation === undefined || !isMisplaced || !isValid(sipTrunkProperties, "passwordRotation", inputs))
		return [];
	return [
		failure(
			"passwordRotation: it is only for a password that the service generates (auth.mode digest without `password`). Remove passwordRotation",
		),
	];
}
