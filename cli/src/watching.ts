import { watch } from "node:fs";
import type { Client } from "@millrace/client";
import { push, type Pushed, test, type Tested } from "./artifacts.ts";
import { readFolder } from "./folder.ts";

/** Editors write a file in several steps; what belongs together comes within this time. */
const GATHER_MS = 150;

export interface Round {
  readonly pushed: readonly Pushed[];
  readonly tested: readonly Tested[];
}

/** Pushes each change in a folder and runs the tests of what changed, until the signal. */
export async function develop(
  client: Client,
  folder: string,
  { signal, tell }: { readonly signal: AbortSignal; readonly tell: (round: Round) => void },
): Promise<void> {
  let wake: (() => void) | undefined;
  let changed = true;
  const watcher = watch(folder, { recursive: true, signal }, () => {
    changed = true;
    wake?.();
  });
  watcher.on("error", () => wake?.());
  signal.addEventListener("abort", () => wake?.(), { once: true });
  while (!signal.aborted) {
    if (!changed) await new Promise<void>((resolve) => (wake = resolve));
    if (signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    changed = false;
    const round = await once(client, folder);
    if (round.pushed.length > 0) tell(round);
  }
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
