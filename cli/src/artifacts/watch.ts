import type { Client } from "@millrace/client";
import { push, type Pushed, test, type Tested } from "./sync.ts";
import { watchFolder } from "../project/watch-folder.ts";
import { readFolder } from "./folder.ts";

export interface Round {
  readonly pushed: readonly Pushed[];
  readonly tested: readonly Tested[];
}

/** Pushes each change in a folder and runs the tests of changed artifacts, until the signal. */
export async function develop(
  client: Client,
  folder: string,
  { signal, tell }: { readonly signal: AbortSignal; readonly tell: (round: Round) => void },
): Promise<void> {
  await watchFolder(folder, {
    signal,
    work: async () => {
      const round = await once(client, folder);
      if (round.pushed.length > 0) tell(round);
    },
  });
}

async function once(client: Client, folder: string): Promise<Round> {
  const artifacts = readFolder(folder);
  const pushed = (await push(client, artifacts, {})).filter(({ what }) => what !== "unchanged");
  const saved = new Set(
    pushed.filter(({ what }) => what === "created" || what === "updated").map(({ path }) => path),
  );
  const tested = await test(
    client,
    readFolder(folder).filter(({ path }) => saved.has(path)),
  );
  return { pushed, tested };
}
