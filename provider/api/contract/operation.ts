import type { z } from "zod";
import type { Feature } from "./features";
import type { Origin } from "./schema";

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
	/** Absent where the answer has no body, or one that isn't JSON. */
	readonly answer?: z.ZodType;
	/** Media type of an answer that isn't JSON; a service may choose another one. */
	readonly media?: string;
}
