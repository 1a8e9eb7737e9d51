import type { z } from "zod";
import { secretFields } from "../../provider/api/contract";
import type { Service } from "../service/service";

/** The properties of an open response without its index signature. */
type Named<Record> = keyof { [Name in keyof Record as string extends Name ? never : Name]: 1 };

/**
 * Makes records of rows: a record has the row's properties that its schema has, without secrets, and `reference` only if
 * the service offers it.
 */
export const recordOf = <Record>(schema: z.ZodType<Record>) => {
	const names = Object.keys((schema as unknown as z.ZodObject).shape).filter((name) => !secretFields.has(name));
	return <Row extends object>({ settings }: Service, row: Row): Pick<Row, Extract<keyof Row, Named<Record>>> => {
		const picked: { [name: string]: unknown } = {};
		for (const name of names) if (name in row) picked[name] = row[name as keyof Row];
		if (!settings.features.reference) delete picked.reference;
		return picked as Pick<Row, Extract<keyof Row, Named<Record>>>;
	};
};
