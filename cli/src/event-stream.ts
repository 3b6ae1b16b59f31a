/** Server-sent events, which the server uses to stream a run. */
import { ApiError } from "@millrace/client";
import { readCredentials } from "./credentials.ts";
import { connection } from "./command.ts";

export interface StreamedEvent {
  readonly name: string;
  readonly data: unknown;
}

/** The events of a stream until it ends. */
export async function* readStream(
  path: string,
  { environment = "production", signal }: { environment?: string; signal: AbortSignal },
): AsyncGenerator<StreamedEvent> {
  const { token, workspace } = readCredentials();
  const within = connection(environment);
  const answer = await fetch(`${within.baseUrl.replace(/\/$/, "")}${path}`, {
    signal,
    headers: {
      accept: "text/event-stream",
      authorization: `Bearer ${token}`,
      "x-workspace": workspace,
      "x-environment": within.environment,
    },
  });
  if (!answer.ok || !answer.body) {
    throw new ApiError(answer.status, (await answer.json().catch(() => ({}))) as object);
  }
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const event = parseFrame(text.slice(0, end));
      text = text.slice(end + 2);
      if (event) yield event;
    }
  }
}

/** Undefined for a comment or a `retry` frame. */
function parseFrame(frame: string): StreamedEvent | undefined {
  const fields = frame.split("\n").map((line) => /^(\w+): ?(.*)$/.exec(line));
  const name = fields.find((field) => field?.[1] === "event")?.[2];
  const data = fields.flatMap((field) => (field?.[1] === "data" ? [field[2] ?? ""] : []));
  if (data.length === 0) return undefined;
  return { name: name ?? "message", data: JSON.parse(data.join("\n")) as unknown };
}
