/** Redis and MongoDB: the calls depend on item values, so each node becomes one script. */
import { toCode } from "../../code-text.ts";
import {
  assertSupported,
  callScript,
  type Convert,
  type ConvertedNode,
  type NodeContext,
  NotConvertible,
} from "../../conversion.ts";
import { type Json, type JsonObject, toObject, toText } from "../../n8n-workflow.ts";

/** Code for one item, with access to `call` and the n8n names. */
function redisCode(parameters: JsonObject): string {
  const { operation = "info", keyType = "automatic" } = parameters;
  const field = (name: string, otherwise: Json = ""): string =>
    `n8n.text(${toCode(parameters[name] ?? otherwise)})`;
  const isExpiring = toCode(parameters["expire"] ?? false);
  const ttl = `Number(${toCode(parameters["ttl"] ?? 60)}) * 1000`;
  const named = (value: string): string =>
    toObject(parameters["options"])["dotNotation"] === false
      ? `{ [${field("propertyName", "propertyName")}]: ${value} }`
      : `n8n.set({}, ${field("propertyName", "propertyName")}, ${value})`;
  const at = parameters["tail"] === true ? '"end"' : '"start"';
  switch (operation) {
    case "get":
      return `return [${named(`await n8n.redisGet(call, ${field("key")}, ${toCode(keyType)})`)}];`;
    case "set": {
      const about = `{ type: ${toCode(keyType)}, json: ${toCode(parameters["valueIsJSON"] ?? true)}, expireMs: ${isExpiring} ? ${ttl} : undefined }`;
      return `await n8n.redisSet(call, ${field("key")}, ${toCode(parameters["value"] ?? "")}, ${about});
  return [$item];`;
    }
    case "delete":
      return `await call("delete", { keys: [${field("key")}] });
  return [$item];`;
    case "incr":
      return `const key = ${field("key")};
  const { value: counted } = await call("increment", { key, by: 1 });
  if (${isExpiring}) await call("expire", { key, expireMs: ${ttl} });
  return [{ [key]: counted }];`;
    case "keys": {
      const found = `const { keys } = await call("keys", { match: ${field("keyPattern")}, limit: 1000 });`;
      return parameters["getValues"] === false
        ? `${found}
  return [{ keys }];`
        : `${found}
  const values = {};
  for (const key of keys) values[key] = await n8n.redisGet(call, key, "automatic");
  return [values];`;
    }
    case "llen":
      return `const key = ${field("list")};
  return [{ [key]: (await call("list_length", { key })).length }];`;
    case "publish":
      return `await call("publish", { channel: ${field("channel")}, message: ${field("messageData")} });
  return [$item];`;
    case "push":
      return `await call("list_push", { key: ${field("list")}, values: [${field("messageData")}], at: ${at} });
  return [$item];`;
    case "pop":
      return `const { value: taken } = await call("list_pop", { key: ${field("list")}, at: ${at} });
  return [${named("n8n.maybeJson(taken)")}];`;
    default:
      throw new NotConvertible(`uses the unsupported Redis operation ${JSON.stringify(operation)}`);
  }
}

const redis: Convert = (ctx) => {
  const { parameters } = ctx.node;
  assertSupported(parameters);
  const code = redisCode(parameters);
  const connectorId = ctx.bind("connector", "redis", "Redis (a database)");
  return callScript(ctx, { connectorId, code, text: parameters });
};

/** Builds code for a JSON document in a node. */
const documentCode = (value: Json): string => `n8n.mongoQuery(${toCode(value)})`;

function mongoCode({ parameters, version }: NodeContext["node"]): string {
  const { operation = "find", collection = "", query = "{}", updateKey = "id" } = parameters;
  const options = toObject(parameters["options"]);
  const name = `collection: n8n.text(${toCode(collection)})`;
  const dates = `n8n.list(${toCode(options["dateFields"] ?? "")})`;
  const row = `n8n.mongoFields($json, n8n.list(${toCode(parameters["fields"] ?? "")}), { dates: ${dates}, dotted: ${options["useDotNotation"] === true} })`;
  // Older versions query once, regardless of the number of items.
  const once = version < 1.1 ? "if ($itemIndex > 0) return [];\n  " : "";
  const listed = "return documents.map(n8n.mongoDocument);";
  switch (operation) {
    case "find": {
      const { limit, skip, sort, projection } = options;
      const isLimited = limit !== undefined && limit !== 0;
      const members = [
        name,
        `filter: ${documentCode(query)}`,
        `limit: ${isLimited ? `Math.min(10000, Number(${toCode(limit)}) || 10000)` : "10000"}`,
        ...(skip === undefined ? [] : [`skip: Number(${toCode(skip)})`]),
        ...(sort === undefined ? [] : [`sort: ${documentCode(sort)}`]),
        ...(projection === undefined ? [] : [`projection: ${documentCode(projection)}`]),
      ];
      return `${once}const { documents } = await call("find", { ${members.join(", ")} });
  ${listed}`;
    }
    case "aggregate":
      return `${once}const { documents } = await call("aggregate", { ${name}, pipeline: ${documentCode(query)}, limit: 10000 });
  ${listed}`;
    case "delete":
      return `${once}const { deleted } = await call("delete", { ${name}, filter: ${documentCode(query)}, many: true });
  return [{ deletedCount: deleted }];`;
    case "insert":
      return `const row = ${row};
  const { insertedIds } = await call("insert", { ${name}, documents: [row] });
  return [{ ...n8n.mongoDocument(row), id: n8n.mongoDocument(insertedIds[0]) }];`;
    case "update":
    case "findOneAndUpdate":
    case "findOneAndReplace": {
      const change = operation === "findOneAndReplace" ? "rest" : "{ $set: rest }";
      return `const key = n8n.text(${toCode(updateKey)}).trim();
  const row = { ...${row}, [key]: $json[key] };
  if (row[key] === undefined) return [];
  const { [key]: known, ...others } = row;
  const rest = key === "_id" ? others : row;
  await call("update", { ${name}, filter: n8n.mongoQuery({ [key]: known }), update: ${change}, upsert: ${parameters["upsert"] === true} });
  return [n8n.mongoDocument(row)];`;
    }
    default:
      throw new NotConvertible(`uses the unsupported MongoDB operation ${toText(operation)}`);
  }
}

const mongoDb: Convert = (ctx): ConvertedNode => {
  const { parameters } = ctx.node;
  assertSupported(parameters);
  const code = mongoCode(ctx.node);
  const connectorId = ctx.bind("connector", "mongodb", "MongoDB (a database)");
  const made = callScript(ctx, { connectorId, code, text: parameters });
  const notes = ["at most 10,000 documents are read", "items are written one at a time"];
  const isRead = ["find", "aggregate"].includes(toText(parameters["operation"], "find"));
  return {
    ...made,
    approximations: [...(made.approximations ?? []), notes[isRead ? 0 : 1] ?? ""],
  };
};

export const storeNodes = { redis, mongoDb };
