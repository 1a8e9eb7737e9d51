import type { z } from "zod";
import { mapValues } from "../json";
import type { Feature } from "./features";
import { listQuery, type Origin, page } from "./schema";

export interface Operation {
	readonly method: "GET" | "POST" | "PATCH" | "DELETE";
	/** Relative to the base URL; `{id}` stands for one path segment. */
	readonly path: string;
	readonly origin: Origin;
	/** The feature without which the service doesn't offer this operation; none for the seed's two. */
	readonly feature?: Feature;
	readonly query?: z.ZodObject;
	readonly body?: z.ZodType;
	/** Largest body, bytes. @default 1 MiB */
	readonly maxBody?: number;
	readonly status: number;
	/** True for a write whose response may lack the object: a GET shows the result. */
	readonly isBodyOptional?: boolean;
	/** Absent if the response has no body, or one that isn't JSON. */
	readonly response?: z.ZodType;
	/** Media type of a response that isn't JSON; a service may choose another one. */
	readonly media?: string;
}

/** Without filters if none are given. */
export const list = <R extends z.ZodType, F extends z.core.$ZodLooseShape = object>(
	path: string,
	item: R,
	filters: () => F = () => ({}) as F,
) => ({ method: "GET", path, query: listQuery(filters), status: 200, response: page(item) }) as const;

export const get = <R extends z.ZodType>(path: string, response: R) =>
	({ method: "GET", path, status: 200, response }) as const;

export const create = <B extends z.ZodType, R extends z.ZodType>(path: string, body: B, response: R) =>
	({ method: "POST", path, body, status: 201, response }) as const;

export const patch = <B extends z.ZodType, R extends z.ZodType>(path: string, body: B, response: R) =>
	({ method: "PATCH", path, body, status: 200, isBodyOptional: true, response }) as const;

export const remove = (path: string) => ({ method: "DELETE", path, status: 204, isBodyOptional: true }) as const;

/** A POST that changes the status of an object. */
export const act = <R extends z.ZodType>(path: string, response: R) =>
	({ method: "POST", path, status: 200, isBodyOptional: true, response }) as const;

/** A POST whose response is needed. */
export const post = <R extends z.ZodType>(path: string, response: R) =>
	({ method: "POST", path, status: 200, response }) as const;

/** The operations of a part of the contract that a service may lack. */
export const ofFeature = <F extends Feature, const T extends Readonly<Record<string, Omit<Operation, "origin">>>>(
	feature: F,
	operations: T,
) =>
	mapValues(operations, (operation) => ({ origin: "assumed", feature, ...operation })) as {
		readonly [N in keyof T]: T[N] & { readonly origin: "assumed"; readonly feature: F };
	};
