/** A minimal MongoDB server: the wire protocol, SCRAM-SHA-256, and collections in memory. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { Binary, deserialize, type Document, EJSON, Long, serialize } from "bson";

export interface MongoServer extends AsyncDisposable {
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** The names of received commands. */
  readonly received: string[];
  /** The primary server that this one reports; itself by default. */
  primary: string | undefined;
  /** Sends these bytes instead of the next response. */
  answerNext: Uint8Array | undefined;
}

const HEAD_BYTES = 16;
const ROUNDS = 4_096;

export async function startMongoServer(): Promise<MongoServer> {
  const collections = new Map<string, Document[]>();
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const client = new Client(mongo, collections);
    let bytes = Buffer.alloc(0);
    open.add(socket);
    socket.on("close", () => open.delete(socket)).on("error", () => socket.destroy());
    socket.on("data", (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      while (bytes.length >= HEAD_BYTES && bytes.length >= bytes.readInt32LE(0)) {
        const message = bytes.subarray(0, bytes.readInt32LE(0));
        bytes = bytes.subarray(message.length);
        const given = mongo.answerNext;
        mongo.answerNext = undefined;
        socket.write(given ?? encodeAnswer(message, client.answer(commandOf(message))));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const mongo: MongoServer = {
    // A server that listens on a port has an address of this form.
    port: (server.address() as AddressInfo).port,
    user: "shop, =user",
    password: "a word for mongo",
    received: [],
    primary: undefined,
    answerNext: undefined,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return mongo;
}

/** The command of a message, with the documents of its other sections inserted. */
function commandOf(message: Buffer): Document {
  let at = HEAD_BYTES + 4;
  let command: Document = {};
  while (at < message.length) {
    const kind = message[at];
    const length = message.readInt32LE(at + 1);
    if (kind === 0)
      command = { ...deserialize(message.subarray(at + 1, at + 1 + length)), ...command };
    else command = { ...command, ...sequenceOf(message.subarray(at + 5, at + 1 + length)) };
    at += 1 + length;
  }
  return command;
}

function sequenceOf(section: Buffer): Document {
  const end = section.indexOf(0);
  const documents: Document[] = [];
  for (let at = end + 1; at < section.length; at += section.readInt32LE(at)) {
    documents.push(deserialize(section.subarray(at, at + section.readInt32LE(at))));
  }
  return { [section.toString("utf8", 0, end)]: documents };
}

function encodeAnswer(request: Buffer, answer: Document): Buffer {
  const body = serialize(answer);
  const head = Buffer.alloc(HEAD_BYTES + 5);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(request.readInt32LE(4), 8);
  head.writeInt32LE(2_013, 12);
  return Buffer.concat([head, body]);
}

/** One client and the state of its sign-in. */
class Client {
  readonly #server: MongoServer;
  readonly #collections: Map<string, Document[]>;
  #dialogue = "";
  #salted: Buffer = Buffer.alloc(0);
  #isKnown = false;

  constructor(server: MongoServer, collections: Map<string, Document[]>) {
    this.#server = server;
    this.#collections = collections;
  }

  answer(command: Document): Document {
    const [name = ""] = Object.keys(command);
    this.#server.received.push(name);
    if (/^(hello|ismaster)$/i.test(name)) return this.#hello();
    if (name === "saslStart") return this.#challenge(command);
    if (name === "saslContinue") return this.#admit(command);
    if (!this.#isKnown)
      return refusal(13, "Unauthorized", `Command ${name} requires authentication`);
    return this.#obey(name, command);
  }

  #hello(): Document {
    const { primary, port } = this.#server;
    return {
      isWritablePrimary: primary === undefined,
      primary: primary ?? `127.0.0.1:${port}`,
      maxWireVersion: 21,
      minWireVersion: 0,
      maxBsonObjectSize: 16_777_216,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      ok: 1,
    };
  }

  #challenge({ payload }: Document): Document {
    const first = textOf(payload).slice("n,,".length);
    const nonce = /r=(.+)$/.exec(first)?.[1] ?? "";
    const salt = randomBytes(16);
    const challenge = `r=${nonce}${randomBytes(12).toString("base64")},s=${salt.toString("base64")},i=${ROUNDS}`;
    this.#dialogue = `${first},${challenge}`;
    this.#salted = pbkdf2Sync(this.#server.password, salt, ROUNDS, 32, "sha256");
    return { conversationId: 1, done: false, payload: new Binary(Buffer.from(challenge)), ok: 1 };
  }

  #admit({ payload }: Document): Document {
    const [, bare = "", proof = ""] = /^(.*),p=(.*)$/.exec(textOf(payload)) ?? [];
    const dialogue = `${this.#dialogue},${bare}`;
    const clientKey = hmac(this.#salted, "Client Key");
    const signature = hmac(createHash("sha256").update(clientKey).digest(), dialogue);
    const expected = Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] ?? 0)));
    const name = this.#server.user.replaceAll("=", "=3D").replaceAll(",", "=2C");
    this.#isKnown =
      expected.equals(Buffer.from(proof, "base64")) && dialogue.startsWith(`n=${name},`);
    if (!this.#isKnown) return refusal(18, "AuthenticationFailed", "Authentication failed.");
    const shown = hmac(hmac(this.#salted, "Server Key"), dialogue).toString("base64");
    return { conversationId: 1, done: true, payload: new Binary(Buffer.from(`v=${shown}`)), ok: 1 };
  }

  #obey(name: string, command: Document): Document {
    const collection = String(command[name]);
    const all = this.#collections.get(collection) ?? [];
    this.#collections.set(collection, all);
    switch (name) {
      case "ping":
      case "endSessions":
      case "killCursors":
        return { ok: 1 };
      case "find":
        return cursorOf(
          fitting(all, command["filter"]).slice(command["skip"] ?? 0),
          command["limit"],
        );
      case "aggregate": {
        const [stage] = command["pipeline"] as Document[];
        return cursorOf(fitting(all, stage?.["$match"]), command["cursor"].batchSize);
      }
      case "count":
        return { n: fitting(all, command["query"]).length, ok: 1 };
      case "insert":
        return insert(all, command["documents"]);
      case "update":
        return update(all, command["updates"][0]);
      case "delete": {
        const [{ q, limit }] = command["deletes"];
        const gone = fitting(all, q).slice(0, limit === 1 ? 1 : all.length);
        for (const one of gone) all.splice(all.indexOf(one), 1);
        return { n: gone.length, ok: 1 };
      }
      default:
        return refusal(59, "CommandNotFound", `no such command: '${name}'`);
    }
  }
}

function insert(all: Document[], documents: readonly Document[]): Document {
  const taken = documents.findIndex((one) => fitting(all, { _id: one["_id"] }).length > 0);
  const errmsg = "E11000 duplicate key error";
  if (taken >= 0) return { n: 0, writeErrors: [{ index: taken, code: 11_000, errmsg }], ok: 1 };
  all.push(...documents);
  return { n: documents.length, ok: 1 };
}

function update(all: Document[], { q, u, multi, upsert }: Document): Document {
  const found = fitting(all, q).slice(0, multi === true ? all.length : 1);
  for (const one of found) Object.assign(one, u["$set"]);
  if (found.length > 0 || upsert !== true)
    return { n: found.length, nModified: found.length, ok: 1 };
  const made = { _id: "made", ...q, ...u["$set"] };
  all.push(made);
  return { n: 1, nModified: 0, upserted: [{ index: 0, _id: made["_id"] }], ok: 1 };
}

/** The documents whose fields equal the filter's. */
function fitting(all: readonly Document[], filter: Document = {}): Document[] {
  return all.filter((one) =>
    Object.entries(filter).every(
      ([name, value]) => EJSON.stringify({ v: one[name] }) === EJSON.stringify({ v: value }),
    ),
  );
}

function cursorOf(documents: readonly Document[], limit = 0): Document {
  const firstBatch = limit > 0 ? documents.slice(0, limit) : documents;
  const id = Long.fromNumber(firstBatch.length < documents.length ? 7 : 0);
  return { cursor: { firstBatch, id, ns: "shop.items" }, ok: 1 };
}

function refusal(code: number, codeName: string, errmsg: string): Document {
  return { ok: 0, code, codeName, errmsg };
}

function textOf(payload: unknown): string {
  return payload instanceof Binary ? Buffer.from(payload.buffer).toString() : "";
}

function hmac(key: Uint8Array, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
