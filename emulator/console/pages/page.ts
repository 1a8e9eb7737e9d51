import type { Service } from "../../service/service";
import type { Html } from "../html";

/** What a page is rendered from. */
export interface Viewing {
	readonly service: Service;
	/** Id of the object that the page is about; empty on lists. */
	readonly id: string;
	readonly query: URLSearchParams;
}

export interface Page {
	readonly title: string;
	/** Shown under the title. */
	readonly about?: Html | string;
	readonly body: Html;
}

/** One entry of the navigation: a list, and a page for each of its items. */
export interface Section {
	readonly title: string;
	/** Shown beside the title. */
	readonly count?: (service: Service) => number;
	readonly list: (viewing: Viewing) => Page;
	readonly item?: (viewing: Viewing) => Page;
}
