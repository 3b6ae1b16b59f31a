import { object } from "#kernel/schema/schema.ts";
import { textFrom } from "./to-text.ts";
import type { ColumnType, Json } from "./column-type.ts";
import { isStorable, UNSTORABLE } from "./text.ts";

const BYTES_MAX = 262_144;
const DEPTH_MAX = 32;

export const json: ColumnType = {
  summary: "Any JSON of up to 256 KiB, nested up to 32 deep; filters may lead into it",
  options: object({}),
  check: ({ unique }) =>
    unique ? [{ path: "/unique", message: "is not possible for this type" }] : [],
  sqlType: () => "jsonb",
  parameterType: "jsonb",
  // There are two ways to say that there is nothing, and one is enough.
  constraint: (_, quoted) => `jsonb_typeof(${quoted}) <> 'null'`,
  read(value) {
    const fault = faultOf(value, 1);
    if (fault !== undefined) return { fault };
    const text = JSON.stringify(value);
    if (Buffer.byteLength(text) > BYTES_MAX)
      return { fault: `must have at most ${BYTES_MAX} bytes` };
    // As it is written: there is no negative zero in what PostgreSQL keeps.
    return { value: JSON.parse(text) as Json };
  },
  store: (value) => JSON.stringify(value),
  show: (stored) => stored as Json,
  kind: "json",
  parse: parsed,
  format: (value) => JSON.stringify(value),
  index: "gin",
  convertFrom(from, _, quoted) {
    if (from.type === "json") return quoted;
    if (from.type === "text") return `${quoted}::jsonb`;
    if (from.type === "decimal") return `to_jsonb(trim_scale(${quoted}))`;
    if (from.type === "timestamp") return `to_jsonb(${textFrom(from, quoted)})`;
    return `to_jsonb(${quoted})`;
  },
};

/** What is no JSON stays as nothing at all, which `read` refuses. */
function parsed(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return undefined;
  }
}

function faultOf(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return isStorable(value) ? undefined : UNSTORABLE;
  if (typeof value === "number") {
    return Number.isFinite(value) ? undefined : "must hold no number beyond 1.8e308";
  }
  if (typeof value === "boolean" || value === null) return undefined;
  if (typeof value !== "object") return "must be JSON";
  if (depth > DEPTH_MAX) return `must not be nested deeper than ${DEPTH_MAX}`;
  for (const [key, member] of Object.entries(value)) {
    const fault = isStorable(key) ? faultOf(member, depth + 1) : UNSTORABLE;
    if (fault !== undefined) return fault;
  }
  return undefined;
}
