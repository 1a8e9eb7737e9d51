import type { Money } from "../../provider/api/contract";

/** Ten-thousandths of a dollar: whole numbers add up exactly. */
export type Units = number;

const perDollar = 10_000;
const perCent = perDollar / 100;

/** With two to four decimals. */
export const money = (units: Units): Money => {
	const [whole, places = ""] = (units / perDollar).toFixed(4).split(".");
	return { amount: `${whole}.${places.replace(/0{1,2}$/, "")}`, currency: "USD" };
};

/** Rounded to a whole cent. */
export const payable = (units: Units): Units => Math.round(units / perCent) * perCent;

export const unitsOf = ({ amount }: Money): Units => Math.round(Number(amount) * perDollar);

const monthly: Readonly<Record<string, Units>> = {
	geographic: 10_000,
	mobile: 20_000,
	toll_free: 30_000,
	national: 15_000,
};

/** Per month (UTC) in which the number is active. */
export const monthlyPrice = (type: string): Units => monthly[type] ?? 10_000;

/** Per part of an SMS. */
export const segmentPrice = { outbound: 75, inbound: 25 } as const;

/** Per started minute of an answered call. */
export const minutePrice = { outbound: 100, inbound: 40 } as const;

/** Per started minute of a recording. */
export const recordingPrice: Units = 25;

const setup = money(0);
const monthlyMoney = Object.fromEntries(Object.keys(monthly).map((type) => [type, money(monthlyPrice(type))]));

export const numberPrice = (type: string) => ({ setup, monthly: monthlyMoney[type] ?? money(monthlyPrice(type)) });
