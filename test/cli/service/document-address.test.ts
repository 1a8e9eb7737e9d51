/** `telephony service init` prints no secret of the document's address. */
import { expect, test } from "vitest";
import { readDocument } from "../../../cli/service/document";
import { reply, useScriptedServer } from "../../helpers/scripted-server";

const server = useScriptedServer();

test.each([
	["a password", (url: string) => url.replace("//", "//user:hush@")],
	["a token", (url: string) => `${url}?token=hush&a=b c`],
])("the error of a document that can't be read hides %s", async (_, secret) => {
	server.script = (response) => reply(response, 404, "");
	const failed = await readDocument(secret(`${server.url}/openapi.json`)).catch((error: Error) => error);
	expect(failed).toMatchObject({ message: expect.stringContaining("/openapi.json") });
	expect(JSON.stringify([failed, (failed as Error).message])).not.toContain("hush");
});

test("the error of another document hides a token", async () => {
	server.script = (response) => reply(response, 200, { swagger: "2.0" });
	const failed = readDocument(`${server.url}/openapi.json?token=hush`);
	await expect(failed).rejects.toThrow(/\/openapi\.json isn't an OpenAPI/);
});
