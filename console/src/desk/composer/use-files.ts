import { useState } from "react";
import type { OperationId } from "../../data/api.ts";
import { uploadFile } from "../../data/files/files.ts";
import { attempt } from "../../data/use-command.ts";
import { KINDS, type Ticket } from "../ticket-kind.ts";
import { sendTo } from "../ticket/use-acts.ts";

export interface WaitingFile {
  readonly key: number;
  readonly name: string;
  readonly fileId: string | undefined;
}

let lastKey = 0;

/** Pasted or dropped files: uploaded immediately, and attached when the message is sent. */
export function useFiles({ kind, id }: Pick<Ticket, "kind" | "id">) {
  const [files, setFiles] = useState<readonly WaitingFile[]>([]);
  const drop = (key: number): void => setFiles((old) => old.filter((one) => one.key !== key));
  const add = (chosen: readonly File[]): void => {
    for (const file of chosen) {
      const key = (lastKey += 1);
      setFiles((old) => [...old, { key, name: file.name || "picture.png", fileId: undefined }]);
      void attempt(() => uploadFile(file)).then((sent) =>
        setFiles((old) =>
          sent
            ? old.map((one) => (one.key === key ? { ...one, fileId: sent.id } : one))
            : old.filter((one) => one.key !== key),
        ),
      );
    }
  };
  const attachAll = async (isInternal: boolean): Promise<void> => {
    const op = `${KINDS[kind].path}.add_attachment` as OperationId;
    for (const { key, fileId, name } of files) {
      if (fileId === undefined) continue;
      await sendTo(op, id, { fileId, name, internal: isInternal });
      drop(key);
    }
  };
  return { files, add, drop, attachAll, isSending: files.some((one) => one.fileId === undefined) };
}
