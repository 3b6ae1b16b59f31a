import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** The data received on a raw connection until its end or the timeout. */
export interface Heard {
  readonly text: string;
  readonly how: "end" | "reset" | "still open";
  readonly afterMs: number;
}

/** A raw connection to the product. */
export interface Wire {
  readonly socket: Socket;
  /** The data received so far. */
  heard(): string;
  /** Waits for the end of the connection, or the timeout. */
  end(limitMs: number): Promise<Heard>;
  /** Waits for this number of responses, or the timeout. */
  answers(count: number, limitMs: number): Promise<readonly number[]>;
}

/** Opens a connection for sending any bytes. */
export async function wire(port: number, localAddress?: string): Promise<Wire> {
  const options = { port, host: "127.0.0.1", allowHalfOpen: true };
  const socket = connect(localAddress === undefined ? options : { ...options, localAddress });
  const openedAt = performance.now();
  let text = "";
  let how: Heard["how"] = "still open";
  let endedAt = openedAt;
  socket.on("data", (chunk) => (text += chunk.toString("latin1")));
  const over = new Promise<void>((resolve) => {
    const end = (reason: Heard["how"]) => () => {
      if (how === "still open") endedAt = performance.now();
      if (how === "still open") how = reason;
      resolve();
    };
    socket.on("end", end("end"));
    socket.on("error", end("reset"));
    socket.on("close", end("reset"));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", () => resolve());
    socket.once("error", reject);
  });
  return {
    socket,
    heard: () => text,
    async end(limitMs) {
      await Promise.race([over, pause(limitMs, undefined, { ref: false })]);
      if (how === "still open") endedAt = performance.now();
      const result = { text, how, afterMs: Math.round(endedAt - openedAt) };
      socket.destroy();
      return result;
    },
    async answers(count, limitMs) {
      const limit = performance.now() + limitMs;
      while (statusesIn(text).length < count && performance.now() < limit) await pause(10);
      return statusesIn(text);
    },
  };
}

/** The statuses of the responses in the received text. */
export function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** The raw text of a request. */
export function requestOf(
  route: string,
  { token, body, headers = [] }: { token?: string | undefined; body?: string; headers?: string[] },
): string {
  return [
    `${route} HTTP/1.1`,
    "Host: 127.0.0.1",
    "X-Workspace: default",
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === undefined
      ? []
      : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
    ...headers,
    "",
    body ?? "",
  ].join("\r\n");
}
