/** Uploads of selected files, with busy state and error, for fields that take files. */
import { useRunner } from "../../ui/behaviour/runner.ts";
import { describeRefusal } from "../change.ts";

export interface Upload<T> {
  /** Resolves to undefined if a file could not be uploaded. */
  readonly send: (files: readonly File[]) => Promise<readonly T[] | undefined>;
  readonly isBusy: boolean;
  readonly problem: string | undefined;
}

export function useUpload<T>(upload: (file: File) => Promise<T>): Upload<T> {
  const { run, isBusy, error } = useRunner();
  return {
    isBusy,
    problem: error === undefined ? undefined : describeRefusal(error),
    send: async (files) => {
      let sent: readonly T[] | undefined;
      await run(async () => {
        sent = await Promise.all(files.map(upload));
      });
      return sent;
    },
  };
}
