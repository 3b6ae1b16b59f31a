/**
 * A MySQL server in front of the PostgreSQL test database: the real protocol of connections and prepared
 * statements, and a real database whose read-only transactions reject writes. Tests use only statements that mean
 * the same in both.
 */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type AddressInfo, type Socket } from "node:net";
import pg from "pg";

export interface MysqlServer extends AsyncDisposable {
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** The statements of prepared form that came. */
  readonly executed: string[];
  connections: number;
  /** The number of session resets by clients. */
  resets: number;
  /** Sends unrequested bytes to all clients. */
  sendUnasked(bytes: Uint8Array): void;
}

const VERSION = "8.4.0-test";
const AUTH = "mysql_native_password";
/** Long password, database, protocol 4.1, transactions, secure connection, plug-ins for authentication. */
const CAPABILITIES = 0x0001 | 0x0008 | 0x0200 | 0x2000 | 0x8000 | 0x80000;
const UTF8MB4 = 45;
const TYPES = { tiny: 1, double: 5, null: 6, longlong: 8, text: 253 } as const;
const COM = {
  quit: 1,
  query: 3,
  ping: 14,
  prepare: 22,
  execute: 23,
  close: 25,
  reset: 31,
} as const;

export async function startMysqlServer(database: pg.ClientConfig): Promise<MysqlServer> {
  const open = new Set<Conversation>();
  const server = createServer((socket) => {
    mysql.connections += 1;
    const conversation = new Conversation(socket, database, mysql);
    open.add(conversation);
    socket.on("close", () => open.delete(conversation));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const mysql: MysqlServer = {
    // A server that listens on a port has an address of this form.
    port: (server.address() as AddressInfo).port,
    user: "shop",
    password: "a word for mysql",
    executed: [],
    connections: 0,
    resets: 0,
    sendUnasked: (bytes) => {
      for (const one of open) one.sendUnasked(bytes);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...open].map((one) => one.end()));
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return mysql;
}

/** One client, with its own database connection. */
class Conversation {
  readonly #socket: Socket;
  readonly #server: MysqlServer;
  readonly #seed = Buffer.from(randomBytes(20).map((byte) => (byte % 94) + 33));
  readonly #client: pg.Client;
  readonly #ready: Promise<unknown>;
  #bytes = Buffer.alloc(0);
  #sequence = 0;
  #isKnown = false;
  #prepared = "";
  #work: Promise<void> = Promise.resolve();

  constructor(socket: Socket, database: pg.ClientConfig, server: MysqlServer) {
    this.#socket = socket;
    this.#server = server;
    this.#client = new pg.Client(database);
    this.#client.on("error", () => undefined);
    this.#ready = this.#client.connect();
    socket.on("error", () => socket.destroy());
    socket.on("close", () => void this.end());
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#greet();
  }

  async end(): Promise<void> {
    this.#socket.destroy();
    await this.#ready.then(() => this.#client.end()).catch(() => undefined);
  }

  sendUnasked(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  #greet(): void {
    this.#send(
      Buffer.concat([
        Buffer.from([10]),
        Buffer.from(`${VERSION}\0`),
        u32(1),
        this.#seed.subarray(0, 8),
        Buffer.from([0]),
        u16(CAPABILITIES & 0xffff),
        Buffer.from([UTF8MB4]),
        u16(2),
        u16(CAPABILITIES >>> 16),
        Buffer.from([21]),
        Buffer.alloc(10),
        this.#seed.subarray(8),
        Buffer.from(`\0${AUTH}\0`),
      ]),
    );
  }

  #read(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    while (this.#bytes.length >= 4) {
      const length = this.#bytes.readUIntLE(0, 3);
      if (this.#bytes.length < 4 + length) return;
      const sequence = this.#bytes.readUInt8(3);
      const packet = Buffer.from(this.#bytes.subarray(4, 4 + length));
      this.#bytes = this.#bytes.subarray(4 + length);
      // Processes packets in sequence, as clients send them.
      this.#work = this.#work.then(async () => {
        this.#sequence = sequence + 1;
        await (this.#isKnown ? this.#obey(packet) : this.#admit(packet));
      });
    }
  }

  async #admit(packet: Buffer): Promise<void> {
    const nameEnd = packet.indexOf(0, 32);
    const user = packet.toString("utf8", 32, nameEnd);
    const token = packet.subarray(nameEnd + 2, nameEnd + 2 + (packet[nameEnd + 1] ?? 0));
    const { user: known, password } = this.#server;
    this.#isKnown = user === known && token.equals(scramble(password, this.#seed));
    if (this.#isKnown) return this.#ok();
    this.#refuse(1045, "28000", `Access denied for user '${user}'`);
    this.#socket.end();
  }

  async #obey(packet: Buffer): Promise<void> {
    const command = packet[0];
    const text = packet.toString("utf8", 1);
    if (command === COM.quit) return void this.end();
    if (command === COM.close) return;
    if (command === COM.ping) return this.#ok();
    if (command === COM.reset) {
      await this.#runText("rollback");
      this.#server.resets += 1;
      return;
    }
    if (command === COM.query) return this.#runText(text);
    if (command === COM.prepare) return this.#prepare(text);
    if (command === COM.execute) return this.#execute(packet);
    this.#refuse(1047, "08S01", "Unknown command");
  }

  /** The connector's internal statements; MySQL settings have no PostgreSQL equivalent. */
  async #runText(sql: string): Promise<void> {
    if (!/^set session (max_|transaction)/.test(sql)) await this.#client.query(sql);
    this.#ok();
  }

  #prepare(sql: string): void {
    this.#prepared = sql;
    const count = sql.split("?").length - 1;
    this.#send(Buffer.concat([Buffer.from([0]), u32(1), u16(0), u16(count), Buffer.alloc(3)]));
    for (let n = 0; n < count; n += 1) this.#send(column("?", TYPES.text));
    if (count > 0) this.#eof();
  }

  async #execute(packet: Buffer): Promise<void> {
    this.#server.executed.push(this.#prepared);
    let n = 0;
    const sql = this.#prepared
      .replaceAll("?", () => `$${(n += 1)}`)
      .replace("version()", `'${VERSION}'`);
    try {
      const answer = await this.#client.query({
        text: sql,
        values: readValues(packet, n),
        rowMode: "array",
      });
      if (answer.fields.length === 0) return this.#ok(answer.rowCount ?? 0);
      this.#rows(
        answer.fields.map(({ name }) => name),
        answer.rows as unknown[][],
      );
    } catch (error) {
      const { message, code = "HY000" } = error as pg.DatabaseError;
      this.#refuse(code === "25006" ? 1792 : 1064, code, message);
    }
  }

  #rows(names: readonly string[], rows: readonly (readonly unknown[])[]): void {
    const types = names.map((_, at) => typeOf(rows.find((row) => row[at] !== null)?.[at]));
    this.#send(Buffer.from([names.length]));
    for (const [at, name] of names.entries()) this.#send(column(name, types[at] ?? TYPES.text));
    this.#eof();
    for (const row of rows) {
      const nulls = Buffer.alloc((names.length + 9) >> 3);
      for (const [at, value] of row.entries()) {
        if (value === null)
          nulls[(at + 2) >> 3] = (nulls[(at + 2) >> 3] ?? 0) | (1 << ((at + 2) & 7));
      }
      const values = row.map((value, at) =>
        value === null ? Buffer.alloc(0) : encode(value, types[at]),
      );
      this.#send(Buffer.concat([Buffer.from([0]), nulls, ...values]));
    }
    this.#eof();
  }

  #ok(affected = 0): void {
    this.#send(Buffer.concat([Buffer.from([0, affected, 0]), u16(2), u16(0)]));
  }

  #eof(): void {
    this.#send(Buffer.concat([Buffer.from([0xfe]), u16(0), u16(2)]));
  }

  #refuse(code: number, state: string, message: string): void {
    this.#send(Buffer.concat([Buffer.from([0xff]), u16(code), Buffer.from(`#${state}${message}`)]));
  }

  #send(payload: Buffer): void {
    const head = Buffer.alloc(4);
    head.writeUIntLE(payload.length, 0, 3);
    head.writeUInt8(this.#sequence & 0xff, 3);
    this.#sequence += 1;
    this.#socket.write(Buffer.concat([head, payload]));
  }
}

/** The proof of a client that it knows the password. */
function scramble(password: string, seed: Buffer): Buffer {
  const sha1 = (...parts: readonly Uint8Array[]): Buffer =>
    createHash("sha1").update(Buffer.concat(parts)).digest();
  const once = sha1(Buffer.from(password));
  const mask = sha1(seed, sha1(once));
  return Buffer.from(once.map((byte, at) => byte ^ (mask[at] ?? 0)));
}

function readValues(packet: Buffer, count: number): unknown[] {
  if (count === 0) return [];
  const nullsAt = 10;
  const typesAt = nullsAt + ((count + 7) >> 3) + 1;
  let at = typesAt + 2 * count;
  return Array.from({ length: count }, (_, n) => {
    const isNull = ((packet[nullsAt + (n >> 3)] ?? 0) >> (n & 7)) & 1;
    const type = packet[typesAt + 2 * n];
    if (isNull || type === TYPES.null) return null;
    if (type === TYPES.double) return packet.readDoubleLE((at += 8) - 8);
    if (type === TYPES.longlong) return packet.readBigInt64LE((at += 8) - 8);
    if (type === TYPES.tiny) return packet.readInt8((at += 1) - 1) === 1;
    const length = packet.readUInt8(at);
    at += 1 + length;
    return packet.toString("utf8", at - length, at);
  });
}

function column(name: string, type: number): Buffer {
  const tail = Buffer.concat([
    Buffer.from([0x0c]),
    u16(UTF8MB4),
    u32(1_024),
    Buffer.from([type]),
    Buffer.alloc(5),
  ]);
  return Buffer.concat([...["def", "", "", "", name, ""].map(lengthCoded), tail]);
}

function typeOf(value: unknown): number {
  if (typeof value === "number") return Number.isInteger(value) ? TYPES.longlong : TYPES.double;
  return TYPES.text;
}

function encode(value: unknown, type: number | undefined): Buffer {
  const bytes = Buffer.alloc(8);
  if (type === TYPES.longlong) bytes.writeBigInt64LE(BigInt(value as number));
  else if (type === TYPES.double) bytes.writeDoubleLE(value as number);
  else return lengthCoded(typeof value === "string" ? value : JSON.stringify(value));
  return bytes;
}

function lengthCoded(text: string): Buffer {
  const bytes = Buffer.from(text);
  const head =
    bytes.length < 251
      ? Buffer.from([bytes.length])
      : Buffer.concat([
          Buffer.from([0xfd]),
          Buffer.from([bytes.length & 255, (bytes.length >> 8) & 255, bytes.length >> 16]),
        ]);
  return Buffer.concat([head, bytes]);
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value & 0xffff);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
