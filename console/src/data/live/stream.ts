/** Server-sent events with `fetch`, which can send workspace, environment and last event id as headers. */
import { BASE_PATH, place } from "../place.ts";

export interface Frame {
  readonly event: string;
  readonly data: string;
}

interface StreamOptions {
  readonly after?: string | undefined;
  readonly each: (frame: Frame) => void;
  readonly opened?: () => void;
  readonly signal?: AbortSignal;
}

/** Reads a stream to its end. `refused` is final, `ended` may be retried. */
export async function readStream(
  path: string,
  { after, each, opened, signal }: StreamOptions,
): Promise<"ended" | "refused"> {
  try {
    const response = await fetch(`${BASE_PATH}${path}`, {
      headers: {
        accept: "text/event-stream",
        ...(place.workspace !== undefined && { "x-workspace": place.workspace }),
        "x-environment": place.environment,
        ...(after !== undefined && { "last-event-id": after }),
      },
      ...(signal && { signal }),
    });
    if (response.status >= 400 && response.status < 500 && response.status !== 429) {
      return "refused";
    }
    if (!response.ok || !response.body) return "ended";
    opened?.();
    await readFrames(response.body, each);
  } catch {
    // The connection broke or was aborted: the caller retries.
  }
  return "ended";
}

async function readFrames(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  each: (frame: Frame) => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const frames = (rest + value).split("\n\n");
    rest = frames.pop() ?? "";
    for (const text of frames) {
      const frame = parseFrame(text);
      if (frame) each(frame);
    }
  }
}

/** Parses a frame with data; returns undefined for comments and `retry`. */
export function parseFrame(text: string): Frame | undefined {
  const lines = text.split("\n");
  const data = lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice(6));
  if (data.length === 0) return undefined;
  const event = lines.find((line) => line.startsWith("event: "))?.slice(7) ?? "";
  return { event, data: data.join("\n") };
}
