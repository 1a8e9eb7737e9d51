/** New values for some properties: omitted and undefined leave a value unchanged, null is a value. */
export type Changes<Base> = { readonly [Key in keyof Base]?: Base[Key] | undefined };

export const merge = <Base extends object>(base: Base, patch: Changes<Base>): Base => ({
	...base,
	...(Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as Partial<Base>),
});

/** Whether a patch carries nothing but the reference, which names the owner of the object and may be written at any time. */
export const isBookkeeping = (patch: object): boolean => Object.keys(patch).every((name) => name === "reference");
