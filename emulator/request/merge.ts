/** The base with what the patch defines: omitted and undefined leave a value unchanged, null is a value. */
export const merge = <Base extends object>(
	base: Base,
	patch: { readonly [Key in keyof Base]?: Base[Key] | undefined },
): Base => ({
	...base,
	...(Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as Partial<Base>),
});
