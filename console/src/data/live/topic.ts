/**
 * Subscribes to one custom topic while a component is mounted. These topics are not on the stream shared by all
 * tabs.
 */
import type { LogEvent } from "./live.ts";
import { readStream } from "./stream.ts";

const WAIT_MS = 1_000;

export function followTopic(topic: string, listener: (event: LogEvent) => void): () => void {
  const control = new AbortController();
  const { signal } = control;
  const path = `/api/v1/events/topics/${encodeURIComponent(topic)}/stream`;
  let after: string | undefined;
  const each = (frame: { readonly event: string; readonly data: string }): void => {
    if (frame.event === "") return;
    const event = JSON.parse(frame.data) as LogEvent;
    after = event.id;
    listener(event);
  };
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      if ((await readStream(path, { after, each, signal })) === "refused") return;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  };
  void follow();
  return () => control.abort();
}
