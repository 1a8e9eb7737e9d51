/** New values for some properties. Undefined leaves a value unchanged; null is a value. */
export type Changes<Base> = { readonly [Key in keyof Base]?: Base[Key] | undefined };

export const merge = <Base extends object>(base: Base, patch: Changes<Base>): Base => ({
	...base,
	...(Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as Partial<Base>),
});

/** True if a patch changes only the reference, which is possible in any state. */
export const isBookkeeping = (patch: object): boolean => Object.keys(patch).every((name) => name === "reference");
