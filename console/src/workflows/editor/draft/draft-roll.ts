/** Pages of this browser tell each other which drafts they have open. Web Locks would, too, but not over plain HTTP. */
const CHANNEL = "millrace-drafts";
/** A page in the background answers in a few milliseconds; one that is frozen keeps its draft in memory. */
const ANSWER_MS = 250;

interface Message {
  readonly kind: "asked" | "held";
  readonly name: string;
}

/** Answers for a draft as long as it is open. */
export function holdDraft(name: string): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (data.kind !== "asked" || !name.startsWith(data.name)) return;
    channel.postMessage({ kind: "held", name } satisfies Message);
  });
  return () => channel.close();
}

/** Names of drafts that other pages have open. */
export async function callRoll(prefix: string): Promise<ReadonlySet<string>> {
  const held = new Set<string>();
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (data.kind === "held") held.add(data.name);
  });
  channel.postMessage({ kind: "asked", name: prefix } satisfies Message);
  await new Promise((answered) => setTimeout(answered, ANSWER_MS));
  channel.close();
  return held;
}
