import type pg from "pg";

/** The part of pg's connection that COPY needs; its types do not have it. */
interface CopyConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
  readonly stream: { pause(): void; resume(): void };
}

/** A query of one's own, as pg calls it. */
abstract class CopyQuery {
  readonly done: Promise<void>;
  protected connection: CopyConnection | undefined;
  readonly #text: string;
  #settle: { resolve: () => void; reject: (error: unknown) => void };
  #error: unknown;

  constructor(text: string) {
    this.#text = text;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.done = promise;
    this.#settle = { resolve, reject };
  }

  submit(connection: unknown): void {
    this.connection = connection as CopyConnection;
    this.connection.query(this.#text);
  }

  handleError(error: unknown): void {
    this.#error ??= error;
    this.#settle.reject(error);
  }

  handleReadyForQuery(): void {
    if (this.#error === undefined) this.#settle.resolve();
  }

  handleCommandComplete(): void {}
  handleCopyOutResponse(): void {}
  handleCopyInResponse(_: unknown): void {}
  handleCopyData(_: { readonly chunk: Buffer }): void {}
  handleRowDescription(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}

/** Rows in COPY's text form, whole. */
export interface RowBlock {
  readonly rows: number;
  readonly lines: Buffer;
}

type TakeBlock = (block: RowBlock) => Promise<void>;

class CopyOut extends CopyQuery {
  readonly #blockBytes: number;
  readonly #take: TakeBlock;
  #buffer: Buffer;
  #used = 0;
  #rows = 0;
  #taken: Promise<void> = Promise.resolve();
  failure: unknown;

  constructor(text: string, blockBytes: number, take: TakeBlock) {
    super(text);
    this.#blockBytes = blockBytes;
    this.#take = take;
    this.#buffer = Buffer.allocUnsafe(blockBytes + 65_536);
  }

  /** A row; its bytes belong to the parser and are overwritten by the next ones. */
  override handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    if (this.#used + chunk.length > this.#buffer.length) {
      const grown = Buffer.allocUnsafe((this.#used + chunk.length) * 2);
      this.#buffer.copy(grown, 0, 0, this.#used);
      this.#buffer = grown;
    }
    chunk.copy(this.#buffer, this.#used);
    this.#used += chunk.length;
    this.#rows += 1;
    if (this.#used >= this.#blockBytes) this.#pass();
  }

  async finish(): Promise<void> {
    await this.done;
    if (this.#rows > 0) this.#pass();
    await this.#taken;
    if (this.failure !== undefined) throw this.failure;
  }

  /** Nothing more is read from the server until the block was taken. */
  #pass(): void {
    const block = { rows: this.#rows, lines: this.#buffer.subarray(0, this.#used) };
    this.#buffer = Buffer.allocUnsafe(this.#blockBytes + 65_536);
    this.#used = 0;
    this.#rows = 0;
    this.connection?.stream.pause();
    this.#taken = this.#taken
      .then(() => (this.failure === undefined ? this.#take(block) : undefined))
      .catch((error: unknown) => {
        this.failure ??= error;
      })
      .finally(() => this.connection?.stream.resume());
  }
}

/** Streams the rows of a query in blocks, in bounded memory. */
export async function copyOut(
  client: pg.Client,
  query: string,
  options: { readonly blockBytes: number; readonly take: TakeBlock },
): Promise<void> {
  const copy = new CopyOut(`copy (${query}) to stdout`, options.blockBytes, options.take);
  client.query(copy);
  await copy.finish();
}

class CopyIn extends CopyQuery {
  readonly #lines: Buffer;

  constructor(text: string, lines: Buffer) {
    super(text);
    this.#lines = lines;
  }

  override handleCopyInResponse(): void {
    this.connection?.sendCopyFromChunk(this.#lines);
    this.connection?.endCopyFrom();
  }
}

/** Puts rows into a table; the names are quoted already. */
export async function copyIn(client: pg.Client, target: string, lines: Buffer): Promise<void> {
  const copy = new CopyIn(`copy ${target} from stdin`, lines);
  client.query(copy);
  await copy.done;
}
