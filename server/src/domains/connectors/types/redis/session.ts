import type { Socket } from "node:net";
import type { UpstreamConnection } from "../../upstream/connection.ts";
import { closedAtDeadline, withDeadline } from "../../upstream/deadline.ts";
import { openStream, streamError } from "../../upstream/guarded-stream.ts";
import { RESPONSE_BYTES_MAX } from "../../upstream/http.ts";
import { type Session, withSession } from "../../upstream/session-pool.ts";
import { UpstreamError } from "../../upstream/upstream-error.ts";
import type { RedisConfig } from "./config.ts";
import { encodeCommand, RespDecoder, RespError, RespViolation, type Reply } from "./resp.ts";

type RedisConnection = UpstreamConnection<RedisConfig>;

/** Error prefixes of a server that is temporarily unavailable. */
const DOWN = /^(LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|ERR max number of clients)\b/;

/** One signed-in connection; handles one command at a time. */
class RedisSession implements Session {
  readonly #stream: Socket;
  readonly #decoder = new RespDecoder(RESPONSE_BYTES_MAX);
  #answer: PromiseWithResolvers<Reply> | undefined;
  #failed: unknown;

  constructor(stream: Socket, at: string) {
    this.#stream = stream;
    stream.on("data", (chunk: Buffer) => this.#take(chunk));
    stream.on("error", (error) => this.#fail(streamError(error, at)));
    stream.on("close", () => this.#fail(brokenError(at)));
  }

  get isOpen(): boolean {
    return this.#failed === undefined;
  }

  async send(args: readonly string[]): Promise<Reply> {
    if (this.#failed !== undefined) throw this.#failed;
    this.#answer = Promise.withResolvers<Reply>();
    this.#stream.write(encodeCommand(args));
    return this.#answer.promise;
  }

  close(): void {
    this.#stream.destroy();
  }

  #take(chunk: Buffer): void {
    try {
      for (const reply of this.#decoder.push(chunk)) {
        // An unrequested reply would be taken for the reply to the next command.
        if (!this.#answer) throw new RespViolation("The server sent more data than requested.");
        this.#answer.resolve(reply);
        this.#answer = undefined;
      }
    } catch (error) {
      const words = error instanceof RespViolation ? error.message : "It can't be read.";
      this.#fail(new UpstreamError(words, { isDown: true }));
      this.close();
    }
  }

  #fail(error: unknown): void {
    this.#failed ??= error;
    this.#answer?.reject(error);
    this.#answer = undefined;
  }
}

/** Sends one command without session state, and returns its reply. */
export function runCommand(
  connection: RedisConnection,
  ...args: readonly string[]
): Promise<Reply> {
  return withSession(connection, { open: openSession }, (session) =>
    ask(connection, session, args),
  );
}

/** Sends one command of any kind on a separate connection, because it may subscribe or start a transaction. */
export async function runAnyCommand(
  connection: RedisConnection,
  args: readonly string[],
): Promise<Reply> {
  const session = await openSession(connection);
  const stop = (): void => session.close();
  connection.deadline.signal.addEventListener("abort", stop, { once: true });
  try {
    return await withDeadline(connection.deadline, ask(connection, session, args));
  } finally {
    connection.deadline.signal.removeEventListener("abort", stop);
    session.close();
  }
}

async function ask(
  connection: RedisConnection,
  session: RedisSession,
  args: readonly string[],
): Promise<Reply> {
  const reply = await session.send(args);
  if (reply instanceof RespError) throw refusal(connection, reply);
  return reply;
}

async function openSession(connection: RedisConnection): Promise<RedisSession> {
  const { config, auth } = connection;
  const session = new RedisSession(await openStream(connection, "redis"), `redis ${config.host}`);
  const hello: string[][] = [];
  if (auth.kind === "basic") {
    const { username, password } = auth;
    // Servers before version 6 do not support user names.
    hello.push(["AUTH", ...(username === "" ? [] : [username]), password]);
  }
  if (config.database > 0) hello.push(["SELECT", String(config.database)]);
  await closedAtDeadline(connection.deadline, session, async () => {
    for (const command of hello) await ask(connection, session, command);
  });
  return session;
}

function refusal({ scrubber }: RedisConnection, { message }: RespError): UpstreamError {
  const [code = ""] = message.split(" ", 1);
  return new UpstreamError(
    scrubber.scrub(`The server returned an error: ${message.slice(0, 500)}`),
    {
      ...(/^[A-Z]+$/.test(code) && { code }),
      isDown: DOWN.test(message),
    },
  );
}

function brokenError(at: string): UpstreamError {
  return new UpstreamError(`${at}: the connection was closed`, { isDown: true });
}
