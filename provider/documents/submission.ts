/** The write of an object that is submitted with documents: it uploads them, changes the object, and submits it. */
import type { Run, WriteTarget } from "../lifecycle/definition";
import type { Write } from "../lifecycle/write";
import type { Values } from "../properties/table";
import { documentOutputs, uploadDocuments, type WithDocuments } from "./upload";

interface Submission<R> {
	/** True for a draft, which every write submits. */
	isDraft(record: R): boolean;
	/** True if the service rejected the object: a write that corrects it submits it again. */
	isRejected(record: R): boolean;
	submit(record: R): Promise<R>;
}

export async function writeAndSubmit<R extends WithDocuments>(
	run: Run<R>,
	write: Write<R>,
	target: WriteTarget<R>,
	{ isDraft, isRejected, submit }: Submission<R>,
): Promise<void> {
	const { olds, start } = target;
	const { uploaded, unsubmitted } = olds;
	write.kept = { uploaded, unsubmitted };
	const upload = await uploadDocuments(run, target, start);
	// Stays in the state if the correction fails before it is submitted.
	write.kept = { uploaded: upload.uploaded, unsubmitted: true };
	try {
		const isCorrected = (await write.send(upload.body)) || unsubmitted === true;
		if (isDraft(write.record) || (isCorrected && isRejected(write.record)))
			write.record = await write.request(() => submit(write.record));
		write.kept = { uploaded: upload.uploaded };
	} finally {
		run.operations.reads.wrote(start.id, write.record);
	}
}

export const submissionOutputs = (record: WithDocuments, state: Values, isRejected: boolean): Values => ({
	...documentOutputs(record, state),
	...(isRejected && state.unsubmitted === true ? { unsubmitted: true } : {}),
});
