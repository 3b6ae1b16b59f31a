import { readFileSync } from "node:fs";
import type { Schemas } from "@millrace/client";
import { parse } from "yaml";
import {
  type Commands,
  connect,
  readJson,
  readLimit,
  toColumns,
  toPlainText,
  untilStopped,
  write,
} from "../command.ts";
import { CommandError } from "../usage.ts";

const POLL_MS = 20_000;
const ALL_EVENTS = "platform.events";

/** Commands for records, SQL, events and packs. */
export const dataCommands: Commands = {
  "records list": {
    words: ["TABLE"],
    run: async (options, slug = "") => {
      const { filter, sort } = options;
      const query = {
        limit: readLimit(options, 50),
        ...(filter !== undefined && { filter: JSON.stringify(readJson(filter, "--filter")) }),
        ...(sort !== undefined && { sort }),
      };
      const { data } = await connect(options).records.list({ params: { slug }, query });
      return { lines: data.map(toLine), value: data, ok: true };
    },
  },
  "records get": {
    words: ["TABLE", "RECORD-ID"],
    run: async (options, slug = "", recordId = "") => {
      const { data } = await connect(options).records.get({ params: { slug, recordId } });
      return { lines: [JSON.stringify(data, null, 2)], value: data, ok: true };
    },
  },
  "records create": {
    words: ["TABLE"],
    run: async (options, slug = "") => {
      const body = readFields(options.input);
      const { data } = await connect(options).records.create({ params: { slug }, body });
      return { lines: [toLine(data)], value: data, ok: true };
    },
  },
  "records update": {
    words: ["TABLE", "RECORD-ID"],
    run: async (options, slug = "", recordId = "") => {
      const body = readFields(options.input);
      const { data } = await connect(options).records.update({ params: { slug, recordId }, body });
      return { lines: [toLine(data)], value: data, ok: true };
    },
  },
  "records delete": {
    words: ["TABLE", "RECORD-ID"],
    run: async (options, slug = "", recordId = "") => {
      await connect(options).records.delete({ params: { slug, recordId } });
      return { lines: [`deleted ${recordId}`], value: { id: recordId }, ok: true };
    },
  },
  sql: {
    words: ["SELECT"],
    run: async (options, text = "") => {
      const sql = text === "-" ? readFileSync(0, "utf8") : text;
      const body = { sql, rowMode: "array" as const, limit: readLimit(options, 1_000) };
      const { data } = await connect(options).queries.run({ body });
      const names = data.columns.map(({ name }) => name);
      const rows = data.rows as readonly (readonly unknown[])[];
      const cells = rows.map((row) => row.map(toCell));
      const rest = data.truncated ? [`… more than ${rows.length} rows (--limit)`] : [];
      const value = rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
      return { lines: [...toColumns([names, ...cells]), ...rest], value, ok: true };
    },
  },
  events: {
    words: ["TOPIC?"],
    run: async (options, topic) => {
      const client = connect(options);
      const { type } = options;
      const query = {
        limit: readLimit(options, 20),
        ...(topic !== undefined && { topic }),
        ...(type !== undefined && { type }),
      };
      const { data } = await client.events.recent({ query });
      const newest = data.toReversed();
      if (!options.follow) return { lines: newest.map(eventLine), value: newest, ok: true };
      const tell = (event: Schemas["Event"]): void =>
        write(options.json ? JSON.stringify(event) : eventLine(event));
      for (const event of newest) tell(event);
      const signal = untilStopped();
      let after = newest.at(-1)?.id;
      const name = topic ?? ALL_EVENTS;
      while (!signal.aborted) {
        const page = { timeout: POLL_MS, ...(after !== undefined && { after }) };
        const read = await client.topics
          .read({ params: { name }, query: page }, { signal })
          .catch((error: unknown) => {
            if (signal.aborted) return undefined;
            throw error;
          });
        for (const event of read?.data ?? []) {
          if (type === undefined || event.type === type) tell(event);
        }
        after = read?.pagination.nextCursor ?? after;
      }
      return { lines: [], value: undefined, ok: true };
    },
  },
  "packs list": {
    run: async (options) => {
      const { data } = await connect(options).packs.list();
      const rows = data.map(({ packKey, version, environment, name }) => [
        packKey,
        version,
        environment,
        name,
      ]);
      return { lines: toColumns(rows), value: data, ok: true };
    },
  },
  "packs install": {
    words: ["FILE"],
    run: async (options, file = "") => {
      const body = readDescriptor(file);
      const { data } = await connect(options).packs.install({ body });
      const kept = data.kept.map(({ kind, key }) => `! kept ${kind}/${key}`);
      const words = `${data.status} ${data.packKey} ${data.version}`;
      return { lines: [words, ...kept].map(toPlainText), value: data, ok: kept.length === 0 };
    },
  },
  "packs remove": {
    words: ["PACK-ID"],
    run: async (options, id = "") => {
      const { data } = await connect(options).packs.uninstall({ params: { id } });
      return { lines: [`removed ${id}`], value: data, ok: true };
    },
  },
};

function readFields(input: string | undefined): Readonly<Record<string, unknown>> {
  if (input === undefined)
    throw new CommandError(`Enter the fields, for example: --input '{"name":"Ada"}'`, 2);
  const fields = readJson(input, "--input");
  if (typeof fields === "object" && fields !== null && !Array.isArray(fields)) {
    return fields as Readonly<Record<string, unknown>>;
  }
  throw new CommandError("--input must be an object.", 2);
}

function readDescriptor(file: string): Schemas["PackDescriptor"] {
  try {
    return parse(readFileSync(file, "utf8")) as Schemas["PackDescriptor"];
  } catch (error) {
    throw new CommandError(`${file}: ${(error as Error).message}`);
  }
}

function toLine(record: object): string {
  return toPlainText(JSON.stringify(record));
}

function toCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function eventLine({ id, createdAt, type, actor, resource }: Schemas["Event"]): string {
  const name = resource.number ?? resource.displayName ?? resource.id;
  return toPlainText(`${createdAt} ${id} ${type} ${name} by ${actor.name}`);
}
