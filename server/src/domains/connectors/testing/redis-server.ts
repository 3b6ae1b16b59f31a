/** A minimal Redis server: the protocol and the commands that the tests use, in memory. */
import { createServer, type AddressInfo, type Socket } from "node:net";
import { RespDecoder } from "../types/redis/resp.ts";

export interface RedisServer extends AsyncDisposable {
  readonly port: number;
  readonly password: string;
  /** The names of received commands. */
  readonly received: string[];
  /** The number of connections. */
  connections: number;
  /** Sends these bytes instead of the next response. */
  answerNext: Uint8Array | "nothing" | undefined;
}

type Entry = string | string[] | Map<string, string>;
type Run = (entries: Map<string, Entry>, args: readonly string[]) => string;

const OK = "+OK\r\n";
const bulk = (value: string | undefined): string =>
  value === undefined ? "$-1\r\n" : `$${Buffer.byteLength(value)}\r\n${value}\r\n`;
const integer = (value: number): string => `:${value}\r\n`;
const list = (items: readonly string[]): string => `*${items.length}\r\n${items.join("")}`;

function listAt(entries: Map<string, Entry>, key: string): string[] {
  const entry = entries.get(key);
  if (Array.isArray(entry)) return entry;
  if (entry !== undefined) throw new Error("WRONGTYPE Operation against a key of another kind");
  const made: string[] = [];
  entries.set(key, made);
  return made;
}

function hashAt(entries: Map<string, Entry>, key: string): Map<string, string> {
  const entry = entries.get(key);
  if (entry instanceof Map) return entry;
  const made = new Map<string, string>();
  entries.set(key, made);
  return made;
}

const COMMANDS: Readonly<Record<string, Run>> = {
  PING: () => "+PONG\r\n",
  SELECT: () => OK,
  GET: (entries, [key = ""]) => {
    const entry = entries.get(key);
    if (entry !== undefined && typeof entry !== "string") {
      throw new Error("WRONGTYPE Operation against a key of another kind");
    }
    return bulk(entry);
  },
  SET: (entries, [key = "", value = "", ...options]) => {
    const isThere = entries.has(key);
    if (options.includes("NX") ? isThere : options.includes("XX") && !isThere) {
      return bulk(undefined);
    }
    entries.set(key, value);
    return OK;
  },
  DEL: (entries, keys) => integer(keys.filter((key) => entries.delete(key)).length),
  EXISTS: (entries, [key = ""]) => integer(entries.has(key) ? 1 : 0),
  INCRBY: (entries, [key = "", by = ""]) => {
    const sum = Number(entries.get(key) ?? "0") + Number(by);
    entries.set(key, String(sum));
    return integer(sum);
  },
  PEXPIRE: (entries, [key = ""]) => integer(entries.has(key) ? 1 : 0),
  PUBLISH: () => integer(0),
  RPUSH: (entries, [key = "", ...values]) => integer(listAt(entries, key).push(...values)),
  LPUSH: (entries, [key = "", ...values]) =>
    integer(listAt(entries, key).unshift(...values.toReversed())),
  RPOP: (entries, [key = ""]) => bulk(listAt(entries, key).pop()),
  LPOP: (entries, [key = ""]) => bulk(listAt(entries, key).shift()),
  LLEN: (entries, [key = ""]) => integer(listAt(entries, key).length),
  LRANGE: (entries, [key = "", start = "", stop = ""]) => {
    const all = listAt(entries, key);
    const end = Number(stop) < 0 ? all.length + Number(stop) : Number(stop);
    return list(all.slice(Number(start), end + 1).map(bulk));
  },
  HSET: (entries, [key = "", ...pairs]) => {
    const hash = hashAt(entries, key);
    const before = hash.size;
    for (let at = 0; at < pairs.length; at += 2) hash.set(pairs[at] ?? "", pairs[at + 1] ?? "");
    return integer(hash.size - before);
  },
  HGETALL: (entries, [key = ""]) => list([...hashAt(entries, key)].flat().map(bulk)),
  HDEL: (entries, [key = "", ...names]) =>
    integer(names.filter((name) => hashAt(entries, key).delete(name)).length),
  SCAN: (entries, [, , match = ""]) => {
    const pattern = new RegExp(`^${match.replaceAll("*", ".*")}$`);
    const keys = [...entries.keys()].filter((key) => pattern.test(key));
    return list([bulk("0"), list(keys.map(bulk))]);
  },
};

export async function startRedisServer(): Promise<RedisServer> {
  const entries = new Map<string, Entry>();
  const open = new Set<Socket>();
  const answer = (socket: Socket, text: string): void => {
    const given = redis.answerNext;
    redis.answerNext = undefined;
    if (given !== "nothing") socket.write(given ?? text);
  };
  const server = createServer((socket) => {
    const decoder = new RespDecoder(1_048_576);
    let isKnown = false;
    redis.connections += 1;
    open.add(socket);
    socket.on("close", () => open.delete(socket)).on("error", () => socket.destroy());
    socket.on("data", (chunk: Buffer) => {
      for (const command of decoder.push(chunk)) {
        const [name = "", ...args] = (command as readonly string[]).map(String);
        redis.received.push(name);
        if (name === "AUTH") {
          isKnown = args.at(-1) === redis.password;
          socket.write(isKnown ? OK : "-WRONGPASS invalid username-password pair\r\n");
        } else if (!isKnown) {
          socket.write("-NOAUTH Authentication required.\r\n");
        } else {
          answer(socket, run(entries, name, args));
        }
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const redis: RedisServer = {
    // A server that listens on a port has an address of this form.
    port: (server.address() as AddressInfo).port,
    password: "a word for redis",
    received: [],
    connections: 0,
    answerNext: undefined,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return redis;
}

function run(entries: Map<string, Entry>, name: string, args: readonly string[]): string {
  try {
    return COMMANDS[name]?.(entries, args) ?? `-ERR unknown command '${name}'\r\n`;
  } catch (error) {
    return `-${(error as Error).message}\r\n`;
  }
}
