import Type, { type Static, type TObject } from "typebox";
import { object, text } from "#kernel/schema/schema.ts";
import type { UpstreamConnection } from "../../upstream/connection.ts";
import { withRetries } from "../../upstream/retry.ts";
import { hostErrors } from "../../upstream/target.ts";
import { UpstreamError } from "../../upstream/upstream-error.ts";
import { action, type ActionType, connectorType } from "../connector-type.ts";
import { config, type RedisConfig } from "./config.ts";
import { type Reply, RespError } from "./resp.ts";
import { runAnyCommand, runCommand } from "./session.ts";

const VALUE_CHARACTERS_MAX = 1_000_000;
const ITEMS_MAX = 1_000;
const EXPIRY_MAX_MS = 10 * 365 * 86_400_000;

const Key = Type.String({ minLength: 1, maxLength: 10_000 });
const Value = Type.Union([text(VALUE_CHARACTERS_MAX), Type.Number(), Type.Boolean()], {
  description: "A string, or a number that becomes a string",
});
const End = Type.Enum(["start", "end"], { default: "end" });
const ExpireMs = Type.Integer({ minimum: 1, maximum: EXPIRY_MAX_MS });

const KeysInput = object({
  match: Type.String({
    minLength: 1,
    maxLength: 1_000,
    default: "*",
    description: "Pattern, such as `order:*`",
  }),
  limit: Type.Integer({ minimum: 1, maximum: ITEMS_MAX, default: 100 }),
});

const CommandInput = object({
  args: Type.Array(Value, {
    minItems: 1,
    maxItems: ITEMS_MAX,
    description: "The command and its arguments as separate items",
  }),
});

/** An action that is done by one command. */
interface CommandAction<Input extends TObject> {
  readonly name: string;
  readonly summary: string;
  readonly input: Input;
  readonly does: "read" | "write" | "repeatable write";
  readonly args: (input: Static<Input>) => readonly string[];
  readonly output: (reply: Reply) => object;
}

function commandAction<Input extends TObject>(
  about: CommandAction<Input>,
): ActionType<RedisConfig> {
  const { name, summary, input, does, args, output } = about;
  return action<RedisConfig, Input>({
    name,
    summary,
    input,
    ...(does !== "read" && { isOffered: ({ allowWrites }) => allowWrites }),
    run: (connection, given) =>
      withRetries({ ...connection, idempotent: does !== "write" }, async () =>
        output(await runCommand(connection, ...args(given))),
      ),
  });
}

/** A Redis server. */
export const redis = connectorType({
  type: "redis",
  summary: "A Redis server, or a compatible server",
  config,
  authKinds: ["none", "basic"],
  actions: [
    commandAction({
      name: "get",
      summary: "Reads a key. Returns its `value`; null if it does not exist",
      input: object({ key: Key }),
      does: "read",
      args: ({ key }) => ["GET", key],
      output: (value) => ({ value }),
    }),
    commandAction({
      name: "set",
      summary: "Sets a key. `isSet` is false if `onlyIf` did not match",
      input: object({
        key: Key,
        value: Value,
        expireMs: Type.Optional(ExpireMs),
        onlyIf: Type.Optional(Type.Enum(["absent", "present"])),
      }),
      does: "repeatable write",
      args: ({ key, value, expireMs, onlyIf }) => [
        "SET",
        key,
        String(value),
        ...(expireMs === undefined ? [] : ["PX", String(expireMs)]),
        ...(onlyIf === undefined ? [] : [onlyIf === "absent" ? "NX" : "XX"]),
      ],
      output: (reply) => ({ isSet: reply !== null }),
    }),
    commandAction({
      name: "delete",
      summary: "Deletes keys. Returns the number `deleted`",
      input: object({ keys: Type.Array(Key, { minItems: 1, maxItems: ITEMS_MAX }) }),
      does: "repeatable write",
      args: ({ keys }) => ["DEL", ...keys],
      output: (deleted) => ({ deleted }),
    }),
    commandAction({
      name: "exists",
      summary: "Checks whether a key exists. Returns `exists`",
      input: object({ key: Key }),
      does: "read",
      args: ({ key }) => ["EXISTS", key],
      output: (count) => ({ exists: count === 1 }),
    }),
    commandAction({
      name: "increment",
      summary: "Increments a number. Returns the new `value`",
      input: object({ key: Key, by: Type.Integer({ default: 1 }) }),
      does: "write",
      args: ({ key, by }) => ["INCRBY", key, String(by)],
      output: (value) => ({ value }),
    }),
    commandAction({
      name: "expire",
      summary: "Sets the expiry of a key. `isSet` is false if the key does not exist",
      input: object({ key: Key, expireMs: ExpireMs }),
      does: "repeatable write",
      args: ({ key, expireMs }) => ["PEXPIRE", key, String(expireMs)],
      output: (reply) => ({ isSet: reply === 1 }),
    }),
    commandAction({
      name: "publish",
      summary: "Publishes a message to a channel. Returns the number of `receivers`",
      input: object({ channel: Key, message: Value }),
      does: "write",
      args: ({ channel, message }) => ["PUBLISH", channel, String(message)],
      output: (receivers) => ({ receivers }),
    }),
    commandAction({
      name: "list_push",
      summary: "Adds values to a list. Returns its new `length`",
      input: object({
        key: Key,
        values: Type.Array(Value, { minItems: 1, maxItems: ITEMS_MAX }),
        at: End,
      }),
      does: "write",
      args: ({ key, values, at }) => [
        at === "start" ? "LPUSH" : "RPUSH",
        key,
        ...values.map(String),
      ],
      output: (length) => ({ length }),
    }),
    commandAction({
      name: "list_pop",
      summary: "Removes a value from a list. Returns it as `value`; null if the list is empty",
      input: object({ key: Key, at: End }),
      does: "write",
      args: ({ key, at }) => [at === "start" ? "LPOP" : "RPOP", key],
      output: (value) => ({ value }),
    }),
    commandAction({
      name: "list_range",
      summary: "Reads a range of a list. Returns `values`; negative indexes count from the end",
      input: object({
        key: Key,
        start: Type.Integer({ default: 0 }),
        stop: Type.Integer({
          default: ITEMS_MAX - 1,
          description: "Index of the last value, inclusive",
        }),
      }),
      does: "read",
      args: ({ key, start, stop }) => ["LRANGE", key, String(start), String(stop)],
      output: (values) => ({ values }),
    }),
    commandAction({
      name: "list_length",
      summary: "Returns the `length` of a list",
      input: object({ key: Key }),
      does: "read",
      args: ({ key }) => ["LLEN", key],
      output: (length) => ({ length }),
    }),
    commandAction({
      name: "hash_get",
      summary: "Reads the `fields` of a hash",
      input: object({ key: Key }),
      does: "read",
      args: ({ key }) => ["HGETALL", key],
      output: (pairs) => ({ fields: fieldsOf(pairs) }),
    }),
    commandAction({
      name: "hash_set",
      summary: "Sets fields of a hash. Returns the number of new fields as `added`",
      input: object({
        key: Key,
        fields: Type.Record(Type.String(), Value, { minProperties: 1, maxProperties: ITEMS_MAX }),
      }),
      does: "repeatable write",
      args: ({ key, fields }) => [
        "HSET",
        key,
        ...Object.entries(fields).flatMap(([name, value]) => [name, String(value)]),
      ],
      output: (added) => ({ added }),
    }),
    commandAction({
      name: "hash_delete",
      summary: "Deletes fields of a hash. Returns the number `deleted`",
      input: object({ key: Key, fields: Type.Array(Key, { minItems: 1, maxItems: ITEMS_MAX }) }),
      does: "repeatable write",
      args: ({ key, fields }) => ["HDEL", key, ...fields],
      output: (deleted) => ({ deleted }),
    }),
    action<RedisConfig, typeof KeysInput>({
      name: "keys",
      summary: "Finds keys by a pattern. Returns `keys`; `truncated` is true if there may be more",
      input: KeysInput,
      run: (connection, input) =>
        withRetries({ ...connection, idempotent: true }, () => findKeys(connection, input)),
    }),
    action<RedisConfig, typeof CommandInput>({
      name: "command",
      summary: "Runs any command. Returns its `reply`",
      input: CommandInput,
      isOffered: ({ allowCommands }) => allowCommands,
      run: (connection, { args }) =>
        withRetries({ ...connection, idempotent: false }, async () => ({
          reply: toJson(await runAnyCommand(connection, args.map(String))),
        })),
    }),
  ],
  check: (platform, { host }) => hostErrors(platform, "/config/host", host),
  async test(connection) {
    await runCommand(connection, "PING");
    return {};
  },
});

/** Scans a limited part of the keys: `KEYS` would block the server for all clients. */
async function findKeys(
  connection: UpstreamConnection<RedisConfig>,
  { match, limit }: Static<typeof KeysInput>,
): Promise<object> {
  const found = new Set<Reply>();
  let cursor = "0";
  for (let scans = 0; scans < SCANS_MAX && found.size < limit; scans += 1) {
    const reply = await runCommand(connection, "SCAN", cursor, "MATCH", match, "COUNT", "1000");
    const [next, keys] = Array.isArray(reply) ? (reply as readonly Reply[]) : [];
    if (typeof next !== "string" || !Array.isArray(keys)) {
      throw new UpstreamError("The response of the server to SCAN is not valid.");
    }
    for (const key of keys) found.add(key as Reply);
    cursor = next;
    if (cursor === "0") break;
  }
  return { keys: [...found].slice(0, limit), truncated: cursor !== "0" || found.size > limit };
}

const SCANS_MAX = 100;

function fieldsOf(pairs: Reply): Readonly<Record<string, Reply>> {
  const all = Array.isArray(pairs) ? (pairs as readonly Reply[]) : [];
  const entries: (readonly [string, Reply])[] = [];
  for (let at = 0; at < all.length; at += 2) {
    const name = all[at];
    // A name that is not text cannot be a key in JSON.
    if (typeof name === "string") entries.push([name, all[at + 1] ?? null]);
  }
  return Object.fromEntries(entries);
}

/** Converts a reply to JSON; a list may contain errors. */
function toJson(reply: Reply): unknown {
  if (reply instanceof RespError) return { error: reply.message };
  return Array.isArray(reply) ? (reply as readonly Reply[]).map(toJson) : reply;
}
