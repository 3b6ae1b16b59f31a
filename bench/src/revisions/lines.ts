import { connect, type Socket } from "node:net";
import { AnswerBuffer, type Target } from "../load.ts";

/** Both sides run at once, so this is half of the other benchmarks' value. */
const CONNECTIONS = 8;
const ANSWER_MAX_MS = 60_000;

/**
 * Keep-alive connections that stay open between rounds, because opening them would be a large part of such short
 * rounds.
 */
export class Lines {
  readonly #target: Target;
  readonly #lines: Line[] = [];

  private constructor(target: Target) {
    this.#target = target;
  }

  static async open(target: Target): Promise<Lines> {
    const lines = new Lines(target);
    for (let n = 0; n < CONNECTIONS; n += 1) lines.#lines.push(await Line.open(target.port));
    return lines;
  }

  /** Sends this number of requests, sequentially on each connection. Rejects at the first wrong response. */
  async repeat(count: number): Promise<void> {
    const { next, status } = this.#target;
    let left = count;
    const talk = async (line: Line): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const answered = await line.ask(next());
        if (answered !== status) throw new Error(`Expected ${status}, got:\n${line.answer}`);
      }
    };
    await Promise.all(this.#lines.map(talk));
  }

  close(): void {
    for (const line of this.#lines) line.close();
  }
}

/** One connection. */
class Line {
  readonly #answers = new AnswerBuffer();
  readonly #socket: Socket;
  #asked: PromiseWithResolvers<number> | undefined;

  private constructor(port: number) {
    this.#socket = connect({
      host: "127.0.0.1",
      port,
      noDelay: true,
      onread: { buffer: () => this.#answers.free, callback: (size) => this.#hear(size) },
    });
    this.#socket.once("error", (error) => this.#asked?.reject(error));
    this.#socket.once("end", () =>
      this.#asked?.reject(new Error("The server closed a connection that was in use.")),
    );
  }

  static async open(port: number): Promise<Line> {
    const line = new Line(port);
    await new Promise((resolve, reject) => {
      line.#socket.once("connect", resolve).once("error", reject);
    });
    line.#socket.setTimeout(ANSWER_MAX_MS, () => {
      if (line.#asked) line.#socket.destroy(new Error("No answer came in time."));
    });
    return line;
  }

  get answer(): string {
    return this.#answers.text;
  }

  ask(request: string): Promise<number> {
    this.#asked = Promise.withResolvers();
    this.#socket.write(request, "latin1");
    return this.#asked.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #hear(size: number): boolean {
    const status = this.#answers.take(size);
    if (status === undefined) return true;
    const asked = this.#asked;
    this.#asked = undefined;
    asked?.resolve(status);
    return true;
  }
}
