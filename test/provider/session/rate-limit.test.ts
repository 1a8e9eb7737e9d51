/** Many numbers at a service that limits the rate of requests: all are made, few requests are refused, and people see why it takes long. */
import { describe, expect, test, vi } from "vitest";
import { systemClock } from "../../../provider/api/clock";
import { Session } from "../../../provider/session/session";
import { useEmulator } from "../../helpers/emulator";
import { aNumber, create, openProvider } from "../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });

describe.each([
	["doesn't say what it allows", false, 0.05],
	["says what it allows", true, 0.02],
])("a service that takes 100 requests a second, and %s", (_, rateLimitHeaders, mostRefused) => {
	test("sells 150 numbers to one run", async () => {
		emulator.control.settings({ requestsPerSecond: 100, requestBurst: 20, rateLimitHeaders });
		const { number } = openProvider(emulator, { clock: systemClock });
		const names = Array.from({ length: 150 }, (_, index) => `number${index}`);
		const made = await Promise.all(names.map((name) => create(number, aNumber({ label: "a" }, name))));
		expect(new Set(made.map(({ id }) => id)).size).toBe(150);
		const statuses = emulator.control.requests().map(({ status }) => status);
		const refused = statuses.filter((status) => status === 429).length;
		expect(refused / statuses.length).toBeLessThan(mostRefused);
	});
});

test("the status column says what a resource waits for", async () => {
	emulator.control.settings({ requestsPerSecond: 1, requestBurst: 1 });
	const session = new Session({
		env: { TELEPHONY_API_KEY: emulator.apiKey, TELEPHONY_BASE_URL: emulator.url },
	});
	session.configure(() => undefined);
	const { client } = await session.service();
	const reads = [1, 2, 3, 4].map(() => client.numbers.list().next());
	await vi.waitFor(() =>
		expect(session.waitingFor()).toMatch(
			/^the service (requests a pause of \d+ s|accepts about 1 requests a second), \d requests? /,
		),
	);
	emulator.control.settings({ requestsPerSecond: null });
	await Promise.all(reads);
	expect(session.waitingFor()).toBeUndefined();
});
