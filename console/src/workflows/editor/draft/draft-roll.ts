/**
 * Pages of the same browser share which drafts they have open: through locks, which end with their page, or through
 * messages over plain HTTP, where locks are unavailable.
 */
const CHANNEL = "millrace-drafts";
/** Long enough for a background page to answer, and for a reloaded page to disappear. */
const ANSWER_MS = 250;

interface Message {
  readonly kind: "asked" | "held";
  readonly name: string;
}

/** Marks a draft as open until the returned function is called. */
export function holdDraft(name: string): () => void {
  return "locks" in navigator ? lockDraft(name) : answerFor(name);
}

/** Lists the open drafts with a prefix in all pages, including this one. */
export async function listHeld(prefix: string): Promise<ReadonlySet<string>> {
  if (!("locks" in navigator)) return callRoll(prefix);
  const first = await listLocks(prefix);
  if (first.length === 0) return new Set();
  await pause();
  return new Set(await listLocks(prefix));
}

function lockDraft(name: string): () => void {
  const left = new AbortController();
  const { signal } = left;
  const untilLeft = (): Promise<void> =>
    new Promise((leave) => {
      if (signal.aborted) leave();
      signal.addEventListener("abort", () => leave());
    });
  void navigator.locks.request(name, untilLeft);
  return () => left.abort();
}

async function listLocks(prefix: string): Promise<readonly string[]> {
  const { held = [] } = await navigator.locks.query();
  return held.flatMap(({ name = "" }) => (name.startsWith(prefix) ? [name] : []));
}

function answerFor(name: string): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (data.kind !== "asked" || !name.startsWith(data.name)) return;
    channel.postMessage({ kind: "held", name } satisfies Message);
  });
  return () => channel.close();
}

async function callRoll(prefix: string): Promise<ReadonlySet<string>> {
  const held = new Set<string>();
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (data.kind === "held") held.add(data.name);
  });
  channel.postMessage({ kind: "asked", name: prefix } satisfies Message);
  await pause();
  channel.close();
  return held;
}

const pause = (): Promise<void> => new Promise((over) => setTimeout(over, ANSWER_MS));
