/** Paths of operations, whose `{id}` may be a part of a segment, as in `/numbers/{id}.json` and `/numbers/{id}:release`. */

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** Returns a pattern of the whole path. */
export const patternOf = (path: string): RegExp => new RegExp(`^${path.split("{id}").map(escaped).join("[^/]+")}$`);

/** Returns the path in the router's language, which has parameters for whole segments only. */
export const routeOf = (path: string): string =>
	path
		.split("/")
		.map((segment) => {
			const [before = "", after] = segment.split("{id}");
			if (after === undefined) return segment;
			return before === "" && after === "" ? ":id" : `:id{${escaped(before)}[^/]+${escaped(after)}}`;
		})
		.join("/");

/** Returns the id in a segment that the router has found. */
export const idIn = (path: string, segment: string): string => {
	const [before = "", after = ""] =
		path
			.split("/")
			.find((part) => part.includes("{id}"))
			?.split("{id}") ?? [];
	return segment.slice(before.length, segment.length - after.length);
};

/** Orders routes so that `/numbers/{id}:release` comes before `/numbers/{id}`, which would match it too. */
export const bySpecificity = (a: { readonly path: string }, b: { readonly path: string }): number =>
	literalsBesideId(b.path) - literalsBesideId(a.path);

const literalsBesideId = (path: string): number =>
	(path.split("/").find((part) => part.includes("{id}")) ?? "{id}").length - "{id}".length;
