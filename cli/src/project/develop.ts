import { ApiError, type Client } from "@millrace/client";
import { CommandError } from "../usage.ts";
import { applyProject, type ApplyOptions, describeChanges } from "./project.ts";
import { watchFolder } from "./watch-folder.ts";

/** Applies a folder on each save and prints the changes or problems, until the signal. */
export async function developProject(
  client: Client,
  folder: string,
  about: Omit<ApplyOptions, "isPlan"> & {
    readonly signal: AbortSignal;
    readonly tell: (line: string) => void;
  },
): Promise<void> {
  const { signal, tell, ...options } = about;
  let last = "";
  await watchFolder(folder, {
    signal,
    work: async () => {
      const lines = await applyProject(client, folder, { ...options, isPlan: false }).then(
        describeChanges,
        explain,
      );
      // Unchanged output, such as a problem that remains, is printed once.
      const text = lines.join("\n");
      if (text !== last) for (const line of lines) tell(line);
      last = text;
    },
  });
}

/** Prints errors that the user can fix and continues. Other errors are bugs. */
function explain(error: unknown): string[] {
  if (error instanceof CommandError) return error.message.split("\n");
  if (error instanceof ApiError) return [`${error.message} (${error.status} ${error.code})`];
  if (error instanceof TypeError && error.cause instanceof Error) {
    return [`Can't reach the server: ${error.cause.message}`];
  }
  throw error;
}
