/** A program in which every property is declared somewhere: what edits are tried on. */
import type { Declared, Program, Size } from "./program.mts";
import type { Random } from "./random.mts";

/** Of every kind some, in every combination of declared properties that chance brings up. */
export function driftProgram({ numbers, trunks, webhooks }: Size, random: Random): Program {
	const some = (property: string, value: unknown, probability = 0.5) =>
		random.chance(probability) ? { [property]: value } : {};
	const described = (text: string) => ({
		...some("label", text, 0.7),
		...some("metadata", { team: random.pick(["sales", "support"]), site: text }),
	});
	const named = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
	const trunkNames = named("trunk", trunks);

	const aTrunk = (name: string): Declared => ({
		kind: "sipTrunk",
		name,
		args: {
			auth: random.pick([
				{ mode: "ip_acl", allowedCidrs: ["198.51.100.0/25", "198.51.100.200"] },
				{ mode: "digest", username: `pbx-${name}` },
				{ mode: "digest", username: `own-${name}`, password: `declared-password-of-${name}` },
			]),
			capacity: random.int(1, 500),
			...some("metadata", { team: random.pick(["sales", "support"]), site: name }),
			...some("callsPerSecond", random.int(1, 40)),
			...some("targets", [{ host: "SBC1.example.com", port: 5062 }, { host: "sbc2.example.com" }]),
			...some("mediaEncryption", random.pick(["none", "srtp"])),
			...some("codecs", ["opus", "PCMA"]),
			...some("enabled", random.chance(0.5), 0.3),
		},
	});
	const aWebhook = (name: string): Declared => ({
		kind: "webhook",
		name,
		args: {
			url: `https://Hooks.example.com/${name}`,
			events: random.pick([["message.received"], ["call.completed", "message.received"], ["*"]]),
			...some("description", `events of ${name}`),
			...some("enabled", random.chance(0.5), 0.3),
		},
	});
	const aNumber = (name: string): Declared => {
		const country = random.pick(["NL", "SE", "GB", "DE", "FR"]);
		const toTrunk = trunkNames.length > 0 && random.chance(0.4);
		const failover = random.chance(0.5) ? { failover: { type: "forward", to: "+46 8 123 456 78" } } : {};
		const routing = {
			...random.pick<Record<string, unknown>>([
				{ type: "forward", to: "+46887654321" },
				{ type: "sip_uri", uri: "SIP:Desk@PBX.example.com;Transport=TLS" },
				{ type: "webhook", url: "https://Voice.example.com:443/answer/" },
				{ type: "agent", agentId: "agt_reception" },
			]),
			...some("ringTimeoutSeconds", random.int(5, 60)),
			...failover,
		};
		return {
			kind: "number",
			name,
			args: {
				country,
				type: "mobile",
				...(toTrunk ? {} : some("routing", routing, 0.8)),
				...some("smsWebhookUrl", `https://hooks.example.com/sms/${name}`),
				...described(`desk of ${name}`),
				...some("releaseProtection", random.chance(0.5), 0.4),
				...(country === "DE" || country === "FR" ? some("kycProfileId", "kyp_company") : {}),
			},
			...(toTrunk ? { trunk: random.pick(trunkNames) } : {}),
		};
	};
	return [
		...trunkNames.map(aTrunk),
		...named("hook", webhooks).map(aWebhook),
		...named("number", numbers).map(aNumber),
	];
}
