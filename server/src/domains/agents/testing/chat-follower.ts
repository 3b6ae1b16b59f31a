/** A chat's answer as a program follows it. */
export interface Frame {
  readonly id?: string;
  readonly event: string;
  readonly data: any;
}

/** Follows an answer over a real connection, from an id on. */
export async function followChat(address: string, sessionId: string, lastEventId?: string) {
  const cutter = new AbortController();
  const response = await fetch(`${address}?sessionId=${sessionId}`, {
    signal: cutter.signal,
    headers: { ...(lastEventId !== undefined && { "last-event-id": lastEventId }) },
  });
  const frames: Frame[] = [];
  const ended = (async () => {
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const parts = text.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const [, id, event, data] = /^(?:id: (.*)\n)?event: (\w+)\ndata: (.*)$/.exec(part) ?? [];
        if (!event || !data) continue;
        frames.push({ ...(id !== undefined && { id }), event, data: JSON.parse(data) });
      }
    }
  })();
  // The caller that cut the stream handles the error.
  ended.catch(() => undefined);
  const cut = async (): Promise<void> => {
    cutter.abort();
    await ended.catch(() => undefined);
  };
  return { status: response.status, frames, ended, cut };
}

/** The text shown to a reader who applies the frames. */
export function shownOf(frames: readonly Frame[], before = ""): string {
  let shown = before;
  for (const { event, data } of frames) {
    if (event === "text") shown = shown.slice(0, data.from) + data.text;
  }
  return shown;
}
